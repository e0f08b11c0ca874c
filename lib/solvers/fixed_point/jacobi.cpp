#include <memory>
#include <vector>

#include "cones/product_cone.hpp"
#include "kernels/kernels.hpp"
#include "problem/block_scale.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct JacobiSettings {
  double omega = 0.3;
  double lambda = 0.9;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

class JacobiSession final : public Session {
 public:
  JacobiSession(const JacobiSettings& settings, const ContactProblem& problem, Model, Monitor&)
      : settings_(settings),
        problem_(problem),
        N_(delassus_operator(problem, OperatorUse::products, settings.form)),
        pass_(problem_),
        product_(N_.split_product()),
        next_product_(N_.split_product()) {
    problem.free_velocity();  // formed here, where set-up is timed
    for (Index i = 0; i < blocks().count(); ++i)
      step_.push_back(settings.omega * block_step(block_trace(N_.diagonal_block(i)), blocks().rows(i)));
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const Vector r = problem_.free_velocity() + shift;
    Vector gamma = start.impulse.size() > 0 ? start.impulse : Vector::Zero(r.size());
    Vector next(gamma.size());
    FixedPointColumns native;
    bool converged = false;
    product_->begin(gamma, monitor.threads());
    while (monitor.go_on({gamma, nullptr, native.values(), converged})) {
      const Largest largest = sweep(r, gamma, next, monitor);
      gamma.swap(next);
      native.impulse_change = largest.change;
      converged = largest.change <= settings_.native_tolerance * largest.impulse;
    }
    return {gamma, {}, 0.0, std::nullopt, ""};
  }

 private:
  /// next <- λ Π(γ − ω η (N γ + r)) + (1 − λ) γ (E.1), in one pass between the product with γ and that with next.
  Largest sweep(const Vector& r, const Vector& gamma, Vector& next, Monitor& monitor) {
    const auto update = [&](Index begin, Index end) {
      const Index first = blocks().offset(begin), rows = blocks().offsets()[uz(end)] - first;
      const double* old = gamma.data() + first;
      double* part = next.data() + first;  // N γ before
      double moved[most_rows * BlockPass::chunk];
      loops_.step(rows_of(blocks(), begin, end), {old, part, r.data() + first, step_.data() + begin, moved});
      project_blocks(blocks(), begin, end, moved, part);
      const Largest largest = loops_.average(rows, settings_.lambda, old, part);
      return BlockPass::Sums<2>{largest.change, largest.impulse};
    };
    const auto [change, impulse] = pass_.run_between<2, Maximum>(monitor.threads(), UsedProduct{*product_, gamma, next},
                                                                 update, MadeProduct{*next_product_, next});
    product_.swap(next_product_);
    ++monitor.counters().products;
    ++monitor.counters().projections;
    return {change, impulse};
  }

  const ConstraintSet& blocks() const { return N_.constraints(); }

  JacobiSettings settings_;
  ContactProblem problem_;
  const DelassusOperator& N_;
  BlockPass pass_;
  std::unique_ptr<SplitProduct> product_, next_product_;  ///< N γ, N next
  std::vector<double> step_;                              ///< ω η_i
  const JacobiLoops& loops_ = kernels().jacobi;
};

class ProjectedJacobi final : public OperatorMethod<JacobiSettings, JacobiSession> {
 public:
  ProjectedJacobi()
      : OperatorMethod({"jacobi",
                        "Projected Jacobi fixed point",
                        "Anitescu and Tasora 2010; comparator of Tasora et al. 2021",
                        {Model::ccp},
                        FixedPointColumns().columns(),
                        false,
                        false,
                        true}) {
    fields_
        .add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = rows(i)/tr(N_ii)",
             "Anitescu and Tasora 2010; no paper of the suite gives a value: ours")
        .add("lambda", &settings_.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses",
             "Anitescu and Tasora 2010; no paper of the suite gives a value: ours")
        .add("native_tolerance", &settings_.native_tolerance, Range::non_negative(), "",
             "native criterion: max|Δγ| <= native_tolerance · max|γ|", "ours");
    add_operator_field(fields_, settings_.form);
  }
};

}  // namespace

std::unique_ptr<Solver> make_jacobi() { return std::make_unique<ProjectedJacobi>(); }

}  // namespace ccp
