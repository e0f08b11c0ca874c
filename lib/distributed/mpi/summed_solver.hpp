#pragma once

#include <mpi.h>
#include <petscmat.h>
#include <petscsf.h>

#include <vector>

#include "linalg/linear_solver.hpp"

namespace ccp {

/// The solver of Share::summed_solver(): MUMPS over all ranks, through PETSc, with its factor distributed. The sums of terms
/// are formed by PETSc. Rounding depends on the number of ranks, and may differ from run to run.
class SummedSolver final : public LinearSolver {
 public:
  /// owner: of each velocity of the part, and its place among those of the owner; rank −1: none.
  SummedSolver(MatrixKind kind, std::vector<PetscSFNode> owner, Index own_velocities, MPI_Comm ranks);
  ~SummedSolver() override;

  bool everywhere(bool here) const override;

 private:
  LinearStatus do_analyze(const SparseMatrix& pattern) override;
  LinearStatus do_factorize(const SparseMatrix& matrix) override;
  LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) override;

  void number_unknowns(Index count);
  void make_factor();
  void release_factor();
  PetscInt infog(PetscInt number) const;
  LinearStatus failure();

  MPI_Comm ranks_;
  std::vector<PetscSFNode> owner_;  ///< of each unknown of the part
  PetscInt own_velocities_, workspace_;
  PetscSF terms_ = nullptr;       ///< from unknowns of the part to those of their owners
  std::vector<PetscInt> number_;  ///< of each unknown of the part, over all ranks
  Mat matrix_ = nullptr, factor_ = nullptr;
  Vec rhs_ = nullptr, solution_ = nullptr;
  std::vector<double> values_;  ///< of the lower triangle
};

}  // namespace ccp
