#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "cones/rolling_cone.hpp"
#include "cones/smoothed_projection.hpp"
#include "linalg/gmres.hpp"
#include "problem/block_scale.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/share_arrays.hpp"
#include "solvers/methods.hpp"
#include "solvers/newton/padded_maps.hpp"
#include "solvers/newton/sweep_phase.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"
#include "solvers/shared/start_given.hpp"

namespace ccp {
namespace {

/// Impulses are rejected when they alone make velocities this many times the free ones: γ − ρu rounds to γ then, whatever u
/// is, and looks like a solution.
constexpr double overflow = 1e12;

enum class RelativeDelta { none, min, avg, max };
enum class ImpulseScale { none, block };
enum class OmegaScale { relative, absolute };

/// Table 1 of the paper.
struct PqnSettings {
  double merit_tolerance = 1e-8;
  int iterations = 1000;
  double omega = 1e-3;
  double delta = 0.0;
  RelativeDelta delta_relative = RelativeDelta::none;
  int inner_iterations = 10;
  double epsilon = 0.25;
  int restart = 20;
  int product_cap = 100000;
  bool fallback = true;
  ImpulseScale impulse_scale = ImpulseScale::block;
  ImpulseScale merit_scale = ImpulseScale::none;
  OmegaScale omega_scale = OmegaScale::relative;
};

struct PqnColumns : NativeColumns {
  NativeValue merit{*this, "pqn_merit", "",
                    "spurious energy relative to that of the free motion, eq. 40, as merit_scale says"};
  NativeValue gmres_products{*this, "gmres_products", "", "of the step"};
  NativeValue gmres_residual{*this, "gmres_residual", "", "of the step, relative"};
  NativeValue fallback{*this, "fallback", "", "1: this iterate is a Gauss–Seidel sweep"};
};

/// Rows: of a padded constraint, 3, or most_rows where contacts have moments.
template <int Rows>
class PqnSession final : public Session {
 public:
  PqnSession(const PqnSettings& settings, const ContactProblem& problem, Model model, Monitor&)
      : settings_(settings),
        model_(model),
        problem_(problem),
        share_(problem_.share()),
        set_(problem_.constraints()),
        maps_(set_, Model::ccp),
        N_(&delassus_operator(problem_, OperatorUse::inner_products)),
        gmres_(problem_.rows(), settings.restart, inner_products()),
        best_(problem_.rows()) {
    const auto count = uz(set_.count());
    for (std::vector<Square>* blocks : {&own_, &inverse_, &X_, &Y_, &preconditioner_}) blocks->assign(count, Square::Zero());
    weight_.setOnes(set_.count());
    own_scale_.setOnes(set_.count());
    for (Vector* vector : {&r_, &u_, &scratch_, &impulse_, &trial_, &value_, &direction_, &product_})
      vector->setZero(problem_.rows());
    load_blocks();
    apply_ = [this](const Vector& x, Vector& y) { apply_matrix(x, y); };
    precondition_ = [this](const Vector& x, Vector& y) { apply_preconditioner(x, y); };
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    int step = 0;
    while (show(monitor)) {
      if (merit_ == 0.0) return {best_.impulse(), {}, 0.0, Status::stalled, "the merit is zero"};
      if (products_ >= settings_.product_cap) return fall_back("the limit of products", step, shift, monitor);
      if (step == settings_.iterations) return fall_back("the limit of Newton steps", step, shift, monitor);
      linearise();
      find_direction(monitor);
      take_projected_step(monitor);
      ++step;
      if (!(largest() <= overflow * size_)) return fall_back("an overflow", step, shift, monitor);
      merit_ = move(impulse_, monitor);
    }
    return {best_.impulse(), {}, 0.0, std::nullopt, ""};
  }

 private:
  using Point = BlockVector<Rows>;
  using Square = Eigen::Matrix<double, Rows, Rows>;

  Point block(const Vector& x, Index i) const { return padded_block<Rows>(set_, x, i); }

  /// Of a shared problem, over all ranks.
  Gmres::InnerProducts inner_products() {
    if (share_ == nullptr) return {};
    cells_.reserve((uz(settings_.restart) + 2) * uz(cell_count));
    return [this](const std::vector<Vector>& basis, int count, const Vector& x, double* sums) {
      dots(*share_, set_, basis, count, x, sums, cells_);
    };
  }

