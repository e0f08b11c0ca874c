#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/fclib_reader.hpp"
#include "problem/scene.hpp"

namespace ccp {

/// Tries to read a file in a process of its own: some damaged ones end whoever reads them inside the HDF5 library. Throws
/// InputError for these alone; what `read` throws is for the reading itself to say.
void try_reading(const std::string& path, const std::function<void()>& read);

/// read_fclib after try_reading.
FclibFile read_dump(const std::string& path);

/// The description, in a file, of the problem that a scene builds from a seed.
FclibInfo info_of(const Scene& scene, std::uint64_t seed);

}  // namespace ccp
