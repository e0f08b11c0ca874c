#pragma once

#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// Where mpiexec has started this process, or alone: times products with N of so many random contacts, on one process, on
/// one rank and on all ranks, one after the other, `repeats` times. Returns, as CSV, the medians of wall and CPU seconds,
/// those of ranks of the slowest of them, and the medians of their ratios: one rank to one process, all ranks to one. Empty
/// on all ranks but the first. Throws InputError for a number out of range, std::runtime_error where products differ.
std::string product_times(const SceneRegistry& scenes, int contacts, int repeats);

}  // namespace ccp
