#pragma once

#include <filesystem>

#include "io/fclib_reader.hpp"

namespace ccp {

/// Reads a text file of Siconos, as read_fclib() does where the name ends in .dat. Words are between blanks:
///
///     rows of a contact, 2 or 3 | number of contacts | W | q | friction of each contact           local form
///     rows of a contact, 2 or 3 | number of contacts | M | H | f | w | friction of each contact   global form
///
/// and a last 0 or 1 of older versions. A matrix is its storage, rows, columns, and then
///
///     0, dense    rows | columns | entries, column by column, whatever the lines say
///     1, blocks   number | block rows | block columns | where each ends, rows then columns | how many of the next two |
///                 where each block row starts | block column of each block | of each block its number and entries,
///                 column by column
///     2, CSparse  1 (triplets), 2 (compressed columns) or 4 (triplets of one triangle) | what cs_print() writes
///
/// as NM_write_in_file(), SBM_write_in_file() and NSM_write_in_file() of Siconos 4 write them. Friction against rolling is
/// not read. Throws InputError(file, line, what was found and what was expected).
FclibFile read_siconos(const std::filesystem::path& path);

}  // namespace ccp