  /// N_ii, its inverse for the merit (t_i⁻¹I where it is singular), s_i and δ.
  void load_blocks() {
    for (Index i = 0; i < set_.count(); ++i) {
      const auto at = uz(i);
      const BlockSquare N_ii = N_->diagonal_block(i);
      own_[at].topLeftCorner(N_ii.rows(), N_ii.cols()) = N_ii;
      const double mean = block_mean(own_[at].trace(), set_.rows(i));
      Square padded = own_[at];
      for (Index row = set_.rows(i); row < Rows; ++row) padded(row, row) = mean;
      inverse_[at] = inverse_or(padded, mean);
      own_scale_[i] = mean;
    }
    if (settings_.impulse_scale == ImpulseScale::block) weight_ = own_scale_;
    delta_ = settings_.delta > 0.0 ? added_delta() : 0.0;
  }

  /// δ, 1/kg.
  double added_delta() const {
    const double delta = settings_.delta;
    const auto diagonal = [&](Index i) { return own_[uz(i)].diagonal().head(set_.rows(i)); };
    const Index rows = share_ != nullptr ? share_->rows() : problem_.rows();
    const auto least = [&](Index i) { return diagonal(i).minCoeff(); };
    switch (settings_.delta_relative) {
      case RelativeDelta::none: return delta;
      case RelativeDelta::min: {
        if (rows == 0) return 0.0;
        // Over ranks the largest value is known, so that of the inverses.
        if (share_ != nullptr)
          return delta / largest_of_blocks(share_, set_, [&](Index i) { return 1.0 / std::max(least(i), 0.0); });
        double smallest = std::numeric_limits<double>::infinity();
        for (Index i = 0; i < set_.count(); ++i) smallest = std::min(smallest, least(i));
        return delta * std::max(smallest, 0.0);
      }
      case RelativeDelta::avg: {
        double sum = 0.0;
        if (share_ != nullptr)
          sum = sum_of_blocks(share_, set_, [&](Index i) { return diagonal(i).sum(); });
        else
          for (Index i = 0; i < set_.count(); ++i)
            for (const double entry : diagonal(i)) sum += entry;
        return delta * sum / std::max(1.0, static_cast<double>(rows));
      }
      case RelativeDelta::max:
        return delta * largest_of_blocks(share_, set_, [&](Index i) { return diagonal(i).maxCoeff(); });
    }
    return delta;
  }

  /// The inverse of a block, or of a scaled identity where the block is singular to working precision.
  static Square inverse_or(const Square& A, double mean) {
    Square inverse;
    bool invertible = false;
    if constexpr (Rows == 3) {
      double determinant = 0.0;
      A.computeInverseAndDetWithCheck(inverse, determinant, invertible, 1e-12 * mean * mean * mean);
    } else {
      const Eigen::FullPivLU<Square> lu(A);
      invertible = lu.rcond() > 1e-12;
      inverse = lu.inverse();
    }
    return invertible && inverse.allFinite() ? inverse : Square(Square::Identity() / mean);
  }

  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    threads_ = monitor.threads();
    products_ = 0;
    shift_ = shift;
    r_ = problem_.free_velocity() + shift;
    size_ = largest_of_blocks(share_, set_, [&](Index i) { return block(r_, i).cwiseAbs().maxCoeff(); });
    energy_ = sum_of_blocks(share_, set_, [&](Index i) { return block(r_, i).dot(inverse_[uz(i)] * block(r_, i)); });
    if (!(energy_ > 0.0)) energy_ = 1.0;
    native_.clear();
    impulse_.setZero();
    best_.restart(impulse_);
    merit_ = move(impulse_, monitor);
    if (!start_given(share_, start)) return;
    for (Index i = 0; i < set_.count(); ++i) put_block(set_, trial_, i, maps_.value(i, block(start.impulse, i)));
    if (move(trial_, monitor) <= merit_) impulse_ = trial_;
    merit_ = move(impulse_, monitor);
  }

