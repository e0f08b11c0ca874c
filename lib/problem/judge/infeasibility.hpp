#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/contact_problem.hpp"
#include "problem/model.hpp"

namespace ccp {

/// A proof that a problem has no solution (K.6, K.7): Nᵀy = 0 and rᵀy < 0.
struct Infeasibility {
  Vector y;                   ///< m; its largest entry is ±1
  std::vector<Index> blocks;  ///< those where y is not zero
  double speed = 0.0;         ///< m/s; whatever the impulses, one of these blocks violates its law by at least that (K.8)
};

/// Checks a certificate y (m) by sums in extended precision: its cone by the model, Nᵀy = 0 within the rounding of the
/// entries of the problem, and rᵀy well below zero (K.9). Nothing when any of this is in doubt. A y that is not finite, or
/// of the wrong size, is no certificate.
std::optional<Infeasibility> check_infeasibility(const ContactProblem& problem, Model model, const Vector& y);

/// Looks for a certificate and checks it. First single contacts and rows that no impulse moves, then the velocities that
/// violate the constraints least (K.10), among normals and bilateral rows, and for ccp also in the cones. The work is
/// bounded (about 1e9 operations); nothing when the problem has a solution, and when none was found. reached: u of some
/// impulse (m, m/s), from where the search is shorter than from r.
std::optional<Infeasibility> find_infeasibility(const ContactProblem& problem, Model model, const Vector* reached = nullptr);

/// One sentence that names the blocks, each numbered within its kind from 0, and the speed.
std::string infeasibility_text(const ContactProblem& problem, const Infeasibility& proof);

}  // namespace ccp
