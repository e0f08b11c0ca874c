#include "distributed/mpi/summed_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "distributed/mpi/mpi_share.hpp"
#include "linalg/direct/mumps_workspace.hpp"

namespace ccp {

SummedSolver::SummedSolver(MatrixKind kind, std::vector<PetscSFNode> owner, Index own_velocities, MPI_Comm ranks)
    : LinearSolver("mumps", kind),
      ranks_(ranks),
      owner_(std::move(owner)),
      own_velocities_(static_cast<PetscInt>(own_velocities)),
      workspace_(linalg::workspace_start) {}

SummedSolver::~SummedSolver() {
  release_factor();
  MatDestroy(&matrix_);
  VecDestroy(&rhs_);
  VecDestroy(&solution_);
  PetscSFDestroy(&terms_);
}

bool SummedSolver::everywhere(bool here) const {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, ranks_);
  return all != 0;
}

/// Those of a rank follow each other: its own velocities, then its other unknowns.
void SummedSolver::number_unknowns(Index count) {
  int me = 0;
  MPI_Comm_rank(ranks_, &me);
  const auto velocities = std::ssize(owner_);
  for (Index i = velocities; i < count; ++i) owner_.push_back({me, own_velocities_ + static_cast<PetscInt>(i - velocities)});
  const PetscInt own = own_velocities_ + static_cast<PetscInt>(count - velocities);
  check_petsc(VecCreateMPI(ranks_, own, PETSC_DETERMINE, &rhs_));
  check_petsc(VecDuplicate(rhs_, &solution_));
  const PetscInt* first = nullptr;
  check_petsc(VecGetOwnershipRanges(rhs_, &first));
  std::vector<PetscInt> place;
  std::vector<PetscSFNode> source;
  for (Index i = 0; i < count; ++i) {
    const PetscSFNode& owner = owner_[uz(i)];
    number_.push_back(owner.rank < 0 ? -1 : first[owner.rank] + owner.index);
    if (owner.rank < 0) continue;
    place.push_back(static_cast<PetscInt>(i));
    source.push_back(owner);
  }
  check_petsc(PetscSFCreate(ranks_, &terms_));
  check_petsc(PetscSFSetGraph(terms_, own, static_cast<PetscInt>(place.size()), place.data(), PETSC_COPY_VALUES,
                              source.data(), PETSC_COPY_VALUES));
  check_petsc(PetscSFSetUp(terms_));
}

LinearStatus SummedSolver::do_analyze(const SparseMatrix& pattern) {
  number_unknowns(pattern.rows());
  std::vector<PetscInt> row, column;  // of the upper triangle, which PETSc gives to MUMPS; negative ones are left out
  for (Index j = 0; j < pattern.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(pattern, j); entry; ++entry) {
      if (entry.row() < j) continue;
      const auto [least, most] = std::minmax(number_[uz(entry.row())], number_[uz(j)]);
      row.push_back(least);
      column.push_back(least < 0 ? least : most);
    }
  values_.assign(row.size(), 0.0);
  PetscInt own = 0;
  check_petsc(VecGetLocalSize(rhs_, &own));
  check_petsc(MatCreate(ranks_, &matrix_));
  check_petsc(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE));
  check_petsc(MatSetType(matrix_, MATAIJ));
  check_petsc(MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(row.size()), row.data(), column.data()));
  check_petsc(MatSetValuesCOO(matrix_, values_.data(), INSERT_VALUES));
  if (kind() == MatrixKind::spd) check_petsc(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
  make_factor();
  return LinearStatus::ok;
}

/// With the settings of the sequential one (linalg/direct/mumps.cpp).
void SummedSolver::make_factor() {
  release_factor();
  check_petsc(MatGetFactor(matrix_, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &factor_));
  check_petsc(MatMumpsSetIcntl(factor_, 8, 77));
  check_petsc(MatMumpsSetIcntl(factor_, 12, 1));
  check_petsc(MatMumpsSetIcntl(factor_, 13, 1));
  check_petsc(MatMumpsSetIcntl(factor_, 14, workspace_));
  if (kind() == MatrixKind::quasi_definite) check_petsc(MatMumpsSetCntl(factor_, 1, 0.0));
  MatFactorInfo info;
  check_petsc(MatFactorInfoInitialize(&info));
  check_petsc(MatCholeskyFactorSymbolic(factor_, matrix_, nullptr, &info));
}

void SummedSolver::release_factor() { MatDestroy(&factor_); }

PetscInt SummedSolver::infog(PetscInt number) const {
  PetscInt value = 0;
  check_petsc(MatMumpsGetInfog(factor_, number, &value));
  return value;
}

LinearStatus SummedSolver::failure() {
  const PetscInt code = infog(1);
  info_.message = fmt::format("MUMPS on ranks: {} (INFOG(1:2) = {}, {})",
                              code == -10                        ? "singular"
                              : linalg::is_workspace_error(code) ? "out of memory"
                                                                 : "error",
                              code, infog(2));
  release_factor();  // PETSc does not use it again
  return LinearStatus::recoverable;
}

LinearStatus SummedSolver::do_factorize(const SparseMatrix& matrix) {
  std::size_t next = 0;
  for (Index j = 0; j < matrix.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      if (entry.row() >= j) values_[next++] = entry.value();
  check_petsc(MatSetValuesCOO(matrix_, values_.data(), INSERT_VALUES));
  MatFactorInfo info;
  check_petsc(MatFactorInfoInitialize(&info));
  for (PetscInt attempt = 1;; ++attempt) {
    if (factor_ == nullptr) make_factor();
    if (infog(1) >= 0) check_petsc(MatCholeskyFactorNumeric(factor_, matrix_, &info));
    if (infog(1) >= 0) break;
    if (!linalg::is_workspace_error(infog(1)) || attempt == linalg::workspace_tries) return failure();
    workspace_ = linalg::grown_workspace(workspace_);
    release_factor();
  }
  // Beyond 2^31 the count comes in millions, negated.
  info_.factor_nonzeros = infog(29) >= 0 ? Index{infog(29)} : Index{-1000000} * infog(29);
  check_petsc(MatMumpsGetRinfog(factor_, 3, &info_.factorization_flops));
  info_.negative_pivots = infog(12);
  if (kind() != MatrixKind::spd || infog(12) == 0) return LinearStatus::ok;
  info_.message = fmt::format("not positive definite: {} negative pivots", infog(12));
  return LinearStatus::recoverable;
}

LinearStatus SummedSolver::do_solve(ConstVectorRef rhs, VectorRef x) {
  double* sums = nullptr;
  check_petsc(VecSet(rhs_, 0.0));
  check_petsc(VecGetArray(rhs_, &sums));
  check_petsc(PetscSFReduceBegin(terms_, MPI_DOUBLE, rhs.data(), sums, MPI_SUM));
  check_petsc(PetscSFReduceEnd(terms_, MPI_DOUBLE, rhs.data(), sums, MPI_SUM));
  check_petsc(VecRestoreArray(rhs_, &sums));
  check_petsc(MatSolve(factor_, rhs_, solution_));
  if (infog(1) < 0) return failure();
  const double* found = nullptr;
  x.setZero();
  check_petsc(VecGetArrayRead(solution_, &found));
  check_petsc(PetscSFBcastBegin(terms_, MPI_DOUBLE, found, x.data(), MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(terms_, MPI_DOUBLE, found, x.data(), MPI_REPLACE));
  check_petsc(VecRestoreArrayRead(solution_, &found));
  return LinearStatus::ok;
}

}  // namespace ccp