  /// max s_i ‖γ_i‖, m/s; NaN where an impulse is.
  double largest() const {
    return largest_of_blocks(share_, set_, [&](Index i) { return own_scale_[i] * block(impulse_, i).norm(); });
  }

  /// u, C and the merit (H.12) at an impulse; and the merit of the native criterion, with its own unit of impulses.
  double move(const Vector& impulse, Monitor& monitor) {
    problem_.local_velocity(impulse, scratch_, u_);
    ++monitor.counters().products;
    u_ += shift_;
    const auto [sum, native_sum] = all_over_blocks<2>(share_, set_, std::plus<>(), [&](Index i) {
      const Point impulse_i = block(impulse, i);
      const Point C = constraint_value(i, impulse_i, weight_[i]);
      std::array<double, 2> sums{C.dot(inverse_[uz(i)] * C), 0.0};
      if (settings_.merit_scale == settings_.impulse_scale) return sums;
      const double weight = settings_.merit_scale == ImpulseScale::none ? 1.0 : own_scale_[i];
      const Point other = constraint_value(i, impulse_i, weight);
      sums[1] = other.dot(inverse_[uz(i)] * other);
      return sums;
    });
    native_merit_ = std::abs(settings_.merit_scale == settings_.impulse_scale ? sum : native_sum) / energy_;
    return std::abs(sum) / energy_;
  }

  double friction(Index i) const { return has_friction(set_.kind(i)) ? set_.friction(i) : 0.0; }
  /// That of F: in ccp F(u) = u.
  double de_saxce_friction(Index i) const { return model_ == Model::ncp ? friction(i) : 0.0; }
  Correction correction() const { return model_ == Model::ncp ? Correction::de_saxce : Correction::none; }

  /// C_i = F + m(s γ_i − F), m/s; weight: s, 1/kg.
  Point constraint_value(Index i, const Point& impulse, double weight) const {
    const Point u = block(u_, i);
    if (set_.kind(i) == ConstraintKind::bilateral) return u;
    Point C = Point::Zero();
    if (has_moments(set_.kind(i))) {
      const Index rows = set_.rows(i);
      C.head(rows) = rolling_defect(maps_.cone(i), weight * impulse.head(rows), u.head(rows), correction());
      return C;
    }
    const Vector3 F = smoothed_de_saxce_value(u.template head<3>(), de_saxce_friction(i), 0.0);
    C.template head<3>() = F + smoothed_polar_value(weight * impulse.template head<3>() - F, friction(i), 0.0);
    return C;
  }

  /// C_ω,i, smoothed, and its derivatives X by u and Y by γ (H.13).
  Point linearise_constraint(Index i, double omega, Square& X, Square& Y) const {
    const Point u = block(u_, i);
    if (set_.kind(i) == ConstraintKind::bilateral) {
      X.setIdentity();
      Y.setZero();
      return u;
    }
    if (has_moments(set_.kind(i))) return linearise_moments(i, omega, X, Y);
    // The error of m grows with μ²ω.
    if (model_ == Model::ccp) omega /= 1.0 + friction(i) * friction(i);
    const SmoothedProjection F = smoothed_de_saxce(u.template head<3>(), de_saxce_friction(i), omega);
    const SmoothedProjection m =
        smoothed_polar_projection(weight_[i] * block(impulse_, i).template head<3>() - F.value, friction(i), omega);
    X.template topLeftCorner<3, 3>() = (Matrix3::Identity() - m.gradient) * F.gradient;
    Y.template topLeftCorner<3, 3>() = weight_[i] * m.gradient;
    Point C = Point::Zero();
    C.template head<3>() = F.value + m.value;
    return C;
  }

  /// The same of a contact with moments, whose set has no spectral values to smooth: ω is in the derivative of its De Saxcé
  /// term alone.
  Point linearise_moments(Index i, double omega, Square& X, Square& Y) const {
    const RollingCone& cone = maps_.cone(i);
    const Point u = block(u_, i), impulse = block(impulse_, i);
    Point s = weight_[i] * impulse - u, slope = Point::Zero();
    const double shifted = model_ == Model::ncp ? 1.0 : 0.0;
    s[0] -= shifted * rolling_shift(cone, u.data());
    for (int d = 0; d < cone.count; ++d) {
      const ConeDisc& disc = cone.disc[uz(d)];
      const auto slip = u.segment(disc.first, disc.size);
      slope.segment(disc.first, disc.size) = disc.radius / std::hypot(slip.norm(), omega) * slip;
    }
    Y.setZero();
    Y.topLeftCorner(cone.rows, cone.rows) = rolling_cone_derivative(cone, s.data());
    X = Y;
    X += Y.col(0) * (shifted * slope).transpose();
    Y = weight_[i] * (Square::Identity() - Y);
    return constraint_value(i, impulse, weight_[i]);
  }

