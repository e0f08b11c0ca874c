#include <algorithm>
#include <cmath>
#include <string>

#include "cones/friction_cone.hpp"
#include "cones/product_cone.hpp"
#include "cones/strict_projection.hpp"
#include "core/parallel.hpp"
#include "problem/block_scale.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/largest_compliance.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/shared/linear_work.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"
#include "solvers/shared/rolling_map.hpp"
#include "solvers/splitting/rho_policy.hpp"
#include "solvers/splitting/split_columns.hpp"
#include "solvers/splitting/subsystem_system.hpp"

namespace ccp {
namespace {

struct SubsystemSettings {
  Splitting splitting = Splitting::bodies;
  double beta = 0.0;  ///< β⁰, kg; 0: from the bodies
  double beta_range = 1e3;
  RhoSettings adaptation{.policy = RhoPolicy::balanced,
                         .update_interval = 10,
                         .max_factor = 10.0,
                         .exponent = 0.5,
                         .dead_band = 1.4142135623730951};
  SplitMatrix matrix = SplitMatrix::automatic;
  LinearBackend backend = LinearBackend::automatic;
  double tolerance = 1e-10;
};

struct SubsystemColumns : NativeColumns {
  NativeValue beta{*this, "beta", "kg", "penalty β of the iteration"};
  NativeValue primal{*this, "theta_p", "m/s", "θ_p = max ‖D_pᵀv − z_p‖"};
  NativeValue dual{*this, "theta_d", "kg·m/s", "θ_d = max over subsystems of ‖(Hv − k − Dγ)_j‖"};
  NativeValue factorizations{*this, "subsystem_factorizations", "", "matrices of single subsystems factorised so far"};
};

/// β⁰: the geometric mean over bodies with parts of mass/parts (Lee et al. 2025, sec. VI-D), 1 without any. A body ends at
/// the last dof of its parts; without masses its mass is the mean diagonal of the first three dofs of its subsystem. In
/// local form, which has no bodies: the geometric mean of rows/tr(N_ii) (ours).
double pseudo_density(const ContactProblem& problem, const Subsystems& bodies) {
  double sum = 0.0, count = 0.0;
  if (!problem.given_global()) {
    const Vector steps = block_steps(problem.constraints(), problem.local().N.diagonal());
    for (const double step : steps) sum += std::log(step);
    count = static_cast<double>(steps.size());
    return count > 0.0 ? std::exp(sum / count) : 1.0;
  }
  const Vector diagonal = problem.global().H.diagonal();
  const std::vector<int> owner = bodies.owner();
  std::vector<double> parts(owner.size(), 0.0);
  for (const int last : bodies.last) parts[uz(last)] += 1.0;
  for (std::size_t l = 0; l < parts.size(); ++l) {
    if (parts[l] == 0.0) continue;
    const Index subsystem = owner[l], start = bodies.start[uz(subsystem)];
    const double mass = bodies.mass.size() > 0 ? bodies.mass[static_cast<Index>(l)]
                                               : diagonal.segment(start, std::min(Index{3}, bodies.size(subsystem))).mean();
    sum += std::log(mass / parts[l]);
    count += 1.0;
  }
  return count > 0.0 ? std::exp(sum / count) : 1.0;
}

/// T(p) of one block, padded to 3: the strict projection for ncp, the Euclidean one for ccp.
Vector3 projected_block(ConstraintKind kind, double mu, Model model, const Vector3& p) {
  const bool strict = model == Model::ncp;
  Vector3 value = Vector3::Zero();
  switch (kind) {
    case ConstraintKind::contact: return strict ? project_strict(p, mu) : project_friction_cone(p, mu);
    case ConstraintKind::contact2d: {
      const Vector2 plane = p.head<2>();
      value.head<2>() = strict ? project_strict(plane, mu) : project_friction_cone(plane, mu);
      return value;
    }
    case ConstraintKind::unilateral: value[0] = std::max(p[0], 0.0); return value;
    default: value[0] = p[0]; return value;
  }
  return value;
}

/// One session for all three splittings: the loop knows parts and subsystems alone.
class SubsystemSession final : public Session {
  static constexpr int plain = -1, follows = -2;  ///< places of blocks without moments, and of the last ones of a contact

