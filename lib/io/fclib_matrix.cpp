#include "io/fclib_matrix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/text.hpp"

namespace ccp {
namespace {

constexpr double triangle_noise = 1e-13;  // rounding of an entry, relative to √(|a_ii a_jj|), which bounds what it sums up

const char* storage_name(int nz) {
  return nz == compressed_columns ? "compressed columns" : nz == compressed_rows ? "compressed rows" : "triplets";
}

void check_index(const hdf5::Group& group, const char* member, Index entry, int index, Index size) {
  if (index < 0 || index >= size)
    group.fail(member, fmt::format("entry {} is {}, expected an index from 0 to {}", entry, index, size - 1));
}

void expect_entries(const hdf5::Group& group, const char* member, Index found, Index expected) {
  if (found < expected) group.fail(member, fmt::format("has {} entries, expected {}", found, expected));
}

// The number of nonzeros after the checks of a compressed pointer list.
Index check_pointers(const hdf5::Group& group, const std::vector<int>& pointers) {
  if (pointers.front() != 0) group.fail("p", fmt::format("entry 0 is {}, expected 0", pointers.front()));
  for (std::size_t k = 1; k < pointers.size(); ++k)
    if (pointers[k] < pointers[k - 1])
      group.fail("p",
                 fmt::format("entry {} is {}, expected at least the entry before, {}", k, pointers[k], pointers[k - 1]));
  return pointers.back();
}

struct Header {
  Index rows, columns;
  int nz, nzmax;
};

// Where entry k stands: row and column, checked.
std::vector<std::pair<int, int>> read_compressed(const hdf5::Group& group, const Header& header) {
  const bool by_columns = header.nz == compressed_columns;
  const Index outer = by_columns ? header.columns : header.rows, inner = by_columns ? header.rows : header.columns;
  if (const Index size = group.size("p"); size != outer + 1)
    group.fail("p", fmt::format("has {} entries, expected {} ({} + 1 for {})", size, outer + 1, by_columns ? "n" : "m",
                                storage_name(header.nz)));
  const Index stored = group.size("i");
  if (header.nzmax != stored) group.fail("nzmax", fmt::format("is {}, but i has {} entries", header.nzmax, stored));
  const std::vector<int> pointers = group.integers("p"), indices = group.integers("i");
  const Index nonzeros = check_pointers(group, pointers);
  if (nonzeros > stored) group.fail("p", fmt::format("ends with {}, but i has {} entries", nonzeros, stored));
  std::vector<std::pair<int, int>> places;
  places.reserve(static_cast<std::size_t>(nonzeros));
  for (int k = 0; k < static_cast<int>(outer); ++k)
    for (int e = pointers[static_cast<std::size_t>(k)]; e < pointers[static_cast<std::size_t>(k) + 1]; ++e) {
      const int index = indices[static_cast<std::size_t>(e)];
      check_index(group, "i", e, index, inner);
      places.emplace_back(by_columns ? index : k, by_columns ? k : index);
    }
  return places;
}

std::vector<std::pair<int, int>> read_triplets(const hdf5::Group& group, const Header& header) {
  if (header.nzmax < header.nz)
    group.fail("nzmax", fmt::format("is {}, expected at least nz = {}", header.nzmax, header.nz));
  expect_entries(group, "i", group.size("i"), header.nz);
  expect_entries(group, "p", group.size("p"), header.nz);
  const std::vector<int> rows = group.integers("i"), columns = group.integers("p");
  std::vector<std::pair<int, int>> places;
  places.reserve(static_cast<std::size_t>(header.nz));
  for (std::size_t e = 0; e < static_cast<std::size_t>(header.nz); ++e) {
    check_index(group, "i", static_cast<Index>(e), rows[e], header.rows);
    check_index(group, "p", static_cast<Index>(e), columns[e], header.columns);
    places.emplace_back(rows[e], columns[e]);
  }
  return places;
}

Header read_header(const hdf5::Group& group, Index rows, Index columns, const std::string& reason) {
  const int m = group.integer("m"), n = group.integer("n");
  if (m != rows) group.fail("m", fmt::format("is {}, expected {} rows ({})", m, rows, reason));
  if (n != columns) group.fail("n", fmt::format("is {}, expected {} columns ({})", n, columns, reason));
  const int nz = group.integer("nz"), nzmax = group.integer("nzmax");
  if (nz < compressed_rows)
    group.fail("nz",
               fmt::format("is {}, expected -1 (compressed columns), -2 (compressed rows) or a number of triplets", nz));
  return {rows, columns, nz, nzmax};
}

// The side of the diagonal blocks on which all other entries stand; `none` where blocks of several rows are not symmetric.
Triangle side_beyond_blocks(const SparseMatrix& matrix, Index block) {
  if (matrix.rows() % block != 0) return Triangle::none;
  const Vector diagonal = matrix.diagonal();
  bool upper = false, lower = false;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      const Index i = entry.row();
      const double noise = triangle_noise * std::sqrt(std::abs(diagonal[i])) * std::sqrt(std::abs(diagonal[j]));
      const bool in_block = i / block == j / block;
      if (in_block && i != j && std::abs(entry.value() - matrix.coeff(j, i)) > noise) return Triangle::none;
      if (in_block || std::abs(entry.value()) <= noise) continue;
      (i < j ? upper : lower) = true;
      if (upper && lower) return Triangle::none;
    }
  return upper ? Triangle::upper : lower ? Triangle::lower : Triangle::none;
}

}  // namespace

