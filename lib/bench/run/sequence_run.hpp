#pragma once

#include <filesystem>
#include <optional>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/run/step_counter.hpp"
#include "bench/run/worker.hpp"

namespace ccp {

/// The work of a worker for a cell with a sequence: solves its steps one after the other and writes steps.csv, the traces
/// asked for, trace.<step>.csv, and then cell.json into `folder`. Goes on where an earlier worker was killed, from the mark
/// it has left there. tape: folder of the tape; of an own trajectory it is not read. A repeat of pass 2 replays each step of
/// steps.csv. As run_cell() otherwise.
int run_sequence(const Cell& cell, const Catalog& catalog, const std::filesystem::path& folder,
                 const std::filesystem::path& tape, StepCounter& counter, bool pin, std::optional<Repeat> repeat);

}  // namespace ccp
