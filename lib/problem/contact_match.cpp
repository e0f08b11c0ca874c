#include "problem/contact_match.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <stdexcept>

#include "cones/product_cone.hpp"

namespace ccp {
namespace {

std::size_t position(Index block) { return uz(block); }

void check_keys(const MotionProblem& problem) {
  if (std::ssize(problem.keys) != problem.problem.constraints().count())
    throw std::logic_error("MotionProblem: blocks and keys differ in number");
}

/// Where the rows of the moments of a block are, and the columns of its frame that are their axes.
struct MomentRows {
  Index first, count;
  std::array<int, 3> axis;
};
MomentRows moment_rows(const ConstraintSet& set, Index block) {
  const BlockShape shape = block_shape(set.kind(block));
  MomentRows rows{set.offset(block) + 1 + shape.tangents, Index{shape.rollings} + shape.spins, {1, 2, 0}};
  if (shape.rollings < 2) rows.axis[0] = shape.rollings == 1 ? 2 : 0;
  return rows;
}

/// Rows of a block without its moments.
Index force_rows(const ConstraintSet& set, Index block) { return 1 + block_shape(set.kind(block)).tangents; }

/// Of each block in world axes, where it has a frame; behind them the moments.
std::vector<Vector3> in_world(const MotionProblem& problem, const Vector& rows) {
  const ConstraintSet& set = problem.problem.constraints();
  std::vector<Vector3> all;
  all.reserve(problem.keys.size());
  for (Index block = 0; block < set.count(); ++block) {
    const auto own = rows.segment(set.offset(block), force_rows(set, block));
    Vector3 world(own[0], 0.0, 0.0);
    if (position(block) < problem.frames.size()) world = problem.frames[position(block)].leftCols(own.size()) * own;
    all.push_back(world);
  }
  for (Index block = 0; set.has_moments() && block < set.count(); ++block) {
    const MomentRows moments = moment_rows(set, block);
    Vector3& world = all.emplace_back(Vector3::Zero());
    for (Index i = 0; position(block) < problem.frames.size() && i < moments.count; ++i)
      world += rows[moments.first + i] * problem.frames[position(block)].col(moments.axis[uz(i)]);
  }
  return all;
}

/// The vectors of the contacts that persist, in the frames they have now; 0 of the others.
Vector matched(const MotionProblem& problem, const std::vector<ContactKey>& keys, const std::vector<Vector3>& vectors) {
  check_keys(problem);
  const ConstraintSet& set = problem.problem.constraints();
  std::map<ContactKey, std::size_t> old;
  for (std::size_t i = 0; i < keys.size(); ++i) old.emplace(keys[i], i);
  Vector rows = Vector::Zero(set.rows());
  for (Index block = 0; block < set.count(); ++block) {
    const auto found = old.find(problem.keys[position(block)]);
    if (found == old.end()) continue;
    const Vector3& world = vectors[found->second];
    auto own = rows.segment(set.offset(block), force_rows(set, block));
    if (position(block) < problem.frames.size())
      own = problem.frames[position(block)].leftCols(own.size()).transpose() * world;
    else
      own[0] = world[0];
    if (!set.has_moments() || vectors.size() < 2 * keys.size() || position(block) >= problem.frames.size()) continue;
    const MomentRows moments = moment_rows(set, block);
    for (Index i = 0; i < moments.count; ++i)
      rows[moments.first + i] =
          vectors[keys.size() + found->second].dot(problem.frames[position(block)].col(moments.axis[uz(i)]));
  }
  return rows;
}

}  // namespace

StepEnd step_end(const MotionProblem& problem, const Vector& impulse, double carried, const Vector& multiplier) {
  check_keys(problem);
  StepEnd end{problem.keys, in_world(problem, impulse), impulse, carried};
  if (multiplier.size() > 0) {
    end.multipliers = in_world(problem, multiplier);
    end.multiplier = multiplier;
  }
  return end;
}

StepEnd for_another_method(StepEnd end) {
  end.carried = 0.0;
  end.multipliers.clear();
  end.multiplier.resize(0);
  return end;
}

Vector matched_impulse(const MotionProblem& problem, const StepEnd& last) {
  Vector gamma = matched(problem, last.keys, last.impulses);
  gamma = problem.problem.own_impulse(std::move(gamma));
  project_product(problem.problem.constraints(), gamma);
  return problem.problem.given_impulse(std::move(gamma));
}

Vector same_impulse(const MotionProblem& problem, const StepEnd& last) {
  check_keys(problem);
  const Index rows = problem.problem.rows();
  if (problem.keys == last.keys && last.impulse.size() == rows) return last.impulse;
  return Vector::Zero(rows);
}

Vector matched_multiplier(const MotionProblem& problem, const StepEnd& last) {
  return last.multipliers.empty() ? Vector() : matched(problem, last.keys, last.multipliers);
}

Vector same_multiplier(const MotionProblem& problem, const StepEnd& last) {
  check_keys(problem);
  if (last.multiplier.size() == 0) return {};
  const Index rows = problem.problem.rows();
  if (problem.keys == last.keys && last.multiplier.size() == rows) return last.multiplier;
  return Vector::Zero(rows);
}

}  // namespace ccp
