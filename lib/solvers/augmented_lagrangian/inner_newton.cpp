#include "solvers/augmented_lagrangian/inner_newton.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {
namespace {

constexpr int line_search_limit = 100;
constexpr int backtracks = 30;
constexpr double armijo = 1e-4;

/// The zero of an increasing slope on [0, ∞), slope(0) < 0: Newton steps, bisection where one leaves the bracket or is slow
/// (rtsafe). A slope of zero or more at 0 is rounding: the step length is 0.
template <int Rows>
InnerStep find_zero_slope(const AugmentedFunction<Rows>& function, double tolerance) {
  const double first = function.slope(0.0).value;
  if (!(first < 0.0)) return {0.0, 1, false};
  const double enough = std::max(-tolerance * first, function.slope_noise());
  double low = 0.0, high = 1.0;
  int trials = 2;
  typename AugmentedFunction<Rows>::Slope slope = function.slope(1.0);
  for (; slope.value < 0.0 && std::abs(slope.value) > enough && trials < line_search_limit; ++trials) {
    low = high;
    high *= 2.0;
    slope = function.slope(high);
  }
  double length = high, last_move = high - low, move = last_move;
  while (std::abs(slope.value) > enough && trials < line_search_limit) {
    const double newton = length - slope.value / slope.derivative;
    if (newton > low && newton < high && std::abs(2.0 * slope.value) <= std::abs(last_move * slope.derivative)) {
      last_move = move;
      move = std::abs(newton - length);
      length = newton;
    } else {
      last_move = move;
      move = 0.5 * (high - low);
      length = low + move;
    }
    slope = function.slope(length);
    ++trials;
    (slope.value < 0.0 ? low : high) = length;
    if (move <= 1e-15 * length) break;
  }
  return {length, trials, trials >= line_search_limit || !std::isfinite(slope.value)};
}

}  // namespace

template <int Rows>
InnerNewton<Rows>::InnerNewton(const ContactProblem& problem, const InnerSettings& settings, Monitor& monitor)
    : settings_(settings),
      system_(make_augmented_system<Rows>(problem, settings.form, settings.method == InnerMethod::exact_newton, monitor)) {
  const Index n = problem.global().H.rows();
  for (Vector* vector : {&direction_, &old_, &trial_, &value_, &gradient_, &image_, &step_}) vector->setZero(n);
}

template <int Rows>
InnerStep InnerNewton<Rows>::step(Function& function, Monitor& monitor) {
  switch (settings_.method) {
    case InnerMethod::damped: return damped_step(function, monitor);
    case InnerMethod::dogleg: return dogleg_step(function, monitor);
    case InnerMethod::exact_newton: break;
  }
  return exact_step(function, monitor);
}

template <int Rows>
bool InnerNewton<Rows>::find_direction(Function& function, Monitor& monitor) {
  if (!system_->factorize(function.linearise(), monitor)) return false;
  value_ = -function.value();
  return system_->solve(value_, direction_, monitor) && direction_.allFinite();
}

template <int Rows>
InnerStep InnerNewton<Rows>::exact_step(Function& function, Monitor& monitor) {
  if (!find_direction(function, monitor)) return {0.0, 0, true};
  function.set_direction(direction_);
  const Step step = find_zero_slope(function, settings_.line_search_tolerance);
  monitor.counters().projections += step.trials;
  trial_ = function.velocity() + step.length * direction_;
  function.evaluate(trial_);
  return step;
}

template <int Rows>
InnerStep InnerNewton<Rows>::damped_step(Function& function, Monitor& monitor) {
  if (!find_direction(function, monitor)) return {0.0, 0, true};
  const double merit = function.norm(function.value());
  old_ = function.velocity();
  double length = 1.0;
  for (int trial = 1; trial <= backtracks; ++trial, length *= 0.5) {
    ++monitor.counters().projections;
    trial_ = old_ + length * direction_;
    function.evaluate(trial_);
    if (function.norm(function.value()) <= (1.0 - armijo * length) * merit) return {length, trial, false};
  }
  function.evaluate(old_);
  return {0.0, backtracks, true};
}

/// Dogleg in the variables y_j = H_jj^½ v_j, so that neither the region nor the merit depends on units (Powell 1970).
template <int Rows>
InnerStep InnerNewton<Rows>::dogleg_step(Function& function, Monitor& monitor) {
  const bool newton = find_direction(function, monitor);
  const Vector& S = function.inverse_diagonal();
  const double merit = function.norm(function.value());
  old_ = function.velocity();
  value_ = S.cwiseProduct(function.value());
  function.multiply(value_, gradient_, true);
  gradient_ = -S.cwiseProduct(gradient_);  // steepest descent, in v
  function.multiply(gradient_, image_, false);
  const double gradient_square = gradient_.cwiseAbs2().dot(S.cwiseInverse());
  const double image_square = image_.cwiseAbs2().dot(S);
  if (!(gradient_square > 0.0) || !(image_square > 0.0)) return {0.0, 0, true};
  gradient_ *= gradient_square / image_square;  // the Cauchy point
  const double cauchy_size = std::sqrt(gradient_square) * gradient_square / image_square;
  if (!newton) direction_ = gradient_;
  const double newton_size = std::sqrt(direction_.cwiseAbs2().dot(S.cwiseInverse()));
  if (radius_ == 0.0) radius_ = newton_size;
  value_ = function.value();
  for (int trial = 1; trial <= backtracks; ++trial) {
    dogleg_point(function, newton_size, cauchy_size);
    const double size = std::sqrt(step_.cwiseAbs2().dot(S.cwiseInverse()));
    function.multiply(step_, image_, false);
    image_ += value_;
    trial_ = old_ + step_;
    function.evaluate(trial_);
    ++monitor.counters().projections;
    const double now = function.norm(function.value()), predicted = function.norm(image_);
    const double ratio = (merit * merit - now * now) / (merit * merit - predicted * predicted);
    if (!(ratio >= 0.25))
      radius_ = 0.25 * size;
    else if (ratio > 0.75)
      radius_ = std::max(radius_, 2.0 * size);
    if (ratio > armijo && now < merit) return {size / newton_size, trial, false};
  }
  function.evaluate(old_);
  radius_ = 0.0;
  return {0.0, backtracks, true};
}

/// step_: the point of the path 0 – Cauchy – Newton at distance radius_, or its end.
template <int Rows>
void InnerNewton<Rows>::dogleg_point(const Function& function, double newton_size, double cauchy_size) {
  if (newton_size <= radius_) {
    step_ = direction_;
    return;
  }
  if (cauchy_size >= radius_) {
    step_ = (radius_ / cauchy_size) * gradient_;
    return;
  }
  step_ = direction_ - gradient_;
  const Vector& S = function.inverse_diagonal();
  double a = 0.0, b = 0.0;
  for (Index j = 0; j < step_.size(); ++j) {
    a += step_[j] * step_[j] / S[j];
    b += step_[j] * gradient_[j] / S[j];
  }
  const double c = cauchy_size * cauchy_size - radius_ * radius_;
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  const double along = b > 0.0 ? -c / (b + root) : (root - b) / a;
  step_ = gradient_ + along * step_;
}

template class InnerNewton<3>;
template class InnerNewton<most_rows>;

}  // namespace ccp
