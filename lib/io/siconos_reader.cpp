#include "io/siconos_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "io/fclib_matrix.hpp"
#include "io/fclib_problem.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

/// The words of a text, which blanks, colons and commas separate, with the line of each.
class Words {
 public:
  Words(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  /// What the words that follow are part of, for messages.
  void begin(std::string subject) { subject_ = std::move(subject); }

  /// The next word; empty at the end.
  std::string_view next() {
    while (!rest_.empty() && separators.find(rest_.front()) != std::string_view::npos) {
      line_ += rest_.front() == '\n' ? 1 : 0;
      rest_.remove_prefix(1);
    }
    word_ = rest_.substr(0, rest_.find_first_of(separators));
    rest_.remove_prefix(word_.size());
    return word_;
  }
  std::string_view word() const { return word_; }
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  /// A whole number in [low, high].
  Index integer(const char* what, Index low, Index high) {
    Index value = 0;
    next();
    if (!parse(value) || value < low || value > high)
      fail(low == high ? fmt::format("{}, {} of {}", low, what, subject_)
                       : fmt::format("{} of {}, a whole number from {} to {}", what, subject_, low, high));
    return value;
  }
  double real(Index entry) {
    double value = 0.0;
    next();
    if (!parse(value) || !std::isfinite(value)) fail(fmt::format("entry {} of {}, a finite number", entry, subject_));
    return value;
  }
  void literal(const std::string& word) {
    if (next() != word) fail(fmt::format("'{}' in {}", word, subject_));
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = word_.empty() ? "the end of the file" : fmt::format("'{}'", cut_text(escaped_text(word_), 30));
    throw InputError(file_, fmt::format("line {}", line_), fmt::format("found {}, expected {}", found, expected));
  }
  /// A bound on the numbers that can follow.
  Index bytes_left() const { return std::ssize(rest_); }
  Index words_left() const {
    Index count = 0;
    for (Words ahead = *this; !ahead.next().empty();) ++count;
    return count;
  }

 private:
  static constexpr std::string_view separators = " \t\r\n:,";

  /// The whole word as a number.
  template <typename Number>
  bool parse(Number& value) const {
    const auto [end, failure] = std::from_chars(word_.data(), word_.data() + word_.size(), value);
    return failure == std::errc() && end == word_.data() + word_.size();
  }

  std::string file_, subject_;
  std::string_view rest_, word_;
  Index line_ = 1;
};

/// A matrix that is being read.
struct Entries {
  Index rows, columns;
  const char* stored = "dense";  ///< how the file has them
  std::vector<Triplet> list{};

