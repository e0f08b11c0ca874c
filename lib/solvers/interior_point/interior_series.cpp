#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/interior_point/interior_iteration.hpp"

namespace ccp {
namespace {

constexpr int refinement_of_terms = 0;
constexpr double least_nu = 1e-3;    ///< τ falls to this part of itself in a step at most
constexpr double shorter = 0.7;      ///< where a step leaves the cones
constexpr double smallest = 1e-300;  ///< s
constexpr double least_arc = 1e-9;   ///< shortest step
constexpr int crossing_places = 64;  ///< at which a step is searched for the first ν below least_nu

/// The coefficients of one order, scaled as the point they belong to: those of W λ and W⁻¹y beside those of λ and y.
struct SeriesTerm {
  Vector v, lambda, y, s, scaled_lambda, scaled_y;
  double nu = 0.0;
};

/// Steps along the path by its Taylor series in the arc length. All work space is allocated once.
class SeriesIteration final : public InteriorIteration {
 public:
  SeriesIteration(const InteriorSettings& settings, const ContactProblem& problem, Monitor& monitor)
      : InteriorIteration(settings, problem, Model::ncp, monitor), tangent_(empty_term()), before_(empty_term()) {
    for (int k = 0; k < settings.order; ++k) terms_.push_back(empty_term());
    root_.setZero(barrier_.count());
    defect_.setZero(barrier_.count());
    momentum_.setZero(system_->primal_size());
    none_.setZero(system_->primal_size());
    lambda_ = y_ = tangent_.y;
    before_.nu = -1.0;
  }

  bool step(Monitor& monitor) override {
    if (!scale_cones() || !factorize(monitor)) return false;
    if (!find_tangent(monitor)) return false;
    begin_series();
    for (int k = 2; k <= settings_.order; ++k)
      if (!find_term(k, monitor)) return false;
    const double arc = arc_inside();
    if (!(arc > least_arc)) {
      message_ = "the series of the path converges nowhere";
      return false;
    }
    go_along(arc);
    if (!unbounded()) return true;
    message_ = "the impulses grow without bound: the problem has no solution to within rounding";
    return false;
  }

 private:
  SeriesTerm empty_term() const {
    const Vector padded = Vector::Zero(barrier_.size());
    return {Vector::Zero(system_->primal_size()), padded, padded, Vector::Zero(barrier_.count()), padded, padded, 0.0};
  }

  /// J x = (momentum, t, L(z) target, s target): a term from its right-hand sides in direction_.target, root_ and t_ (the
  /// kinematic one).
  bool solve(const Vector& momentum, SeriesTerm& term, int refinement, Monitor& monitor) {
    for (Index i = 0; i < barrier_.count(); ++i) {
      if (barrier_.bilateral(i)) continue;
      const Vector3 wanted = scaling_[uz(i)].apply(direction_.target.segment<3>(3 * i));
      t_.segment<3>(3 * i) += wanted;
      t_[3 * i] -= root_[i] + slip_direction(i).dot(wanted);
    }
    if (!system_->solve(momentum, t_, term.v, term.lambda, refinement, monitor)) {
      message_ = "the linear system cannot be solved: " + system_->message();
      return false;
    }
    for (Index i = 0; i < barrier_.count(); ++i) {
      if (barrier_.bilateral(i)) continue;
      const NesterovTodd& W = scaling_[uz(i)];
      const Vector3 lambda = W.apply(term.lambda.segment<3>(3 * i));
      const Vector3 scaled_y = direction_.target.segment<3>(3 * i) - lambda, y = W.apply(scaled_y);
      term.scaled_lambda.segment<3>(3 * i) = lambda;
      term.scaled_y.segment<3>(3 * i) = scaled_y;
      term.y.segment<3>(3 * i) = y;
      term.s[i] = slip_direction(i).dot(y) + root_[i];
    }
    return true;
  }

