#include "distributed/mpi/mpi_share.hpp"

#include <stdexcept>
#include <string>

namespace ccp {

void check_petsc(PetscErrorCode error) {
  if (error != 0) throw std::runtime_error("PETSc failed with error " + std::to_string(static_cast<int>(error)));
}

MpiShare::MpiShare(const RankPart& part, MPI_Comm ranks)
    : Share(block_chunks(part), root_chunks(part), part.first_row, part.rows, part.contacts),
      ranks_(ranks),
      rows_before_(part.before.rows()),
      own_rows_(part.own.rows()),
      all_rows_(rows_before_ + own_rows_ + part.after.rows()) {
  std::vector<PetscInt> place;
  std::vector<PetscSFNode> source;
  for (std::size_t i = 0; i < part.foreign_row.size(); ++i) {
    const auto row = static_cast<Index>(i);
    place.push_back(static_cast<PetscInt>(row < rows_before_ ? row : row + own_rows_));
    source.push_back({part.foreign_rank[i], part.foreign_row[i]});
  }
  check_petsc(PetscSFCreate(ranks_, &exchange_));
  check_petsc(PetscSFSetGraph(exchange_, static_cast<PetscInt>(own_rows_), static_cast<PetscInt>(place.size()), place.data(),
                              PETSC_COPY_VALUES, source.data(), PETSC_COPY_VALUES));
  check_petsc(PetscSFSetUp(exchange_));
  PetscInt receivers = 0;
  const PetscMPIInt* receiver = nullptr;
  const PetscInt *start = nullptr, *rows = nullptr;
  check_petsc(PetscSFGetLeafRanks(exchange_, &receivers, &receiver, &start, &rows));
  int me = 0;
  MPI_Comm_rank(ranks_, &me);
  for (PetscInt i = 0; i < receivers; ++i) {
    if (receiver[i] == me || start[i + 1] == start[i]) continue;
    ++messages_;
    bytes_ += static_cast<std::int64_t>(sizeof(double)) * (start[i + 1] - start[i]);
  }
}

MpiShare::~MpiShare() { PetscSFDestroy(&exchange_); }

void MpiShare::gather(std::span<double> values) const {
  // Each value has one rank that gives it, and zero from the others: a sum that rounds nothing.
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, ranks_);
  ++traffic_.reductions;
}

double MpiShare::of_first(double value) const {
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, ranks_);
  return value;
}

void MpiShare::extend(ConstVectorRef own, Vector& all) const {
  all.resize(all_rows_);
  all.segment(rows_before_, own_rows_) = own;
  check_petsc(PetscSFBcastBegin(exchange_, MPI_DOUBLE, own.data(), all.data(), MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(exchange_, MPI_DOUBLE, own.data(), all.data(), MPI_REPLACE));
  traffic_.messages += messages_;
  traffic_.bytes += bytes_;
  ++traffic_.exchanges;
}

}  // namespace ccp
