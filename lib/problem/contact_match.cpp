#include "problem/contact_match.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>

#include "cones/product_cone.hpp"

namespace ccp {
namespace {

std::size_t position(Index block) { return static_cast<std::size_t>(block); }

void check_keys(const MotionProblem& problem) {
  if (std::ssize(problem.keys) != problem.problem.constraints().count())
    throw std::logic_error("MotionProblem: blocks and keys differ in number");
}

}  // namespace

StepEnd step_end(const MotionProblem& problem, const Vector& impulse, double carried) {
  check_keys(problem);
  const ConstraintSet& set = problem.problem.constraints();
  StepEnd end{problem.keys, {}, impulse, carried};
  end.impulses.reserve(problem.keys.size());
  for (Index block = 0; block < set.count(); ++block) {
    const auto gamma = impulse.segment(set.offset(block), set.rows(block));
    Vector3 world(gamma[0], 0.0, 0.0);
    if (position(block) < problem.frames.size()) world = problem.frames[position(block)].leftCols(gamma.size()) * gamma;
    end.impulses.push_back(world);
  }
  return end;
}

Vector matched_impulse(const MotionProblem& problem, const StepEnd& last) {
  check_keys(problem);
  const ConstraintSet& set = problem.problem.constraints();
  std::map<ContactKey, std::size_t> old;
  for (std::size_t i = 0; i < last.keys.size(); ++i) old.emplace(last.keys[i], i);
  Vector gamma = Vector::Zero(set.rows());
  for (Index block = 0; block < set.count(); ++block) {
    const auto found = old.find(problem.keys[position(block)]);
    if (found == old.end()) continue;
    const Vector3& world = last.impulses[found->second];
    auto own = gamma.segment(set.offset(block), set.rows(block));
    if (position(block) < problem.frames.size())
      own = problem.frames[position(block)].leftCols(own.size()).transpose() * world;
    else
      own[0] = world[0];
  }
  const Vector& shift = problem.problem.impulse_shift();  // γ + shift lies in the cones (B.2)
  if (shift.size() > 0) gamma += shift;
  project_product(set, gamma);
  if (shift.size() > 0) gamma -= shift;
  return gamma;
}

Vector same_impulse(const MotionProblem& problem, const StepEnd& last) {
  check_keys(problem);
  const Index rows = problem.problem.rows();
  if (problem.keys == last.keys && last.impulse.size() == rows) return last.impulse;
  return Vector::Zero(rows);
}

}  // namespace ccp
