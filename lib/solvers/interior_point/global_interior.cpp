#include "solvers/interior_point/global_interior.hpp"

#include <algorithm>

#include "linalg/block/block_matrix.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// The equations of (J.16): a velocity w for each cone of a contact but its first. Empty where no contact is split.
GlobalForm split_form(const ContactProblem& problem, const BarrierProblem& barrier) {
  if (barrier.splits.empty()) return {};
  const GlobalForm& form = problem.global();
  const ConstraintSet& cones = barrier.constraints;
  const auto n = static_cast<int>(form.H.rows());
  const Index size = n + barrier.links;
  std::vector<int> place(uz(problem.rows()));  // of each row; that of a normal is in its first cone
  for (Index i = cones.count() - 1; i >= 0; --i)
    for (Index c = 0; c < cones.rows(i); ++c) place[uz(barrier.row[uz(3 * i + c)])] = static_cast<int>(cones.offset(i) + c);
  std::vector<Triplet> H, D, C;
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(form.H, j); entry; ++entry) H.emplace_back(entry.row(), j, entry.value());
  for (int j = 0; j < form.D.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(form.D, j); entry; ++entry)
      D.emplace_back(entry.row(), place[uz(j)], entry.value());
  for (int j = 0; j < form.C.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(form.C, j); entry; ++entry)
      C.emplace_back(place[uz(entry.row())], place[uz(j)], entry.value());
  int w = n;
  for (const BarrierProblem::Split& own : barrier.splits)
    for (Index i = own.first + 1; i < own.last; ++i, ++w) {
      D.emplace_back(w, static_cast<int>(cones.offset(own.first)), -1.0);
      D.emplace_back(w, static_cast<int>(cones.offset(i)), 1.0);
    }
  GlobalForm split{from_triplets(size, size, H),
                   from_triplets(size, cones.rows(), D),
                   from_triplets(cones.rows(), cones.rows(), C),
                   Vector::Zero(size),
                   {}};
  split.k.head(n) = form.k;
  return split;
}

}  // namespace

GlobalInterior::GlobalInterior(const ContactProblem& problem, const BarrierProblem& barrier)
    : InteriorSystem(barrier),
      problem_(problem),
      split_(split_form(problem, barrier)),
      form_(barrier.splits.empty() ? problem_.global() : split_),
      D_(jacobian_blocks(barrier.constraints, form_.D, &barrier.active)),
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
  barrier.to_scaled_velocity(problem_.global().b, own_b_);
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
  auto velocity = v.head(problem_.global().H.rows());
  problem_.mass().solve(velocity, velocity);
  share_normal_velocities(v);
}

void GlobalInterior::take_velocity(const Vector& velocity, Vector& v) {
  v.head(velocity.size()) = velocity;
  share_normal_velocities(v);
}

/// w, so that the cones of a contact have equal gaps of y, in m/s.
void GlobalInterior::share_normal_velocities(Vector& v) {
  if (barrier_.splits.empty()) return;
  Index w = problem_.global().H.rows();
  v.tail(barrier_.links).setZero();
  gather(v, t_left_);
  t_left_ += b_;
  const auto gap = [&](Index i) {
    const Vector3 u = t_left_.segment<3>(3 * i);
    return (u[0] - (barrier_.corrected ? 0.0 : u.tail<2>().norm())) / barrier_.scale[3 * i];
  };
  for (const BarrierProblem::Split& own : barrier_.splits) {
    double sum = 0.0;
    for (Index i = own.first; i < own.last; ++i) sum += gap(i);
    const double mean = sum / static_cast<double>(own.last - own.first);
    for (Index i = own.first + 1; i < own.last; ++i) v[w++] = mean - gap(i);
  }
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
