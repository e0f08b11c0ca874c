#include "solvers/fixed_point/projected_jacobi.hpp"

#include "core/parallel.hpp"
#include "solvers/fixed_point/fixed_point_method.hpp"
#include "solvers/fixed_point/jacobi_loop.hpp"

namespace ccp {
namespace {

static_assert(span_size % jacobi_chunk == 0);

struct JacobiSettings {
  double omega = 0.3;
  double lambda = 0.9;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

class JacobiSession final : public FixedPointSession {
 public:
  JacobiSession(const JacobiSettings& settings, const ContactProblem& problem)
      : FixedPointSession(problem, settings.form),
        settings_(settings),
        largest_(static_cast<std::size_t>((blocks().count() + jacobi_chunk - 1) / jacobi_chunk)) {
    for (Index i = 0; i < blocks().count(); ++i) {
      const double trace = N_.diagonal_block(i).trace();
      step_.push_back(settings.omega * (trace > 0.0 ? static_cast<double>(blocks().rows(i)) / trace : 1.0));
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const Vector r = shifted_velocity(shift);
    Vector gamma = start.impulse.size() > 0 ? start.impulse : Vector::Zero(r.size());
    Vector next(gamma.size());
    std::vector<double> native{0.0};
    bool converged = false;
    Vector half(N_.half_size()), next_half(half.size());
    N_.start_product(gamma, half, monitor.threads());
    while (monitor.go_on({gamma, nullptr, native, converged})) {
      const Largest largest = update_all(r, gamma, next, half, next_half, monitor.threads());
      gamma.swap(next);
      half.swap(next_half);
      native[0] = largest.change;
      converged = largest.change <= settings_.native_tolerance * largest.impulse;
      ++monitor.counters().products;
      ++monitor.counters().projections;
    }
    return {gamma, {}, 0.0, std::nullopt, ""};
  }

 private:
  /// next <- λ Π(γ − ω η u) + (1 − λ) γ with u = N γ + r, from the first half of N γ, and the first half of N next. Each
  /// span of N γ is used while it is in the nearest cache, and so are the blocks of N for the next product.
  Largest update_all(const Vector& r, const Vector& gamma, Vector& next, const Vector& half, Vector& next_half,
                     int threads) {
    const Index count = blocks().count();
    const JacobiVectors at{blocks(), settings_.lambda, gamma.data(), r.data(), step_.data(), next.data()};
    const auto update_spans = [&](Index first, Index last) {
      for (Index span = first; span < last; ++span) {
        const Index end = std::min((span + 1) * span_size, count);
        N_.finish_product(span * span_size, end, half, gamma, next);
        for (Index begin = span * span_size; begin < end; begin += jacobi_chunk)
          largest_[static_cast<std::size_t>(begin / jacobi_chunk)] = update_(at, begin, std::min(begin + jacobi_chunk, end));
        if (threads == 1) N_.feed_product(span * span_size, end, next, next_half);
      }
    };
    parallel_ranges(threads, (count + span_size - 1) / span_size, update_spans, 1);
    if (threads > 1) N_.start_product(next, next_half, threads);
    Largest all;
    for (const Largest& part : largest_) all.include(part);
    return all;
  }

  JacobiSettings settings_;
  JacobiLoop update_ = jacobi_loop(widest_instruction_set());
  std::vector<double> step_;      ///< ω η_i
  std::vector<Largest> largest_;  ///< of each jacobi_chunk
};

class ProjectedJacobi final : public FixedPointSolver<JacobiSettings, JacobiSession> {
 public:
  ProjectedJacobi()
      : FixedPointSolver({"jacobi",
                          "Projected Jacobi fixed point",
                          "Tasora and Anitescu 2010; comparator of Tasora et al. 2021",
                          {Model::ccp},
                          {}}) {
    fields_
        .add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = rows(i)/tr(N_ii)",
             "Tasora and Anitescu 2010; value as in the comparison of Tasora 2021")
        .add("lambda", &settings_.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses",
             "Tasora and Anitescu 2010; value as in the comparison of Tasora 2021")
        .add("native_tolerance", &settings_.native_tolerance, Range::non_negative(), "",
             "native criterion: max|Δγ| <= native_tolerance · max|γ|", "ours");
    add_operator_field();
  }
};

}  // namespace

std::unique_ptr<Solver> make_projected_jacobi() { return std::make_unique<ProjectedJacobi>(); }

}  // namespace ccp
