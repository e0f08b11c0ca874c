#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene_in_parts.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Most processes of one problem: each has a cell (share.hpp).
constexpr int most_ranks = 64;

/// Of the option --hosts.
constexpr const char* hosts_help =
    "where ranks run, this machine first: NODE:SLOTS,... or a host file of Open MPI (default: CCPBENCH_HOSTS, else this "
    "machine or the allocation of Slurm)";

/// A method on several processes: `mpiexec` starts ccpbench-ranks, which takes the problem, judges its own iterates and
/// sends rows of the trace; the point that it returns is judged here, as that of any method. The clock is that of the first
/// rank; it counts cutting the problem and forming operators there as set-up (the longest of a rank), not the start of the
/// processes and the transfer of the problem. `solver` keeps its name, settings and columns. What goes wrong with a process
/// ends the run with a status and a reason, and leaves none behind.
///
/// origin: of all problems that the method gets; each rank then makes its own part. Without one the first rank takes the
/// whole problem and cuts it, which is unsupported above most_handed_over contacts.
///
/// they_judge: the ranks judge the returned point, too, so that the problem may be without_blocks(): by all measures but
/// rounding_floor, distance, merit and momentum_residual, with a bound of the rounding floor, and without a search for a
/// proof that there is no solution. For a rigid problem without moments, a symmetric H, and a stop measure that is the
/// velocity residual or the relative one.
std::unique_ptr<Solver> on_ranks(std::unique_ptr<Solver> solver, int ranks, std::optional<SceneOrigin> origin = {},
                                 bool they_judge = false);

/// A problem that only has a name, in the place of one that the ranks judge.
ContactProblem without_blocks(const std::string& name);

}  // namespace ccp
