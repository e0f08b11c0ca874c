#include "distributed/mpi/graph_cut.hpp"

#include <petscmat.h>

#include <algorithm>

#include "distributed/mpi/mpi_share.hpp"

namespace ccp {
namespace {

/// A copy that PETSc frees.
PetscInt* handed_over(const std::vector<int>& list) {
  PetscInt* copy = nullptr;
  check_petsc(PetscMalloc1(list.size() + 1, &copy));
  std::copy(list.begin(), list.end(), copy);
  return copy;
}

}  // namespace

std::vector<int> cut_graph(const BodyGraph& graph) {
  const auto bodies = static_cast<PetscInt>(graph.weight.size());
  Mat adjacency = nullptr;
  check_petsc(MatCreateMPIAdj(PETSC_COMM_SELF, bodies, bodies, handed_over(graph.start), handed_over(graph.neighbour),
                              nullptr, &adjacency));
  MatPartitioning partitioning = nullptr;
  check_petsc(MatPartitioningCreate(PETSC_COMM_SELF, &partitioning));
  check_petsc(MatPartitioningSetAdjacency(partitioning, adjacency));
  check_petsc(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
  check_petsc(MatPartitioningSetNParts(partitioning, static_cast<PetscInt>(cell_count)));
  check_petsc(MatPartitioningSetVertexWeights(partitioning, handed_over(graph.weight)));
  IS parts = nullptr;
  check_petsc(MatPartitioningApply(partitioning, &parts));
  const PetscInt* part = nullptr;
  check_petsc(ISGetIndices(parts, &part));
  const std::vector<int> cells(part, part + bodies);
  check_petsc(ISRestoreIndices(parts, &part));
  check_petsc(ISDestroy(&parts));
  check_petsc(MatPartitioningDestroy(&partitioning));
  check_petsc(MatDestroy(&adjacency));
  return cells;
}

}  // namespace ccp