 public:
  SubsystemSession(const SubsystemSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        form_(problem_.global()),
        set_(problem_.constraints().narrow()),
        rolling_(rolling_blocks(problem_.constraints())),
        place_(uz(set_.count()), plain),
        model_(model),
        bodies_(bodies_of(problem_)),
        split_(split_problem(problem_, bodies_, settings.splitting, settings.matrix)),
        columns_(split_.parts, set_.count()),
        system_(split_, form_.H, linear_backend_name(settings.backend), monitor),
        compliance_(largest_compliance(set_, form_.C)),
        natural_beta_(pseudo_density(problem_, bodies_)) {
    note_clipped(problem_, monitor);
    for (std::size_t k = 0; k < rolling_.size(); ++k) {
      const auto first = uz(rolling_[k].first), last = uz(rolling_[k].last);
      place_[last] = follows;
      place_[first] = static_cast<int>(k);
      compliance_.segment(rolling_[k].first, rolling_[k].last - rolling_[k].first + 1)
          .setConstant(std::max(compliance_[rolling_[k].first], compliance_[rolling_[k].last]));
    }
    const Index m = problem_.rows(), n = form_.H.rows();
    for (Vector* vector : {&gamma_, &offset_, &image_}) vector->setZero(m);
    for (Vector* vector : {&v_, &load_, &dual_load_, &scratch_}) vector->setZero(n);
    z_.setZero(3, columns_.parts());
    drop_.setZero(3, columns_.parts());
    padded_.setZero(3, set_.count());
    change_.setZero(set_.count());
    dual_change_.setZero(columns_.subsystems());
    set_beta(settings.beta > 0.0 ? settings.beta : natural_beta_, monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, monitor);
    native_.clear();
    show_work();
    bool converged = false;
    int iteration = 0;
    while (monitor.go_on({gamma_, shown_velocity(), native_.values(), converged})) {
      if (broken_ || !solve_velocities(monitor))
        return {gamma_, {}, beta_, Status::failed, "a linear system cannot be solved: " + system_.message()};
      update_constraints(shift, monitor);
      native_.primal = max_norm(change_) / beta_;
      native_.dual = beta_ * max_norm(dual_change_);
      show_work();
      converged = native_.primal + native_.dual < settings_.tolerance;
      adjust_beta(++iteration, monitor);
    }
    return {gamma_, shown_velocity() != nullptr ? v_ : Vector(), beta_, std::nullopt, ""};
  }

 private:
  /// z = γ = 0, or γ⁰ projected with z_p = D_pᵀv⁰.
  void initialise(const WarmStart& start, Monitor& monitor) {
    has_velocity_ = false;
    gamma_.setZero();
    padded_.setZero();
    z_.setZero();
    const bool adapts = settings_.adaptation.policy != RhoPolicy::fixed;
    const double beta = settings_.beta > 0.0 ? settings_.beta : natural_beta_;
    const double wanted = adapts && start.carried > 0.0 ? bounded(start.carried) : beta;
    if (wanted != beta_) set_beta(wanted, monitor);
    if (start.impulse.size() > 0) {
      gamma_ = start.impulse;
      project_product(problem_.constraints(), gamma_);
      for (Index i = 0; i < set_.count(); ++i) padded_.col(i) = padded_block(set_, gamma_, i);
      v_ = start.velocity;
      if (v_.size() == 0) {
        load_ = form_.k;
        load_.noalias() += form_.D * gamma_;
        v_.resize(load_.size());
        problem_.mass().solve(load_, v_);
        ++monitor.counters().products;
      }
      for (Index p = 0; p < columns_.parts(); ++p) z_.col(p) = columns_.velocity(p, v_.data());
    }
    gather(false, monitor);
  }

  double bounded(double beta) const {
    return std::clamp(beta, natural_beta_ / settings_.beta_range, natural_beta_ * settings_.beta_range);
  }

  void set_beta(double beta, Monitor& monitor) {
    beta_ = beta;
    broken_ = !system_.factorize(beta, monitor);
  }

  /// v_j = (H_j + β G_j)⁻¹ (k_j + Σ_p D_p (β z_p + γ_i))                                                    (34)
  bool solve_velocities(Monitor& monitor) {
    v_ = load_;
    has_velocity_ = true;
    return system_.solve(v_, monitor);
  }

  /// γ_i⁺ = T(−(Σ_p (β D_pᵀv − γ_i) + β (b_i + (C_i − c_i) γ_i))/(|Z_i| + β c_i))                       (36)–(38)
  /// z_p⁺ = D_pᵀv + (γ_i⁺ − γ_i)/β                                                                         (35, 39)
  /// One thread adds what the parts give to their subsystems while they are at hand, several leave that to `gather`: the
  /// sums have one order, that of the constraints.
  void update_constraints(const Vector& shift, Monitor& monitor) {
    freeze(shift, monitor);
    const bool alone = monitor.threads() == 1;
    if (alone) {
      load_ = form_.k;
      dual_load_.setZero();
    }
    parallel_ranges(monitor.threads(), set_.count(), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        update_constraint(i);
        for (Index p = columns_.first_part(i); alone && p < columns_.first_part(i + 1); ++p) add_part(p, i, true);
      }
    });
    if (alone)
      columns_.for_subsystems(1, [&](Index j, Index start, Index size) { measure_dual(j, start, size); });
    else
      gather(true, monitor);
    ++monitor.counters().projections;
  }

