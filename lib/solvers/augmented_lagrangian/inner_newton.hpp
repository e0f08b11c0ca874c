#pragma once

#include "solvers/augmented_lagrangian/augmented_function.hpp"
#include "solvers/augmented_lagrangian/augmented_system.hpp"

namespace ccp {

/// How the inner problem of an augmented Lagrangian method is solved (Lee et al. 2025, sec. V and Table II).
enum class InnerMethod {
  exact_newton,  ///< Newton on the convex potential with exact line search: needs the Euclidean projection
  dogleg,        ///< trust-region dogleg on ½‖ϱ‖²
  damped         ///< Newton with backtracking on ½‖ϱ‖²
};

struct InnerSettings {
  InnerMethod method = InnerMethod::exact_newton;
  double line_search_tolerance = 1e-8;  ///< |slope| at the end of an exact line search, relative to that at its start
  AugmentedForm form = AugmentedForm::automatic;
};

struct InnerStep {
  double length;  ///< of the line search; of the dogleg, step over Newton step
  int trials;     ///< evaluations of the line search or the trust region
  bool failed;    ///< no acceptable point was found: v is the old one or worse
};

/// Newton steps on an AugmentedFunction. No allocation but that of the linear solver.
template <int Rows>
class InnerNewton {
 public:
  using Function = AugmentedFunction<Rows>;
  using Step = InnerStep;

  InnerNewton(const ContactProblem& problem, const InnerSettings& settings, Monitor& monitor);

  /// A new inner problem begins.
  void restart() { radius_ = 0.0; }
  /// One step from function.velocity(); the function is evaluated at the new point.
  Step step(Function& function, Monitor& monitor);

 private:
  bool find_direction(Function& function, Monitor& monitor);
  Step exact_step(Function& function, Monitor& monitor);
  Step damped_step(Function& function, Monitor& monitor);
  Step dogleg_step(Function& function, Monitor& monitor);
  void dogleg_point(const Function& function, double newton_size, double cauchy_size);

  InnerSettings settings_;
  std::unique_ptr<AugmentedSystem<Rows>> system_;
  double radius_ = 0.0;
  Vector direction_, old_, trial_, value_, gradient_, image_, step_;
};

}  // namespace ccp
