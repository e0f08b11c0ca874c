#include "problem/contact_problem.hpp"

#include <stdexcept>

#include "core/stopwatch.hpp"
#include "problem/contact_problem_data.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/diagonal_blocks.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/delassus/shared_delassus.hpp"

namespace ccp {
namespace {

/// Runs `derive` and notes under `name` how long it took.
template <typename Derive>
void timed(ContactProblem::Data& data, const char* name, const Derive& derive) {
  Stopwatch watch;
  watch.start();
  derive();
  data.conversions->push_back({name, watch.seconds()});
}

}  // namespace

const std::string& ContactProblem::name() const { return data_->name; }
const ConstraintSet& ContactProblem::constraints() const { return data_->constraints; }
bool ContactProblem::given_global() const { return data_->given_global; }
Index ContactProblem::dofs() const { return given_global() ? data_->mass->size() : 0; }
double ContactProblem::mass_asymmetry() const { return data_->mass_asymmetry; }
double ContactProblem::symmetry_defect() const { return data_->symmetry_defect; }
const Subsystems* ContactProblem::subsystems() const { return data_->subsystems ? &*data_->subsystems : nullptr; }
const Share* ContactProblem::share() const { return data_->shared ? data_->shared->share.get() : nullptr; }
const Vector& ContactProblem::impulse_shift() const { return data_->impulse_shift; }

Vector ContactProblem::row_lengths() const {
  const ConstraintSet& set = constraints();
  if (!set.has_moments()) return {};
  Vector lengths = Vector::Ones(set.rows());
  for (Index i = 0; i < set.count(); ++i)
    if (const BlockShape shape = block_shape(set.kind(i)); shape.rollings + shape.spins > 0)
      lengths.segment(set.offset(i) + 1 + shape.tangents, shape.rollings + shape.spins).setConstant(set.moments(i).length);
  return lengths;
}

Vector ContactProblem::own_impulse(Vector given) const {
  if (constraints().has_moments()) given = given.cwiseQuotient(row_lengths());
  if (impulse_shift().size() > 0) given += impulse_shift();
  return given;
}

Vector ContactProblem::given_impulse(Vector own) const {
  if (impulse_shift().size() > 0) own -= impulse_shift();
  if (constraints().has_moments()) own = own.cwiseProduct(row_lengths());
  return own;
}

std::vector<Conversion> ContactProblem::conversions() const { return *data_->conversions; }

const GlobalForm& ContactProblem::global() const {
  if (!data_->global)
    timed(*data_, "local to global", [&] { data_->global = global_from_local(*data_->local, &data_->clipped); });
  return *data_->global;
}

double ContactProblem::clipped() const {
  global();
  return data_->clipped;
}

const MassMatrix& ContactProblem::mass() const {
  const GlobalForm& form = global();
  if (!data_->mass) timed(*data_, "inverse of H", [&] { data_->mass = std::make_unique<MassMatrix>(form.H); });
  return *data_->mass;
}

bool ContactProblem::has_factored() const { return given_global() && mass().block_diagonal(); }

const FactoredDelassus& ContactProblem::factored() const {
  if (!has_factored()) throw std::logic_error("the factored operator needs a global form with block-diagonal H");
  if (!data_->factored)
    timed(*data_, "factored operator", [&] {
      data_->factored = std::make_unique<FactoredDelassus>(constraints(), data_->global->D, data_->global->C, mass());
    });
  return *data_->factored;
}

const DelassusOperator& ContactProblem::shared() const {
  if (!data_->shared) throw std::logic_error("the shared operator needs a share of a problem");
  return *data_->shared->delassus;
}

const std::vector<BlockSquare>& ContactProblem::diagonal_blocks() const {
  if (data_->diagonal_blocks) return *data_->diagonal_blocks;
  if (operator_form(*this, OperatorUse::diagonal) == OperatorForm::solved) {
    const MassMatrix& inverse = mass();
    timed(*data_, "diagonal blocks",
          [&] { data_->diagonal_blocks = delassus_diagonal_blocks(constraints(), *data_->global, inverse); });
    return *data_->diagonal_blocks;
  }
  const DelassusOperator& N = delassus_operator(*this, OperatorUse::diagonal);
  std::vector<BlockSquare> blocks;
  for (Index i = 0; i < constraints().count(); ++i) blocks.push_back(N.diagonal_block(i));
  return data_->diagonal_blocks.emplace(std::move(blocks));
}

const SolvedDelassus& ContactProblem::solved() const {
  if (!given_global()) throw std::logic_error("the operator by solves needs a global form");
  if (!data_->solved)
    data_->solved =
        std::make_unique<SolvedDelassus>(constraints(), data_->global->D, data_->global->C, mass(), diagonal_blocks());
  return *data_->solved;
}

const Vector& ContactProblem::free_velocity() const {
  if (!given_global()) return data_->local->r;
  if (!data_->free_velocity) {
    const MassMatrix& inverse = mass();
    timed(*data_, "free velocity", [&] { data_->free_velocity = ccp::free_velocity(*data_->global, inverse); });
  }
  return *data_->free_velocity;
}

void ContactProblem::local_velocity(const Vector& impulse, Vector& body_scratch, Vector& u) const {
  u.resize(rows());
  if (!given_global()) {
    u = data_->local->r;
    u.noalias() += data_->local->N * impulse;
    return;
  }
  const GlobalForm& form = *data_->global;
  if (data_->shared) {
    data_->shared->delassus->local_velocity(impulse, form.b, u);
    return;
  }
  body_scratch = form.k;
  body_scratch.noalias() += form.D * impulse;
  mass().solve(body_scratch, body_scratch);
  u = form.b;
  u.noalias() += form.D.transpose() * body_scratch;
  if (form.C.nonZeros() > 0) u.noalias() += form.C * impulse;
}

const LocalForm& ContactProblem::local() const {
  if (!data_->local) {
    const Vector& r = free_velocity();
    timed(*data_, "global to local", [&] {
      data_->local = LocalForm{assemble_delassus(constraints(), *data_->global, *data_->mass), r};
    });
  }
  return *data_->local;
}

const AssembledDelassus& ContactProblem::assembled() const {
  if (!data_->assembled) {
    const LocalForm& form = local();
    timed(*data_, "block-CSR operator",
          [&] { data_->assembled = std::make_unique<AssembledDelassus>(constraints(), form.N); });
  }
  return *data_->assembled;
}

ContactProblem ContactProblem::symmetrised() const {
  if (symmetry_defect() == 0.0) return *this;
  if (!data_->symmetrised) {
    auto data = std::make_shared<Data>();
    data->name = data_->name;
    data->constraints = data_->constraints;
    data->impulse_shift = data_->impulse_shift;
    data->conversions = data_->conversions;
    const SparseMatrix& N = data_->local->N;
    timed(*data_, "symmetric part of N", [&] {
      data->local = LocalForm{SparseMatrix(0.5 * (N + SparseMatrix(N.transpose()))), data_->local->r};
    });
    data_->symmetrised = std::move(data);
  }
  return ContactProblem(data_->symmetrised);
}

}  // namespace ccp
