#pragma once

#include <vector>

#include "distributed/cells.hpp"

namespace ccp {

/// The cells of the bodies by PT-Scotch on one process, through MatPartitioning of PETSc: the same for the same graph, where
/// SCOTCH_PTHREAD_NUMBER is 1.
std::vector<int> cut_graph(const BodyGraph& graph);

}  // namespace ccp
