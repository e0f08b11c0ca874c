#pragma once

#include <string>

#include "io/fclib_reader.hpp"

/// The common part of FCLib files and text files of Siconos. Private to lib/io.
namespace ccp {

/// Coefficients of the contacts of a file, one each. rolling, spinning: m, empty where the form has none; length: ℓ of (A.7)
/// where the coefficients give none, m, empty for 1 m.
struct FclibFriction {
  Vector sliding, rolling, spinning, length;
};

/// Sets friction_min and friction_max, and those of rolling friction.
void set_friction_range(const FclibFriction& friction, FclibFile& file);

/// M without the rounding that some programs leave between its triangles, with the remarks of read_fclib().
SparseMatrix symmetric_mass(SparseMatrix M, FclibFile& file);

/// Set file.problem: contacts of file.spacedim rows with these friction coefficients, then file.p bilateral rows. What the
/// problem is refused for is said of `place` in the file.
void build_local(SparseMatrix N, Vector r, const FclibFriction& friction, const std::string& place, FclibFile& file);
void build_global(SparseMatrix M, Vector k, SparseMatrix D, Vector b, const FclibFriction& friction,
                  const std::string& place, FclibFile& file);

}  // namespace ccp
