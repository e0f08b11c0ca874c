#include "core/status.hpp"

#include <array>

namespace ccp {
namespace {

struct Entry {
  Status status;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Entry, static_cast<std::size_t>(Status::interrupted) + 1> table{{
    {Status::solved, "solved", "the stop measure of the returned point is within the tolerance"},
    {Status::below_rounding, "below_rounding", "the tolerance is below what rounding allows, and the point is at that limit"},
    {Status::iteration_limit, "iteration_limit", "the iteration limit was reached first"},
    {Status::time_limit, "time_limit", "the time limit was reached first"},
    {Status::infeasible, "infeasible", "the problem has no solution: a certificate is verified"},
    {Status::stalled, "stalled", "the iterate does not improve any more"},
    {Status::diverged, "diverged", "the iterate became infinite or not a number, or grew without bound"},
    {Status::false_converged, "false_converged", "the solver says converged, the measure says no"},
    {Status::failed, "failed", "the solver gave up"},
    {Status::crashed, "crashed", "the worker process died"},
    {Status::out_of_memory, "out_of_memory", "the memory limit was reached"},
    {Status::unsupported, "unsupported", "the solver cannot take this problem (no failure)"},
    {Status::interrupted, "interrupted", "stopped by the user"},
}};

}  // namespace

std::string_view status_name(Status status) { return table[static_cast<std::size_t>(status)].name; }

std::string_view status_meaning(Status status) { return table[static_cast<std::size_t>(status)].meaning; }

std::optional<Status> status_from_name(std::string_view name) {
  for (const Entry& entry : table)
    if (entry.name == name) return entry.status;
  return std::nullopt;
}

const std::vector<Status>& all_statuses() {
  static const std::vector<Status> all = [] {
    std::vector<Status> list;
    list.reserve(table.size());
    for (const Entry& entry : table) list.push_back(entry.status);
    return list;
  }();
  return all;
}

}  // namespace ccp