  void add(Index row, Index column, double value) {
    if (value != 0.0) list.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  }
};

void read_dense(Words& words, Entries& matrix) {
  words.integer("rows", matrix.rows, matrix.rows);
  words.integer("columns", matrix.columns, matrix.columns);
  for (Index j = 0; j < matrix.columns; ++j)
    for (Index i = 0; i < matrix.rows; ++i) matrix.add(i, j, words.real(i + j * matrix.rows));
}

/// 0, and where each of `count` block rows or columns ends.
std::vector<Index> read_ends(Words& words, const char* what, Index count, Index size) {
  std::vector<Index> ends = {0};
  for (Index k = 1; k <= count; ++k) ends.push_back(words.integer(what, k == count ? size : ends.back() + 1, size));
  return ends;
}

void read_blocks(Words& words, Entries& matrix) {
  matrix.stored = "blocks";
  const Index blocks = words.integer("number of blocks", 0, words.bytes_left());
  if (blocks == 0) return;
  const Index block_rows = words.integer("number of block rows", 1, matrix.rows);
  const Index block_columns = words.integer("number of block columns", 1, matrix.columns);
  const std::vector<Index> rows = read_ends(words, "end of a block row", block_rows, matrix.rows);
  const std::vector<Index> columns = read_ends(words, "end of a block column", block_columns, matrix.columns);
  const Index filled = words.integer("number of starts of block rows", 2, block_rows + 1);
  words.integer("number of blocks", blocks, blocks);
  std::vector<Index> starts = {words.integer("start of the first block row", 0, 0)}, places;
  for (Index k = 1; k < filled; ++k)
    starts.push_back(words.integer("start of a block row", k == filled - 1 ? blocks : starts.back(), blocks));
  for (Index k = 0; k < blocks; ++k) places.push_back(words.integer("block column of a block", 0, block_columns - 1));
  Index entry = 0;
  for (std::size_t row = 0; row + 1 < starts.size(); ++row)
    for (Index block = starts[row]; block < starts[row + 1]; ++block) {
      words.integer("number of the block", block, block);
      const std::size_t column = uz(places[uz(block)]);
      for (Index j = columns[column]; j < columns[column + 1]; ++j)
        for (Index i = rows[row]; i < rows[row + 1]; ++i) matrix.add(i, j, words.real(entry++));
    }
}

void read_csparse(Words& words, Entries& matrix) {
  if (words.integer("form", 1, 4) == 3) words.fail("triplets (1 or 4) or compressed columns (2)");
  words.literal("CSparse");
  words.skip_line();
  const bool triplets = words.next() == "triplet";
  matrix.stored = triplets ? "triplets" : "compressed columns";
  const std::string size = fmt::format("{}-by-{}", matrix.rows, matrix.columns);
  if ((triplets ? words.next() : words.word()) != size) words.fail("the size " + size);
  words.literal("nzmax");
  words.integer("room", 0, std::numeric_limits<Index>::max());
  words.literal("nnz");
  const Index entries = words.integer("number of entries", 0, words.bytes_left());
  if (triplets) {
    for (Index e = 0; e < entries; ++e) {
      const Index row = words.integer("row", 0, matrix.rows - 1), column = words.integer("column", 0, matrix.columns - 1);
      matrix.add(row, column, words.real(e));
    }
    return;
  }
  words.literal("1-norm");
  words.real(0);
  for (Index column = 0, e = 0; column < matrix.columns; ++column) {
    words.literal("col");
    words.integer("number of the column", column, column);
    words.literal("locations");
    words.integer("first entry of the column", e, e);
    words.literal("to");
    const Index last =
        words.integer("last entry of the column", column + 1 == matrix.columns ? entries - 1 : e - 1, entries - 1);
    for (; e <= last; ++e) {
      const Index row = words.integer("row", 0, matrix.rows - 1);
      matrix.add(row, column, words.real(e));
    }
  }
}

/// A matrix of known size, or a square one of any (rows < 0).
Entries read_matrix(Words& words, const char* name, Index rows, Index columns) {
  words.begin(name);
  const Index storage = words.integer("storage", 0, 2);
  Entries matrix{rows, columns};
  matrix.rows = words.integer("rows", std::max<Index>(rows, 0), rows < 0 ? words.bytes_left() : rows);
  if (rows < 0) matrix.columns = matrix.rows;
  words.integer("columns", matrix.columns, matrix.columns);
  if (storage == 0) read_dense(words, matrix);
  if (storage == 1) read_blocks(words, matrix);
  if (storage == 2) read_csparse(words, matrix);
  return matrix;
}

SparseMatrix listed(const Entries& matrix, const char* name, FclibFile& file) {
  return listed_matrix(name, matrix.rows, matrix.columns, matrix.list, matrix.stored, file);
}

Vector read_vector(Words& words, const char* name, Index size) {
  words.begin(name);
  Vector values(size);
  for (Index i = 0; i < size; ++i) values[i] = words.real(i);
  return values;
}

Vector read_coefficients(Words& words, const char* name, const FclibFile& file) {
  words.begin(name);
  Vector values(file.contacts);
  for (Index i = 0; i < file.contacts; ++i)
    if (values[i] = words.real(i); values[i] < 0.0) words.fail(fmt::format("entry {} of {}, a number >= 0", i, name));
  return values;
}

/// Whether coefficients of rolling follow those of sliding. Contacts of three rows are in the plane then; a single 0 or 1 is
/// the mark of an older version.
bool rolls(Words words, const FclibFile& file) {
  if (file.spacedim != 3) return file.spacedim == 5;
  const Index left = words.words_left();
  const std::string_view first = words.next();
  return file.contacts > 0 && left >= file.contacts && !(left == 1 && (first == "0" || first == "1"));
}

/// The friction coefficients, with which the file ends. They tell the form of contacts of three rows.
FclibFriction read_friction(Words& words, FclibFile& file) {
  FclibFriction friction;
  friction.sliding = read_coefficients(words, "mu", file);
  if (rolls(words, file)) {
    friction.rolling = read_coefficients(words, "mu_r", file);
    file.form = is_global(file.form) ? FclibForm::global_rolling : FclibForm::local_rolling;
  }
  if (words.bytes_left() == 0) file.remarks.emplace_back("ends without a line break: its last number may be cut off");
  const std::string_view mark = words.next();  // of older versions
  if (mark == "0" || mark == "1") words.next();
  if (!words.word().empty()) words.fail("the end of the file");
  set_friction_range(friction, file);
  return friction;
}

/// Whether a matrix of this size follows.
bool matrix_follows(Words words, Index rows, Index columns) {
  const std::string_view storage = words.next();
  return (storage == "0" || storage == "1" || storage == "2") && words.next() == std::to_string(rows) &&
         words.next() == std::to_string(columns);
}

}  // namespace

FclibFile read_siconos(const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) throw InputError(path.string(), "", "no such file");
  const bool regular = std::filesystem::is_regular_file(path, missing);
  const std::optional<std::string> text = regular ? read_file(path) : std::nullopt;
  if (!text) throw InputError(path.string(), "", "cannot be read, expected a text file of Siconos");
  if (is_lfs_pointer(*text)) throw lfs_pointer(path);
  FclibFile file;
  file.path = path;
  Words words(path.string(), *text);
  const std::string_view spacedim = words.next();
  if (spacedim != "2" && spacedim != "3" && spacedim != "5")
    words.fail("2 or 3 rows of a contact, or 5 with rolling friction");
  file.spacedim = spacedim == "2" ? 2 : spacedim == "3" ? 3 : 5;
  words.begin("the file");
  file.contacts = words.integer("number of contacts", 0, words.bytes_left());
  file.m = file.contacts * file.spacedim;

  const Entries first = read_matrix(words, "the first matrix", -1, -1);
  if (first.rows == file.m && !matrix_follows(words, first.rows, file.m)) {
    Vector q = read_vector(words, "q", file.m);
    const FclibFriction friction = read_friction(words, file);
    build_local(completed_matrix(listed(first, "W", file), "W", file), std::move(q), friction, "", file);
    return file;
  }
  file.form = FclibForm::global;
  file.n = first.rows;
  const Entries second = read_matrix(words, "H", file.n, file.m);
  Vector f = read_vector(words, "f", file.n), w = read_vector(words, "w", file.m);
  const FclibFriction friction = read_friction(words, file);
  SparseMatrix M = symmetric_mass(completed_matrix(listed(first, "M", file), "M", file), file);
  build_global(std::move(M), std::move(f), listed(second, "H", file), std::move(w), friction, "", file);
  return file;
}

}  // namespace ccp
