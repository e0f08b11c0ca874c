#include "problems/articulated/robot_task.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {
namespace {

enum : Index { memory_path_error, memory_overlap, memory_jitter };

}  // namespace

void TaskMemory::remember(const ArticulatedWorld& world, const Vector& change, Vector& memory) const {
  const Robot& robot = world.robots()[0];
  const Tree& tree = robot.model->tree;
  const JointPath<Vector>& path = robot.impedance->path;
  const double time = world.time();
  const Vector wanted = path.angles(time);
  double error = 0.0;
  for (const std::size_t link : guided)
    error = std::max(error, std::abs(robot.pose.joints[link] - wanted[tree.first_dof(link)]));
  const Vector of_path = path.rates(time) - path.rates(time - world.time_step());
  auto mine = memory.segment<size>(first);
  mine[memory_path_error] = std::max(mine[memory_path_error], error);
  mine[memory_overlap] = std::max(mine[memory_overlap], -world.deepest_gap());
  mine[memory_jitter] += (change.head(tree.dofs()) - of_path).cwiseAbs().mean();
}

std::vector<MotionFact> TaskMemory::facts(const ArticulatedWorld& world, bool reached,
                                          const std::vector<MotionFact>& measures,
                                          const std::vector<std::pair<const char*, bool>>& failures) const {
  const auto mine = world.memory().segment<size>(first);
  const double jitter = world.step() > 0 ? mine[memory_jitter] / static_cast<double>(world.step()) : 0.0;
  std::vector<std::pair<const char*, bool>> all = failures;
  all.emplace_back("off_path", mine[memory_path_error] > limits.path_error);
  all.emplace_back("pressed_in", mine[memory_overlap] > limits.overlap);
  all.emplace_back("shakes", jitter > limits.jitter);
  const bool failed = std::any_of(all.begin(), all.end(), [](const auto& failure) { return failure.second; });
  std::vector<MotionFact> facts{{"done", reached && !failed ? 1.0 : 0.0}};
  facts.insert(facts.end(), measures.begin(), measures.end());
  facts.push_back({"path_error", mine[memory_path_error]});
  facts.push_back({"overlap", mine[memory_overlap]});
  facts.push_back({"jitter", jitter});
  for (const auto& [name, holds] : all) facts.push_back({name, holds ? 1.0 : 0.0});
  return facts;
}

}  // namespace ccp
