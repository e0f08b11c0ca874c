#pragma once

#include <memory>

#include "solvers/augmented_lagrangian/inner_newton.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Settings of the augmented Lagrangian methods of Lee et al. 2025, Algorithm 1.
struct AugmentedSettings {
  InnerSettings inner;
  double beta = 0.0;  ///< β⁰, kg; 0: 10 times the mean of 1/N_ii
  double kappa = 10.0;
  double zeta = 0.25;
  double beta_max = 1e4;  ///< largest β times the mean of N_ii
  double inner_tolerance = 0.01;
  int inner_steps = 50;
  double tolerance = 1e-10;
};

/// Native columns of the sessions below.
std::vector<NativeColumn> augmented_columns();

/// The augmented Lagrangian method, one for all inner methods. With the Euclidean projection (exact_newton) the De Saxcé
/// term of the ncp model is frozen at the last outer iterate; the strict projection of the others is the ncp model itself.
std::unique_ptr<Session> make_augmented_session(const AugmentedSettings& settings, const ContactProblem& problem,
                                                Model model, Monitor& monitor);

}  // namespace ccp