SparseMatrix read_fclib_matrix(const hdf5::Group& parent, const std::string& name, Index rows, Index columns,
                               const std::string& reason, FclibFile& file) {
  const hdf5::Group group = parent.group(name);
  const Header header = read_header(group, rows, columns, reason);
  const std::vector<std::pair<int, int>> places =
      header.nz >= 0 ? read_triplets(group, header) : read_compressed(group, header);
  const auto count = static_cast<Index>(places.size());
  expect_entries(group, "x", group.size("x"), count);
  const Vector values = group.reals("x");

  std::vector<Triplet> entries;
  entries.reserve(places.size());
  Index zeros = 0;
  for (Index e = 0; e < count; ++e) {
    const auto& [row, column] = places[static_cast<std::size_t>(e)];
    const double value = values[e];
    if (!std::isfinite(value))
      group.fail("x", fmt::format("entry {} (row {}, column {}) is {}, expected a finite number", e, row, column,
                                  format_double(value)));
    if (value == 0.0)
      ++zeros;
    else
      entries.emplace_back(row, column, value);
  }
  if (zeros > 0)
    file.remarks.push_back(fmt::format("{}: {} of {} stored entries are zero and left out", name, zeros, count));
  return listed_matrix(name, rows, columns, entries, storage_name(header.nz), file);
}

SparseMatrix listed_matrix(const std::string& name, Index rows, Index columns, const std::vector<Triplet>& entries,
                           const std::string& storage, FclibFile& file) {
  SparseMatrix matrix = from_triplets(rows, columns, entries);
  if (const Index summed = std::ssize(entries) - matrix.nonZeros(); summed > 0)
    file.remarks.push_back(fmt::format("{}: {} entries name a place again and are summed", name, summed));
  file.matrices.push_back({name, rows, columns, matrix.nonZeros(), storage});
  return matrix;
}

LoneTriangle lone_triangle(const SparseMatrix& matrix, Index spacedim) {
  const Triangle entries = side_beyond_blocks(matrix, 1);
  return entries != Triangle::none ? LoneTriangle{entries, 1} : LoneTriangle{side_beyond_blocks(matrix, spacedim), spacedim};
}

SparseMatrix completed_matrix(SparseMatrix matrix, const std::string& name, FclibFile& file) {
  const auto [side, block] = lone_triangle(matrix, file.spacedim);
  if (side == Triangle::none) return matrix;
  const bool upper = side == Triangle::upper;
  file.remarks.push_back(fmt::format("{} stores only its {} triangle{}; completed by symmetry", name,
                                     upper ? "upper" : "lower", block == 1 ? "" : fmt::format(" of {0}×{0} blocks", block)));
  std::vector<Triplet> entries;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      const int row = static_cast<int>(entry.row()), column = static_cast<int>(j);
      const bool in_block = row / block == column / block;
      if (!in_block && (row < column) != upper) continue;  // rounding
      entries.emplace_back(row, column, entry.value());
      if (!in_block) entries.emplace_back(column, row, entry.value());
    }
  return from_triplets(matrix.rows(), matrix.cols(), entries);
}

}  // namespace ccp
