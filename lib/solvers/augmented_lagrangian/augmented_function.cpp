#include "solvers/augmented_lagrangian/augmented_function.hpp"

#include "solvers/shared/padded_blocks.hpp"

namespace ccp {
namespace {

constexpr double rounding = 2e-16;

}  // namespace

template <int Rows>
AugmentedFunction<Rows>::AugmentedFunction(const ContactProblem& problem, Model map)
    : problem_(problem),
      set_(problem_.constraints()),
      H_(problem_.global().H),
      D_(problem_.global().D),
      k_(problem_.global().k),
      maps_(set_, map),
      inverse_diagonal_(Vector(H_.diagonal()).cwiseInverse()) {
  for (Vector* vector : {&v_, &momentum_, &load_, &value_, &direction_momentum_, &carried_}) vector->setZero(H_.rows());
  for (Vector* vector : {&target_, &constraint_velocity_, &impulse_, &direction_velocity_, &weighted_})
    vector->setZero(D_.cols());
  penalty_.setOnes(set_.count());
  blocks_.assign(uz(set_.count()), Square::Zero());
}

template <int Rows>
void AugmentedFunction<Rows>::freeze(const Vector& target, const Vector& penalty) {
  target_ = target;
  penalty_ = penalty;
}

template <int Rows>
void AugmentedFunction<Rows>::evaluate(const Vector& v) {
  v_ = v;
  constraint_velocity_.noalias() = D_.transpose() * v_;
  for (Index i = 0; i < set_.count(); ++i)
    put_block(set_, impulse_, i,
              maps_.value(i, padded_block<Rows>(set_, target_, i) -
                                 penalty_[i] * padded_block<Rows>(set_, constraint_velocity_, i)));
  momentum_.noalias() = H_ * v_;
  load_.noalias() = D_ * impulse_;
  value_ = (momentum_ - k_) - load_;
}

template <int Rows>
const std::vector<typename AugmentedFunction<Rows>::Square>& AugmentedFunction<Rows>::linearise() {
  for (Index i = 0; i < set_.count(); ++i)
    blocks_[uz(i)] =
        penalty_[i] *
        maps_.map(i, padded_block<Rows>(set_, target_, i) - penalty_[i] * padded_block<Rows>(set_, constraint_velocity_, i))
            .derivative;
  return blocks_;
}

template <int Rows>
void AugmentedFunction<Rows>::multiply(const Vector& x, Vector& y, bool transposed) {
  weighted_.noalias() = D_.transpose() * x;
  for (Index i = 0; i < set_.count(); ++i) {
    const Square& W = blocks_[uz(i)];
    const Point own = padded_block<Rows>(set_, weighted_, i);
    put_block(set_, weighted_, i, transposed ? Point(W.transpose() * own) : Point(W * own));
  }
  carried_.noalias() = D_ * weighted_;
  y.noalias() = H_ * x;
  y += carried_;
}

template <int Rows>
void AugmentedFunction<Rows>::set_direction(const Vector& d) {
  direction_velocity_.noalias() = D_.transpose() * d;
  direction_momentum_.noalias() = H_ * d;
  start_slope_ = d.dot(value_);
  curvature_ = d.dot(direction_momentum_);
  noise_ = 0.0;
  for (Index i = 0; i < set_.count(); ++i)
    noise_ += rounding * padded_block<Rows>(set_, direction_velocity_, i).norm() *
              (padded_block<Rows>(set_, target_, i).norm() +
               penalty_[i] * padded_block<Rows>(set_, constraint_velocity_, i).norm());
}

template <int Rows>
typename AugmentedFunction<Rows>::Slope AugmentedFunction<Rows>::slope(double length) const {
  Slope result{start_slope_ + length * curvature_, curvature_};
  for (Index i = 0; i < set_.count(); ++i) {
    const Point along = padded_block<Rows>(set_, direction_velocity_, i);
    const Point s = padded_block<Rows>(set_, target_, i) -
                    penalty_[i] * (padded_block<Rows>(set_, constraint_velocity_, i) + length * along);
    const typename PaddedMaps<Rows>::Map map = maps_.map(i, s);
    result.value -= along.dot(map.value - padded_block<Rows>(set_, impulse_, i));
    result.derivative += penalty_[i] * along.dot(map.derivative * along);
  }
  return result;
}

template class AugmentedFunction<3>;
template class AugmentedFunction<most_rows>;

}  // namespace ccp
