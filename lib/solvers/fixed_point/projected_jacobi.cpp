#include "solvers/fixed_point/projected_jacobi.hpp"

#include "core/parallel.hpp"
#include "solvers/fixed_point/fixed_point_method.hpp"

namespace ccp {
namespace {

constexpr Index chunk = 256;  // blocks a thread takes at a time; fixed, so that the maxima do not depend on the threads

struct JacobiSettings {
  double omega = 0.3;
  double lambda = 0.9;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

/// Largest components, N·s.
struct Largest {
  double change = 0.0, impulse = 0.0;
  void include(const Largest& other) {
    change = std::max(change, other.change);
    impulse = std::max(impulse, other.impulse);
  }
};

class JacobiSession final : public FixedPointSession {
 public:
  JacobiSession(const JacobiSettings& settings, const ContactProblem& problem)
      : FixedPointSession(problem, settings.form),
        settings_(settings),
        largest_(static_cast<std::size_t>((blocks().count() + chunk - 1) / chunk)) {
    for (Index i = 0; i < blocks().count(); ++i) {
      const double trace = N_.diagonal_block(i).trace();
      step_.push_back(settings.omega * (trace > 0.0 ? static_cast<double>(blocks().rows(i)) / trace : 1.0));
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const Vector r = shifted_velocity(shift);
    return with_delassus_rows([&](auto& rows) { return iterate(rows, r, start, monitor); });
  }

 private:
  template <typename Rows>
  Outcome iterate(Rows& rows, const Vector& r, const WarmStart& start, Monitor& monitor) {
    Vector gamma = start.impulse.size() > 0 ? start.impulse : Vector::Zero(r.size());
    Vector next(gamma.size());
    std::vector<double> native{0.0};
    bool converged = false;
    while (monitor.go_on({gamma, nullptr, native, converged})) {
      const Largest largest = update_all(rows, r, gamma, next, monitor.threads());
      gamma.swap(next);
      native[0] = largest.change;
      converged = largest.change <= settings_.native_tolerance * largest.impulse;
      ++monitor.counters().products;
      ++monitor.counters().projections;
    }
    return {gamma, {}, 0.0, std::nullopt, ""};
  }

  /// next <- λ Π(γ − ω η u) + (1 − λ) γ with u = N γ + r, chunk by chunk.
  template <typename Rows>
  Largest update_all(Rows& rows, const Vector& r, const Vector& gamma, Vector& next, int threads) {
    rows.restart(gamma, threads);
    parallel_ranges(threads, blocks().count(), [&](Index begin, Index end) { step(rows, r, gamma, next, begin, end); });
    const auto project_chunks = [&](Index first, Index last) {
      for (Index c = first; c < last; ++c)
        largest_[static_cast<std::size_t>(c)] =
            project_chunk(gamma, next, c * chunk, std::min((c + 1) * chunk, blocks().count()));
    };
    parallel_ranges(threads, static_cast<Index>(largest_.size()), project_chunks, 1);
    Largest all;
    for (const Largest& part : largest_) all.include(part);
    return all;
  }

  /// next <- γ − ω η u for the blocks at those places. Apart from the projection, whose branches depend on the data: one
  /// loop for both was measured a tenth slower.
  template <typename Rows>
  void step(Rows& rows, const Vector& r, const Vector& gamma, Vector& next, Index begin, Index end) {
    for_blocks(
        blocks(), begin, end, [&rows](Index place) { return rows.block_at(place); },
        [&](const auto& block) __attribute__((always_inline)) {
          constexpr int size = std::decay_t<decltype(block)>::rows;
          const BlockVector<size> u = rows.template product<size>(block.index, gamma) + block.of(r);
          block.of(next) = block.of(gamma) - step_[static_cast<std::size_t>(block.index)] * u;
        });
  }

  /// next <- λ Π(next) + (1 − λ) γ, in loops of few operations, of which a processor has several at work at a time.
  Largest project_chunk(const Vector& gamma, Vector& next, Index begin, Index end) {
    for_blocks(blocks(), begin, end,
               [&](const auto& block) { block.of(next) = block.project(block.of(std::as_const(next))); });
    const double lambda = settings_.lambda;
    const Index row = blocks().offset(begin), size = blocks().offsets()[static_cast<std::size_t>(end)] - row;
    const auto old = gamma.segment(row, size);
    auto updated = next.segment(row, size);
    updated = lambda * updated + (1.0 - lambda) * old;
    return {(updated - old).cwiseAbs().maxCoeff<Eigen::PropagateNumbers>(),
            updated.cwiseAbs().maxCoeff<Eigen::PropagateNumbers>()};
  }

  JacobiSettings settings_;
  std::vector<double> step_;      ///< ω η_i
  std::vector<Largest> largest_;  ///< of each chunk
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
