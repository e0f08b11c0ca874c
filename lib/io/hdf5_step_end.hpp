#pragma once

#include <string>

#include "io/hdf5_group.hpp"
#include "io/hdf5_image.hpp"
#include "problem/contact_match.hpp"

/// The end of a step in HDF5 files: keys (five whole numbers a block), impulses (three numbers a block), impulse (γ),
/// carried and, of a method that keeps them, multipliers and multiplier (y). Private to lib/io.
namespace ccp::hdf5 {

/// path: of the group.
void add_step_end(Image& image, const std::string& path, const StepEnd& end);

/// Throws InputError(file, place, ...) when the group is damaged or inconsistent.
StepEnd read_step_end(const Group& group);

}  // namespace ccp::hdf5
