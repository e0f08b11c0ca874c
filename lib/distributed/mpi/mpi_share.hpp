#pragma once

#include <mpi.h>
#include <petscsf.h>

#include <array>
#include <functional>
#include <vector>

#include "distributed/part.hpp"
#include "problem/sweep_groups.hpp"

namespace ccp {

/// Throws std::runtime_error where a call of PETSc has failed.
void check_petsc(PetscErrorCode error);

/// A share whose ranks are those of a communicator. Impulses travel by PetscSF, from the rank of a block to those that have
/// it as a foreign one.
class MpiShare final : public SweepShare {
 public:
  /// All ranks together.
  MpiShare(const RankPart& part, MPI_Comm ranks);
  ~MpiShare() override;

  void gather(std::span<double> values) const override;
  double of_first(double value) const override;
  void extend(ConstVectorRef own, Vector& all) const override;
  std::pair<Index, Index> own_velocities() const override { return own_velocities_; }
  std::unique_ptr<LinearSolver> summed_solver(MatrixKind kind) const override;
  void prepare(SweepUnit unit) const override;
  void extend(SweepUnit unit, int colour, ConstVectorRef own, Vector& all) const override;

 private:
  struct Exchange {
    PetscSF graph = nullptr;
    std::int64_t messages = 0, bytes = 0;  ///< from here
  };
  /// Of the foreign rows, numbered before and behind the own ones, that are wanted.
  Exchange make_exchange(const std::function<bool(std::size_t)>& wanted) const;
  void run(const Exchange& exchange, ConstVectorRef own, Vector& all) const;

  MPI_Comm ranks_;
  Index rows_before_, own_rows_, all_rows_;
  std::vector<int> foreign_rank_, foreign_row_;
  std::pair<Index, Index> own_velocities_;
  std::vector<Index> body_start_;  ///< RankPart
  std::vector<int> body_rank_, body_place_;
  Index velocities_;
  std::array<std::vector<int>, 2> foreign_colour_;           ///< of each unit
  Exchange exchange_;                                        ///< of all
  mutable std::array<std::vector<Exchange>, 2> of_colours_;  ///< of each colour of each unit, once prepared
};

}  // namespace ccp