  /// The derivative by ν: all residuals, z∘z and the slack go with ν (the slack with its square).
  bool find_tangent(Monitor& monitor) {
    t_ = point_.residual;
    momentum_ = -point_.momentum;
    for (Index i = 0; i < barrier_.count(); ++i) {
      if (barrier_.bilateral(i)) continue;
      direction_.target.segment<3>(3 * i) = scaling_[uz(i)].point;
      const double slip = point_.y.segment<2>(3 * i + 1).norm();
      defect_[i] = (point_.s[i] - slip) * (point_.s[i] + slip);
      root_[i] = defect_[i] / point_.s[i];
    }
    return solve(momentum_, tangent_, refinement_steps, monitor);
  }

  /// First term: the tangent, of length one, in the direction in which the last step ended.
  void begin_series() {
    double along = before_.nu;
    for (Index i = 0; i < barrier_.count(); ++i) {
      if (barrier_.bilateral(i)) continue;
      const NesterovTodd& W = scaling_[uz(i)];
      const Vector3 lambda = W.apply(before_.lambda.segment<3>(3 * i));
      const Vector3 y = W.apply_inverse(before_.y.segment<3>(3 * i));
      along += (lambda.dot(tangent_.scaled_lambda.segment<3>(3 * i)) + y.dot(tangent_.scaled_y.segment<3>(3 * i))) /
               W.point.squaredNorm();
    }
    SeriesTerm& first = terms_.front();
    const double nu = std::copysign(1.0 / std::sqrt(1.0 + product(tangent_, tangent_)), along);
    clear(first);
    add(nu, tangent_, first);
    first.nu = nu;
  }

  /// Term k from those below it (J.18).
  bool find_term(int k, Monitor& monitor) {
    SeriesTerm& term = terms_[uz(k - 1)];
    double nus = 0.0;
    for (int j = 1; j < k; ++j) nus += terms_[uz(j - 1)].nu * terms_[uz(k - j - 1)].nu;
    t_.setZero();
    for (Index i = 0; i < barrier_.count(); ++i) {
      if (barrier_.bilateral(i)) continue;
      Vector3 products = Vector3::Zero();
      double roots = defect_[i] * nus;
      for (int j = 1; j < k; ++j) {
        const SeriesTerm &low = terms_[uz(j - 1)], &high = terms_[uz(k - j - 1)];
        products += jordan_product(low.scaled_y.segment<3>(3 * i), high.scaled_lambda.segment<3>(3 * i));
        roots += low.y.segment<2>(3 * i + 1).dot(high.y.segment<2>(3 * i + 1)) - low.s[i] * high.s[i];
      }
      direction_.target.segment<3>(3 * i) = -jordan_quotient(scaling_[uz(i)].point, products);
      root_[i] = 0.5 * roots / point_.s[i];
    }
    if (!solve(none_, term, refinement_of_terms, monitor)) return false;
    term.nu = -terms_.front().nu * product(terms_.front(), term);
    add(term.nu, tangent_, term);
    return true;
  }

  /// The arc in which the last terms stay below the accuracy, and the point inside of the cones with ν not below least_nu.
  double arc_inside() {
    const int last = settings_.order;
    const double first = std::sqrt(product(terms_.front(), terms_.front()) + terms_.front().nu * terms_.front().nu);
    const auto radius = [&](int k) {
      const SeriesTerm& term = terms_[uz(k - 1)];
      const double size = std::sqrt(product(term, term) + term.nu * term.nu);
      return std::pow(settings_.accuracy * first / size, 1.0 / (k - 1));
    };
    double arc = std::min(radius(last), radius(last - 1));
    arc = first_crossing(std::isfinite(arc) ? arc : 1.0);
    while (arc > least_arc && !inside(arc)) arc *= shorter;
    return arc;
  }

  double nu_at(double arc) const {
    double nu = 0.0;
    for (std::size_t k = terms_.size(); k-- > 0;) nu = arc * (nu + terms_[k].nu);
    return 1.0 + nu;
  }