  void update_constraint(Index i) {
    if (place_[uz(i)] == follows) return;
    if (place_[uz(i)] != plain) return update_rolling(rolling_[uz(place_[uz(i)])]);
    const Vector3 old = padded_.col(i), point = target(i, std::max(Index{1}, parts_of(i)));
    set_impulse(i, old, projected_block(set_.kind(i), set_.friction(i), model_, point));
  }

  /// The blocks of a contact with moments have as many parts each, of which some may have no columns.
  void update_rolling(const RollingBlock& block) {
    const Index copies = std::max({Index{1}, parts_of(block.first), parts_of(block.last)});
    BlockVector<most_rows> point, now = BlockVector<most_rows>::Zero();
    for (Index i = block.first; i <= block.last; ++i) point.segment<3>(3 * (i - block.first)) = target(i, copies);
    now.head(block.cone.rows) = block.value(model_, point.head(block.cone.rows));
    for (Index i = block.first; i <= block.last; ++i) set_impulse(i, padded_.col(i), now.segment<3>(3 * (i - block.first)));
  }

  Index parts_of(Index i) const { return columns_.first_part(i + 1) - columns_.first_part(i); }

  /// The argument of T, and z_p = D_pᵀv.
  Vector3 target(Index i, Index parts) {
    Vector3 sum = Vector3::Zero();
    for (Index p = columns_.first_part(i); p < columns_.first_part(i + 1); ++p) {
      const Vector3 w = columns_.velocity(p, v_.data());
      sum += w;
      drop_.col(p) = z_.col(p) - w;
      z_.col(p) = w;
    }
    const auto copies = static_cast<double>(parts);
    const Vector3 old = padded_.col(i);
    const Vector3 rest = sum + padded_block(set_, offset_, i) - compliance_[i] * old;
    return (copies * old - beta_ * rest) / (copies + beta_ * compliance_[i]);
  }

  void set_impulse(Index i, const Vector3& old, const Vector3& now) {
    const Vector3 step = (now - old) / beta_;
    for (Index p = columns_.first_part(i); p < columns_.first_part(i + 1); ++p) {
      z_.col(p) += step;
      drop_.col(p) -= step;
    }
    change_[i] = (now - old).norm();
    padded_.col(i) = now;
    put_block(set_, gamma_, i, now);
  }

  /// offset <- b + C γ + the shift; in local form with (N − LLᵀ) γ in the place of C γ.
  void freeze(const Vector& shift, Monitor& monitor) {
    offset_ = form_.b + shift;
    if (!problem_.given_global()) {
      scratch_.noalias() = form_.D * gamma_;
      image_.noalias() = problem_.local().N * gamma_;
      image_.noalias() -= form_.D.transpose() * scratch_;
      ++monitor.counters().products;
    } else if (form_.C.nonZeros() > 0) {
      image_.noalias() = form_.C * gamma_;
    } else {
      return;
    }
    offset_ += image_;
  }

  /// load_j <- k_j + Σ_p D_p (β z_p + γ_i); with_dual: also ‖Σ_p D_p (z_p − z_p⁺)‖ of each subsystem (42).
  void gather(bool with_dual, Monitor& monitor) {
    columns_.for_subsystems(monitor.threads(), [&](Index j, Index start, Index size) {
      load_.segment(start, size) = form_.k.segment(start, size);
      if (with_dual) dual_load_.segment(start, size).setZero();
      columns_.for_parts_of(j, [&](Index p, Index i) { add_part(p, i, with_dual); });
      if (with_dual) measure_dual(j, start, size);
    });
  }

  void add_part(Index p, Index i, bool with_dual) {
    columns_.add(p, beta_ * z_.col(p) + padded_.col(i), load_.data());
    if (with_dual) columns_.add(p, drop_.col(p), dual_load_.data());
  }

  void measure_dual(Index j, Index start, Index size) { dual_change_[j] = dual_load_.segment(start, size).norm(); }

  /// β ← β √(θ_p/θ_d), every `update_interval` iterations (43).
  void adjust_beta(int iteration, Monitor& monitor) {
    RhoObservation seen;
    seen.primal = native_.primal;
    seen.dual = native_.dual;
    const double beta = bounded(beta_ * rho_factor(settings_.adaptation, iteration, seen));
    if (settings_.adaptation.policy == RhoPolicy::fixed || !updates_after(settings_.adaptation, iteration) || beta == beta_)
      return;
    set_beta(beta, monitor);
    gather(false, monitor);
  }