  /// C_ω, X, Y and the inverses of the diagonal blocks of A = X N + Y + δI.
  void linearise() {
    const bool absolute = settings_.omega_scale == OmegaScale::absolute;
    const double omega =
        settings_.omega * (absolute ? settings_.merit_tolerance : std::min(settings_.merit_tolerance, merit_) * size_);
    for (Index i = 0; i < set_.count(); ++i) {
      const auto at = uz(i);
      put_block(set_, value_, i, linearise_constraint(i, omega, X_[at], Y_[at]));
      Square A = X_[at] * own_[at] + Y_[at] + delta_ * Square::Identity();
      // This is own_scale_, but tiny where N_ii = 0: A = Y + δI is inverted there, however small it is.
      const double mean = std::max(own_[at].trace() / static_cast<double>(set_.rows(i)), 1e-300);
      for (Index row = set_.rows(i); row < Rows; ++row) {
        A.row(row).setZero();
        A.col(row).setZero();
        A(row, row) = mean;
      }
      preconditioner_[at] = inverse_or(A, mean);
    }
  }

  /// (X N + Y + δI) d = C_ω, solved inexactly.
  void find_direction(Monitor& monitor) {
    const int limit =
        static_cast<int>(std::min<std::int64_t>(settings_.inner_iterations, settings_.product_cap - products_));
    const double size = norm(share_, set_, value_);
    const Gmres::Result solved = gmres_.solve(apply_, precondition_, value_, direction_, settings_.epsilon * size, limit);
    products_ += solved.products;
    monitor.counters().products += solved.products;
    native_.gmres_products = solved.products;
    native_.gmres_residual = size > 0.0 ? solved.residual / size : 0.0;
  }

  /// γ ← Π_K(γ − d).
  void take_projected_step(Monitor& monitor) {
    for (Index i = 0; i < set_.count(); ++i)
      put_block(set_, impulse_, i, maps_.value(i, block(impulse_, i) - block(direction_, i)));
    ++monitor.counters().projections;
  }

  void apply_matrix(const Vector& x, Vector& y) {
    N_->multiply(x, product_, threads_);
    for (Index i = 0; i < set_.count(); ++i) {
      const auto at = uz(i);
      const Point own = block(x, i);
      put_block(set_, y, i, X_[at] * block(product_, i) + Y_[at] * own + delta_ * own);
    }
  }

  void apply_preconditioner(const Vector& x, Vector& y) const {
    for (Index i = 0; i < set_.count(); ++i) put_block(set_, y, i, preconditioner_[uz(i)] * block(x, i));
  }

  bool show(Monitor& monitor) {
    native_.merit = native_merit_;
    const bool converged = native_merit_ < settings_.merit_tolerance;
    return best_.show(monitor, merit_, impulse_, {impulse_, nullptr, native_.values(), converged});
  }

  /// Step 3 of the algorithm: Gauss–Seidel from the best iterate.
  Outcome fall_back(const char* failure, int step, const Vector& shift, Monitor& monitor) {
    const std::string reason = fmt::format("{} was reached after {} Newton steps", failure, step);
    if (!settings_.fallback) return {best_.impulse(), {}, 0.0, Status::stalled, reason};
    const std::string told = fmt::format("{}: Gauss–Seidel from there on", reason);
    monitor.note([&] { return told; });
    native_.gmres_products = 0.0;
    native_.gmres_residual = 0.0;
    native_.fallback = 1.0;
    SweepRunner sweeps(problem_, model_, monitor);
    const auto merit = [this, &monitor](const Vector& impulse) -> double {
      const double sweep_merit = move(impulse, monitor);
      native_.merit = native_merit_;
      return sweep_merit;
    };
    const SweepRunner::Limits limits{-1.0, std::numeric_limits<int>::max()};
    return {
        sweeps.run(best_.impulse(), shift, limits, merit, native_.values(), monitor).impulse, {}, 0.0, std::nullopt, told};
  }

