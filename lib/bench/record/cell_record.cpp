#include "bench/record/cell_record.hpp"

#include <limits>
#include <utility>

namespace ccp {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

CellRecord::CellRecord() : setup_s(unknown), solve_s(unknown), wall_s(unknown), peak_memory_mb(unknown) {
  measures.fill(unknown);
}

void CellRecord::take(Result&& result) {
  status = result.status;
  reason = std::move(result.reason);
  iterations = result.iterations;
  native_converged = result.native_converged;
  counters = result.counters;
  verdict = result.verdict;
  measures = result.measures;
  crossings = result.crossings;
  notes = std::move(result.notes);
}

std::string decade_name(int decade) { return "1e-" + std::to_string(decade); }

}  // namespace ccp
