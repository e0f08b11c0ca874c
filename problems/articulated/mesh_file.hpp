#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"

namespace ccp {

/// The corners of a surface in a file: STL, binary or text, or OBJ, by its name. In the unit of the file. Throws InputError
/// for another kind of file, one that cannot be read or is damaged, and one without points.
std::vector<Vector3> read_mesh_points(const std::string& path);

/// The bytes of a file of at most 1 GB. Throws InputError.
std::string read_bytes(const std::string& path);

}  // namespace ccp
