#include "bench/run/step_loop.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace ccp {

void StepLoop::run(std::int64_t end, const Solve& solve, const OnStep& on_step) {
  while (step < end) {
    Stopwatch building;
    building.start();
    const MotionProblem problem = motion.problem();
    build_s = building.seconds();
    const std::optional<Result> result = solve(problem);
    if (!result) return;
    const bool finite = result->impulse.allFinite();
    if (advance) {
      advance();
    } else {
      if (!finite)
        throw InputError(fmt::format("the driver found no finite impulses for step {}: {}", motion.step(), result->reason));
      motion.advance(end_velocity(problem.problem, result->impulse), result->impulse);
    }
    last = finite ? step_end(problem, result->impulse, result->carried, result->multiplier) : StepEnd{};
    ++step;
    if (on_step) on_step(*result);
  }
}

}  // namespace ccp
