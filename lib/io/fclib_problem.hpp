#pragma once

#include <string>

#include "io/fclib_reader.hpp"

/// The common part of FCLib files and text files of Siconos. Private to lib/io.
namespace ccp {

/// Sets friction_min and friction_max.
void set_friction_range(const Vector& friction, FclibFile& file);

/// M without the rounding that some programs leave between its triangles, with the remarks of read_fclib().
SparseMatrix symmetric_mass(SparseMatrix M, FclibFile& file);

/// Set file.problem: contacts of file.spacedim rows with these friction coefficients, then file.p bilateral rows. What the
/// problem is refused for is said of `place` in the file.
void build_local(SparseMatrix N, Vector r, const Vector& friction, const std::string& place, FclibFile& file);
void build_global(SparseMatrix M, Vector k, SparseMatrix D, Vector b, const Vector& friction, const std::string& place,
                  FclibFile& file);

}  // namespace ccp
