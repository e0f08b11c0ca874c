#include "distributed/mpi/mpi_share.hpp"

#include <stdexcept>
#include <string>

#include "distributed/mpi/summed_solver.hpp"

namespace ccp {

void check_petsc(PetscErrorCode error) {
  if (error != 0) throw std::runtime_error("PETSc failed with error " + std::to_string(static_cast<int>(error)));
}

namespace {

/// The colour of each foreign row.
std::vector<int> row_colours(const RankPart& part, const SweepGroups& groups) {
  std::vector<int> colours;
  std::size_t block = 0;
  for (const ConstraintSet* set : {&part.before, &part.own, &part.after})
    for (Index i = 0; i < set->count(); ++i, ++block)
      if (set != &part.own) colours.insert(colours.end(), uz(set->rows(i)), groups.block_colour[block]);
  return colours;
}

}  // namespace

MpiShare::MpiShare(const RankPart& part, MPI_Comm ranks)
    : SweepShare(block_chunks(part), root_chunks(part), part.first_row, part.rows, part.contacts, part.cells, part.ranks),
      ranks_(ranks),
      rows_before_(part.before.rows()),
      own_rows_(part.own.rows()),
      all_rows_(rows_before_ + own_rows_ + part.after.rows()),
      foreign_rank_(part.foreign_rank),
      foreign_row_(part.foreign_row),
      own_velocities_(part.body_start[uz(part.first_body)], part.body_start[uz(part.first_body + part.bodies)]),
      body_start_(part.body_start),
      body_rank_(part.body_rank),
      body_place_(part.body_place),
      velocities_(part.H.rows()),
      foreign_colour_{row_colours(part, part.cells), row_colours(part, part.ranks)},
      exchange_(make_exchange([](std::size_t) { return true; })) {}

MpiShare::Exchange MpiShare::make_exchange(const std::function<bool(std::size_t)>& wanted) const {
  std::vector<PetscInt> place;
  std::vector<PetscSFNode> source;
  for (std::size_t i = 0; i < foreign_row_.size(); ++i) {
    if (!wanted(i)) continue;
    const auto row = static_cast<Index>(i);
    place.push_back(static_cast<PetscInt>(row < rows_before_ ? row : row + own_rows_));
    source.push_back({foreign_rank_[i], foreign_row_[i]});
  }
  Exchange exchange;
  check_petsc(PetscSFCreate(ranks_, &exchange.graph));
  check_petsc(PetscSFSetGraph(exchange.graph, static_cast<PetscInt>(own_rows_), static_cast<PetscInt>(place.size()),
                              place.data(), PETSC_COPY_VALUES, source.data(), PETSC_COPY_VALUES));
  check_petsc(PetscSFSetUp(exchange.graph));
  PetscInt receivers = 0;
  const PetscMPIInt* receiver = nullptr;
  const PetscInt *start = nullptr, *rows = nullptr;
  check_petsc(PetscSFGetLeafRanks(exchange.graph, &receivers, &receiver, &start, &rows));
  int me = 0;
  MPI_Comm_rank(ranks_, &me);
  for (PetscInt i = 0; i < receivers; ++i) {
    if (receiver[i] == me || start[i + 1] == start[i]) continue;
    ++exchange.messages;
    exchange.bytes += static_cast<std::int64_t>(sizeof(double)) * (start[i + 1] - start[i]);
  }
  return exchange;
}

MpiShare::~MpiShare() {
  PetscSFDestroy(&exchange_.graph);
  for (auto& exchanges : of_colours_)
    for (Exchange& exchange : exchanges) PetscSFDestroy(&exchange.graph);
}

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
  run(exchange_, own, all);
}

std::unique_ptr<LinearSolver> MpiShare::summed_solver(MatrixKind kind) const {
  int definite = kind == MatrixKind::spd ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &definite, 1, MPI_INT, MPI_LAND, ranks_);
  std::vector<PetscSFNode> owner;  // of each velocity of the part; rank −1: one without a body
  for (std::size_t b = 0; b < body_rank_.size(); ++b)
    for (Index c = 0; c < body_start_[b + 1] - body_start_[b]; ++c)
      owner.push_back({body_rank_[b], static_cast<PetscInt>(body_place_[b] + c)});
  owner.resize(uz(velocities_), {-1, -1});
  return std::make_unique<SummedSolver>(definite != 0 ? MatrixKind::spd : MatrixKind::quasi_definite, std::move(owner),
                                        own_velocities_.second - own_velocities_.first, ranks_);
}

void MpiShare::prepare(SweepUnit unit) const {
  const auto u = static_cast<std::size_t>(unit);
  while (std::ssize(of_colours_[u]) < groups(unit).colours)
    of_colours_[u].push_back(make_exchange([this, u, colour = static_cast<int>(of_colours_[u].size())](std::size_t i) {
      return foreign_colour_[u][i] == colour;
    }));
}

void MpiShare::extend(SweepUnit unit, int colour, ConstVectorRef own, Vector& all) const {
  run(of_colours_[static_cast<std::size_t>(unit)][uz(colour)], own, all);
}

void MpiShare::run(const Exchange& exchange, ConstVectorRef own, Vector& all) const {
  all.segment(rows_before_, own_rows_) = own;
  check_petsc(PetscSFBcastBegin(exchange.graph, MPI_DOUBLE, own.data(), all.data(), MPI_REPLACE));
  check_petsc(PetscSFBcastEnd(exchange.graph, MPI_DOUBLE, own.data(), all.data(), MPI_REPLACE));
  traffic_.messages += exchange.messages;
  traffic_.bytes += exchange.bytes;
  ++traffic_.exchanges;
}

}  // namespace ccp