  void show_work() {
    native_.beta = beta_;
    native_.factorizations = static_cast<double>(system_.factorizations());
  }

  const Vector* shown_velocity() const { return has_velocity_ && problem_.given_global() ? &v_ : nullptr; }

  SubsystemSettings settings_;
  ContactProblem problem_;
  const GlobalForm& form_;
  const ConstraintSet set_;            ///< narrow()
  std::vector<RollingBlock> rolling_;  ///< contacts with moments
  std::vector<int> place_;             ///< of each block: that of its contact in rolling_, at the first one
  Model model_;
  Subsystems bodies_;
  Split split_;
  SplitColumns columns_;
  SubsystemSystem system_;
  Vector compliance_;  ///< c_i
  double natural_beta_, beta_ = 1.0;
  bool broken_ = false, has_velocity_ = false;
  Vector gamma_, v_, offset_, image_, scratch_;
  Vector load_, dual_load_;      ///< right-hand sides of (34), and Σ D_p (z_p − z_p⁺)
  Vector change_, dual_change_;  ///< ‖γ_i⁺ − γ_i‖ of blocks, ‖Σ D_p (z_p − z_p⁺)‖ of subsystems
  Eigen::Matrix<double, 3, Eigen::Dynamic> z_, drop_;  ///< z_p and z_p − z_p⁺ of parts
  Eigen::Matrix<double, 3, Eigen::Dynamic> padded_;    ///< γ_i
  SubsystemColumns native_;
};

class SubsystemMethod final : public Method<SubsystemSettings, SubsystemSession> {
 public:
  SubsystemMethod(const char* name, const char* title, const char* reference, Splitting splitting)
      : Method({name, title, reference, {Model::ncp, Model::ccp}, SubsystemColumns().columns(), false, false, true}) {
    SubsystemSettings& s = settings_;
    s.splitting = splitting;
    fields_
        .add("beta", &s.beta, Range::non_negative(), "kg",
             "first penalty; 0: geometric mean over the bodies of mass / number of their parts",
             "Lee et al. 2025, sec. VI-D")
        .add("step_policy", &s.adaptation.policy, {{"balanced", RhoPolicy::balanced}, {"fixed", RhoPolicy::fixed}},
             "how β is adapted: by (θ_p/θ_d)^½, or not at all", "Lee et al. 2025, eq. 43")
        .add("update_interval", &s.adaptation.update_interval, Range::at_least(1.0), "iterations between updates of β",
             "ours; Algorithm 2 looks at it after each")
        .add("max_factor", &s.adaptation.max_factor, Range::at_least(1.0), "", "largest change of β in one update", "ours")
        .add("dead_band", &s.adaptation.dead_band, Range::at_least(1.0), "",
             "no update while (θ_p/θ_d)^½ is in [1/dead_band, dead_band]", "Lee et al. 2025, eq. 43; √2 is ours")
        .add("beta_range", &s.beta_range, Range::at_least(1.0), "", "β stays within this factor of its natural first value",
             "ours")
        .add("tolerance", &s.tolerance, Range::non_negative(), "", "native criterion: θ_p + θ_d, in m/s and kg·m/s",
             "Lee et al. 2025, Algorithm 2; value ours");
    if (splitting == Splitting::bodies) return;
    fields_
        .add("matrix", &s.matrix,
             {{"auto", SplitMatrix::automatic}, {"sparse", SplitMatrix::sparse}, {"dense", SplitMatrix::dense}},
             "how the matrices of more than 6 velocities are factorised; auto: dense up to 64, sparse above", "ours")
        .add("linear_solver", &s.backend, linear_backend_choices(), "library of the sparse factorisations", "ours");
  }

 private:
  std::optional<std::string> do_supports(const ContactProblem&, Model) const override {
    return backend_defect(linear_backend_name(settings_.backend), MatrixKind::spd, LinearForm::normal);
  }
};

}  // namespace

std::unique_ptr<Solver> make_subadmm() {
  return std::make_unique<SubsystemMethod>("subadmm", "SubADMM, ADMM split by subsystems and bodies",
                                           "Lee, Lee, Park, Yun and Lee 2025, Algorithm 2", Splitting::bodies);
}

std::unique_ptr<Solver> make_admm_nobody() {
  return std::make_unique<SubsystemMethod>("admm_nobody", "ADMM split by subsystems, not by bodies (No Body)",
                                           "Lee, Lee, Park, Yun and Lee 2025, Table III", Splitting::subsystems);
}

std::unique_ptr<Solver> make_admm_nosub() {
  return std::make_unique<SubsystemMethod>("admm_nosub", "ADMM in the velocities without a split (No Sub)",
                                           "Lee, Lee, Park, Yun and Lee 2025, eq. 28 and Table III", Splitting::none);
}

}  // namespace ccp
