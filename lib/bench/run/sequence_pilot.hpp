#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"

namespace ccp {

/// What a look at steps of sequences says of the time of their cells, s.
struct SequencePilot {
  std::map<std::size_t, double> cells;  ///< wall time by index in the plan, without tapes; those missing were not looked at
  double drive_s = 0.0;                 ///< of making the tapes that are not there yet
  std::int64_t looked_steps = 0;        ///< steps that were solved or are known from a run that was broken off
  double reach = 1.0;                   ///< the share of its sequence up to which the least known one is known
};

/// Looks at cells with sequences, in workers, for `budget_s` in all, and then stops. Where a tape is there, each solver
/// solves steps spread along it; else the driver moves the scene from its start as far as it comes, and they solve steps of
/// that way. On a trajectory of its own a solver begins to run it. A run that was broken off tells what its steps took.
/// StepCosts makes of these what all steps take; it knows nothing of what happens where the look does not reach. The time is
/// that of the processor, where a method computes in this program, so that other programs on the machine do not count. Of
/// many problems some are looked at, and stand for others by the mean of a step of the same solver: the fewer, the shorter the
/// way to which a look comes. folder: of the results, which need not exist. Writes no file.
SequencePilot look_at_sequences(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog,
                                const std::filesystem::path& folder, double budget_s);

/// What a look at one of several sequences gets, s, after `look_s` came to the share `reach` of one: enough to come to a quarter,
/// at most a fifth of the budget. Bodies that still fall tell little of a heap.
double deeper_look_s(double look_s, double reach, double budget_s);

}  // namespace ccp
