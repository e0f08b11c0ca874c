#pragma once

#include <string>
#include <vector>

#include "io/fclib_reader.hpp"
#include "io/hdf5_group.hpp"

namespace ccp {

inline constexpr int compressed_columns = -1, compressed_rows = -2;  ///< nz of a matrix group; >= 0: triplets

/// A matrix group (nzmax, m, n, nz, p, i, x) of an FCLib file, in any of its three storages. Private to lib/io.
///
/// nz = −1: compressed columns, nz = −2: compressed rows, nz >= 0: nz triplets, with the row in `i` and the column in `p`,
/// as every real file has it (fclib.h says the opposite). Indices may be unsorted; entries that name the same place are
/// summed; zeros are left out. rows, columns: what the vectors of the file ask for, with `reason` naming them in messages;
/// nothing is allocated before the header agrees with them. Appends to file.matrices and file.remarks. Throws InputError for
/// anything that is missing, of a wrong size, out of range or not finite.
SparseMatrix read_fclib_matrix(const hdf5::Group& parent, const std::string& name, Index rows, Index columns,
                               const std::string& reason, FclibFile& file);

/// The matrix with these entries, none of which is zero, but for those that name a place again, which are summed with a
/// remark. storage: how the file has it. Appends to file.matrices.
SparseMatrix listed_matrix(const std::string& name, Index rows, Index columns, const std::vector<Triplet>& entries,
                           const std::string& storage, FclibFile& file);

enum class Triangle { none, upper, lower };

/// A triangle of entries (block 1) or of blocks that is there alone.
struct LoneTriangle {
  Triangle side = Triangle::none;
  Index block = 1;
};

/// The triangle of a square matrix that is there alone, of entries or else of blocks of `spacedim` rows, whose diagonal
/// blocks are then symmetric. Entries that rounding leaves, up to 1e-13 √(|a_ii a_jj|), do not count.
LoneTriangle lone_triangle(const SparseMatrix& matrix, Index spacedim);

/// A square matrix of a file, W, R or M, completed by symmetry where one triangle is there alone, which leaves a remark:
/// many programs store it so and say so nowhere. Any other matrix is returned as it is.
SparseMatrix completed_matrix(SparseMatrix matrix, const std::string& name, FclibFile& file);

}  // namespace ccp
