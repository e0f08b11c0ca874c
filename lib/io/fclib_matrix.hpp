#pragma once

#include <string>

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

}  // namespace ccp