  PqnSettings settings_;
  Model model_;
  ContactProblem problem_;
  const Share* share_;  ///< of a shared problem
  const ConstraintSet& set_;
  PaddedMaps<Rows> maps_;
  const DelassusOperator* N_;
  std::vector<double> cells_;  ///< of inner products
  Gmres gmres_;
  Gmres::Operator apply_, precondition_;
  std::vector<Square> own_, inverse_, X_, Y_, preconditioner_;
  Vector weight_;     ///< s_i, 1/kg
  Vector own_scale_;  ///< t_i = tr(N_ii)/rows, 1/kg
  double delta_ = 0.0, size_ = 0.0, energy_ = 1.0, merit_ = 0.0, native_merit_ = 0.0;
  int threads_ = 1;
  std::int64_t products_ = 0;  ///< of all GMRES solves of the run
  Vector shift_, r_, u_, scratch_, impulse_, trial_, value_, direction_, product_;
  BestIterate best_;
  PqnColumns native_;
};

class Pqn final : public Method<PqnSettings, PqnSession<3>, PqnSession<most_rows>> {
 public:
  Pqn()
      : Method({"pqn",
                "Projected quasi-Newton",
                "Koziara 2017, Algorithm 1; for ccp without the De Saxcé term: ours",
                {Model::ncp, Model::ccp},
                PqnColumns().columns(),
                true,
                false,
                true}) {
    const std::string table = "Koziara 2017, Table 1";
    fields_
        .add("merit_tolerance", &settings_.merit_tolerance, Range::positive(), "",
             "native criterion: merit of eq. 40 below this (γ of the paper)", table)
        .add("iterations", &settings_.iterations, Range::at_least(1), "Newton steps before Gauss–Seidel takes over", table)
        .add("omega", &settings_.omega, Range::positive(), "",
             "smoothing relative to the smaller of merit_tolerance and the merit, times the largest free velocity; for ccp "
             "over 1 + μ²",
             table)
        .add("omega_scale", &settings_.omega_scale, {{"relative", OmegaScale::relative}, {"absolute", OmegaScale::absolute}},
             "absolute: omega · merit_tolerance in m/s, as in the paper", "Koziara 2017, Table 1; relative: ours")
        .add("delta", &settings_.delta, Range::non_negative(), "",
             "added to the diagonal of the Jacobian; 1/kg when absolute", table)
        .add("delta_relative", &settings_.delta_relative,
             {{"none", RelativeDelta::none},
              {"min", RelativeDelta::min},
              {"avg", RelativeDelta::avg},
              {"max", RelativeDelta::max}},
             "what of the diagonal of N delta is relative to", "Koziara 2017, sec. 8.1")
        .add("inner_iterations", &settings_.inner_iterations, Range::at_least(1), "products of one GMRES solve", table)
        .add("epsilon", &settings_.epsilon, Range{0.0, 1.0, true, true}, "",
             "residual of a GMRES solve relative to its right-hand side", table)
        .add("restart", &settings_.restart, Range::at_least(1), "dimension of the Krylov space", table)
        .add("product_cap", &settings_.product_cap, Range::at_least(1), "products of all GMRES solves together", table)
        .add("fallback", &settings_.fallback, "nonlinear Gauss–Seidel after the last Newton step",
             "Koziara 2017, Algorithm 1")
        .add("impulse_scale", &settings_.impulse_scale, {{"block", ImpulseScale::block}, {"none", ImpulseScale::none}},
             "unit of impulses beside velocities: tr(N_ii)/rows (block), or 1/kg as in the paper", "ours")
        .add("merit_scale", &settings_.merit_scale, {{"none", ImpulseScale::none}, {"block", ImpulseScale::block}},
             "the same in the merit of the native criterion", "none: Koziara 2017, eq. 40; block: ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_pqn() { return std::make_unique<Pqn>(); }

}  // namespace ccp