  /// Where ν first falls to least_nu, at most `arc`.
  double first_crossing(double arc) const {
    double low = 0.0;
    for (int place = 1; place <= crossing_places; ++place) {
      const double high = arc * place / crossing_places;
      if (nu_at(high) >= least_nu) {
        low = high;
        continue;
      }
      double end = high;
      while (end - low > 1e-12 * arc) {
        const double middle = 0.5 * (low + end);
        (nu_at(middle) >= least_nu ? low : end) = middle;
      }
      return low;
    }
    return arc;
  }

  bool inside(double arc) {
    lambda_.setZero();
    y_.setZero();
    for (std::size_t k = terms_.size(); k-- > 0;) {
      lambda_ = arc * (lambda_ + terms_[k].lambda);
      y_ = arc * (y_ + terms_[k].y);
    }
    lambda_ += point_.lambda;
    y_ += point_.y;
    for (Index i = 0; i < barrier_.count(); ++i)
      if (!barrier_.bilateral(i) &&
          !(lorentz_gap(lambda_.segment<3>(3 * i)) > 0.0 && lorentz_gap(y_.segment<3>(3 * i)) > 0.0))
        return false;
    return true;
  }

  /// To the point of the series, whose derivative by the arc length is kept for the direction of the next step.
  void go_along(double arc) {
    clear(before_);
    Vector& v = momentum_;
    Vector& s = root_;
    v.setZero();
    s.setZero();
    for (std::size_t k = terms_.size(); k-- > 0;) {
      const SeriesTerm& term = terms_[k];
      const double degree = static_cast<double>(k + 1);
      v = arc * (v + term.v);
      s = arc * (s + term.s);
      before_.lambda = (k + 1 < terms_.size() ? arc : 0.0) * before_.lambda + degree * term.lambda;
      before_.y = (k + 1 < terms_.size() ? arc : 0.0) * before_.y + degree * term.y;
      before_.nu = arc * before_.nu + degree * term.nu;
    }
    sigma_ = nu_at(arc);
    before_.nu /= sigma_;
    step_primal_ = step_dual_ = arc;
    point_.v += v;
    std::swap(point_.lambda, lambda_);
    std::swap(point_.y, y_);
    point_.s += s;
    keep_inside(point_.lambda);
    keep_inside(point_.y);
    for (Index i = 0; i < barrier_.count(); ++i)
      if (!barrier_.bilateral(i)) point_.s[i] = std::max({point_.s[i], point_.y.segment<2>(3 * i + 1).norm(), smallest});
    evaluate();
  }

  /// Sum over cones of what the changes of λ and y are to z.
  double product(const SeriesTerm& a, const SeriesTerm& b) const {
    double sum = 0.0;
    for (Index i = 0; i < barrier_.count(); ++i)
      if (!barrier_.bilateral(i))
        sum += (a.scaled_lambda.segment<3>(3 * i).dot(b.scaled_lambda.segment<3>(3 * i)) +
                a.scaled_y.segment<3>(3 * i).dot(b.scaled_y.segment<3>(3 * i))) /
               scaling_[uz(i)].point.squaredNorm();
    return sum;
  }

  static void clear(SeriesTerm& term) {
    for (Vector* vector : {&term.v, &term.lambda, &term.y, &term.s, &term.scaled_lambda, &term.scaled_y}) vector->setZero();
    term.nu = 0.0;
  }
  static void add(double factor, const SeriesTerm& from, SeriesTerm& to) {
    to.v += factor * from.v;
    to.lambda += factor * from.lambda;
    to.y += factor * from.y;
    to.s += factor * from.s;
    to.scaled_lambda += factor * from.scaled_lambda;
    to.scaled_y += factor * from.scaled_y;
  }

  std::vector<SeriesTerm> terms_;
  SeriesTerm tangent_, before_;  ///< by ν; and the derivative by the arc length at the end of the last step
  Vector root_, defect_;         ///< right-hand side of the equation of s, and s² − ‖y_T‖²
  Vector momentum_, none_, lambda_, y_;
};

}  // namespace

std::unique_ptr<InteriorIteration> make_series_iteration(const InteriorSettings& settings, const ContactProblem& problem,
                                                         Monitor& monitor) {
  return std::make_unique<SeriesIteration>(settings, problem, monitor);
}

}  // namespace ccp
