#include "solvers/augmented_lagrangian/augmented_function.hpp"

#include "solvers/newton/contact_map.hpp"

namespace ccp {
namespace {

constexpr double rounding = 2e-16;

}  // namespace

AugmentedFunction::AugmentedFunction(const ContactProblem& problem, Model map)
    : problem_(problem),
      set_(problem_.constraints()),
      H_(problem_.global().H),
      D_(problem_.global().D),
      k_(problem_.global().k),
      map_(map),
      inverse_diagonal_(Vector(H_.diagonal()).cwiseInverse()) {
  for (Vector* vector : {&v_, &momentum_, &load_, &value_, &direction_momentum_, &carried_}) vector->setZero(H_.rows());
  for (Vector* vector : {&target_, &slip_, &impulse_, &direction_slip_, &weighted_}) vector->setZero(D_.cols());
  penalty_.setOnes(set_.count());
  blocks_.assign(static_cast<std::size_t>(set_.count()), Matrix3::Zero());
}

Vector3 AugmentedFunction::block(const Vector& x, Index i) const {
  Vector3 value = Vector3::Zero();
  for (Index row = 0; row < set_.rows(i); ++row) value[row] = x[set_.offset(i) + row];
  return value;
}

void AugmentedFunction::set_block(Vector& x, Index i, const Vector3& value) const {
  for (Index row = 0; row < set_.rows(i); ++row) x[set_.offset(i) + row] = value[row];
}

void AugmentedFunction::freeze(const Vector& target, const Vector& penalty) {
  target_ = target;
  penalty_ = penalty;
}

void AugmentedFunction::evaluate(const Vector& v) {
  v_ = v;
  slip_.noalias() = D_.transpose() * v_;
  for (Index i = 0; i < set_.count(); ++i)
    set_block(impulse_, i,
              contact_map_value(set_.kind(i), set_.friction(i), map_, block(target_, i) - penalty_[i] * block(slip_, i)));
  momentum_.noalias() = H_ * v_;
  load_.noalias() = D_ * impulse_;
  value_ = (momentum_ - k_) - load_;
}

const std::vector<Matrix3>& AugmentedFunction::linearise() {
  for (Index i = 0; i < set_.count(); ++i)
    blocks_[static_cast<std::size_t>(i)] =
        penalty_[i] *
        contact_map(set_.kind(i), set_.friction(i), map_, block(target_, i) - penalty_[i] * block(slip_, i)).derivative;
  return blocks_;
}

void AugmentedFunction::multiply(const Vector& x, Vector& y, bool transposed) {
  weighted_.noalias() = D_.transpose() * x;
  for (Index i = 0; i < set_.count(); ++i) {
    const Matrix3& W = blocks_[static_cast<std::size_t>(i)];
    const Vector3 own = block(weighted_, i);
    set_block(weighted_, i, transposed ? Vector3(W.transpose() * own) : Vector3(W * own));
  }
  carried_.noalias() = D_ * weighted_;
  y.noalias() = H_ * x;
  y += carried_;
}

void AugmentedFunction::set_direction(const Vector& d) {
  direction_slip_.noalias() = D_.transpose() * d;
  direction_momentum_.noalias() = H_ * d;
  start_slope_ = d.dot(value_);
  curvature_ = d.dot(direction_momentum_);
  noise_ = 0.0;
  for (Index i = 0; i < set_.count(); ++i)
    noise_ +=
        rounding * block(direction_slip_, i).norm() * (block(target_, i).norm() + penalty_[i] * block(slip_, i).norm());
}

AugmentedFunction::Slope AugmentedFunction::slope(double length) const {
  Slope result{start_slope_ + length * curvature_, curvature_};
  for (Index i = 0; i < set_.count(); ++i) {
    const Vector3 along = block(direction_slip_, i);
    const Vector3 s = block(target_, i) - penalty_[i] * (block(slip_, i) + length * along);
    const ContactMap map = contact_map(set_.kind(i), set_.friction(i), map_, s);
    result.value -= along.dot(map.value - block(impulse_, i));
    result.derivative += penalty_[i] * along.dot(map.derivative * along);
  }
  return result;
}

}  // namespace ccp
