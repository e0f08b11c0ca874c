#include "solvers/interior_point/global_interior.hpp"

#include <algorithm>

#include "linalg/block/block_matrix.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
GlobalInterior::GlobalInterior(const ContactProblem& problem, const BarrierProblem& barrier)
    : InteriorSystem(barrier),
      form_(problem.global()),
      D_(jacobian_blocks(barrier.constraints, form_.D, &barrier.active)),
      problem_(problem),
      given_global_(problem.given_global()) {
  for (Index i = 0; i < barrier.count(); ++i)
    for (std::size_t e = first(i); e < first(i + 1); ++e)
      D_.row[e] = barrier.scale.segment<3>(3 * i).cwiseProduct(D_.row[e]);
  if (form_.C.nonZeros() > 0) {
    const BlockMatrix blocks = block_matrix(barrier.constraints, form_.C);
    for (Index i = 0; i < barrier.count(); ++i) {
      const auto scale = barrier.scale.segment<3>(3 * i).asDiagonal();
      const int own = blocks.diagonal[uz(i)];
      compliance_.push_back(scale * blocks.block[uz(own)] * scale);
    }
  }
  barrier.to_scaled_velocity(form_.b, own_b_);
  b_ = own_b_;
  Vector free;
  barrier.to_scaled_velocity(problem.free_velocity(), free);
  free_velocity_ = max_norm(free);
  for (Vector* vector : {&momentum_left_, &dv_, &response_}) vector->setZero(form_.H.rows());
  for (Vector* vector : {&t_left_, &dlambda_}) vector->setZero(barrier.size());
}

void GlobalInterior::gather(const Vector& v, Vector& y) const {
  for (Index i = 0; i < barrier_.count(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (std::size_t e = first(i); e < first(i + 1); ++e) sum += v[D_.dof[e]] * D_.row[e];
    y.segment<3>(3 * i) = sum;
  }
}

void GlobalInterior::scatter(const Vector& lambda, Vector& v) const {
  for (Index i = 0; i < barrier_.count(); ++i) {
    const Vector3 own = lambda.segment<3>(3 * i);
    for (std::size_t e = first(i); e < first(i + 1); ++e) v[D_.dof[e]] += D_.row[e].dot(own);
  }
}

void GlobalInterior::velocity_of(const Vector& lambda, Vector& v) {
  v = form_.k;
  scatter(lambda, v);
  problem_.mass().solve(v, v);
}

ResidualScale GlobalInterior::residuals(const Vector& v, const Vector& lambda, Vector& momentum, Vector& u) {
  ResidualScale scale;
  momentum.noalias() = form_.H * v;
  scale.momentum = std::max(max_norm(momentum), max_norm(form_.k));
  momentum -= form_.k;
  response_.setZero();
  scatter(lambda, response_);
  scale.momentum = std::max(scale.momentum, max_norm(response_));
  momentum -= response_;
  gather(v, u);
  scale.kinematic = std::max({max_norm(u), max_norm(b_), free_velocity_, max_norm(lambda)});
  for (Index i = 0; i < barrier_.count() && !compliance_.empty(); ++i)
    u.segment<3>(3 * i) += compliance(i) * lambda.segment<3>(3 * i);
  u += b_;
  return scale;
}

bool GlobalInterior::solve(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda, int refinement,
                           Monitor& monitor) {
  const LinearWork counted(linear_solver(), monitor.counters());
  bool solved = solve_once(momentum, t, dv, dlambda);
  for (int step = 0; solved && step < refinement; ++step) {
    momentum_left_.noalias() = form_.H * dv;
    response_.setZero();
    scatter(dlambda, response_);
    momentum_left_ += momentum - response_;
    gather(dv, t_left_);
    for (Index i = 0; i < barrier_.count(); ++i) {
      const BarrierBlock& P = block(i);
      const Vector3 d = dlambda.segment<3>(3 * i);
      t_left_.segment<3>(3 * i) = t.segment<3>(3 * i) - t_left_.segment<3>(3 * i) - compliance(i) * d - P.apply(d);
    }
    solved = solve_once(momentum_left_, t_left_, dv_, dlambda_);
    dv += dv_;
    dlambda += dlambda_;
  }
  if (!solved) message_ = linear_solver().info().message;
  return solved;
}

}  // namespace ccp
