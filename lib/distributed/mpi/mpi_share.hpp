#pragma once

#include <mpi.h>
#include <petscsf.h>

#include "distributed/part.hpp"
#include "problem/share.hpp"

namespace ccp {

/// Throws std::runtime_error where a call of PETSc has failed.
void check_petsc(PetscErrorCode error);

/// A share whose ranks are those of a communicator. Impulses travel by PetscSF, from the rank of a block to those that have
/// it as a foreign one.
class MpiShare final : public Share {
 public:
  /// All ranks together.
  MpiShare(const RankPart& part, MPI_Comm ranks);
  ~MpiShare() override;

  void gather(std::span<double> values) const override;
  double of_first(double value) const override;
  void extend(ConstVectorRef own, Vector& all) const override;

 private:
  MPI_Comm ranks_;
  PetscSF exchange_ = nullptr;
  Index rows_before_, own_rows_, all_rows_;
  std::int64_t messages_ = 0, bytes_ = 0;  ///< of an exchange, from here
};

}  // namespace ccp
