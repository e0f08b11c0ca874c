#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/contact_problem.hpp"

namespace ccp {

/// How the diagonal compliance R of a rigid problem is chosen.
enum class Regularisation {
  near_rigid,  ///< R_n = β²/(4π²) w, R_T = σ w, w = ‖N_ii‖_F/rows (M.2)
  impedance    ///< R_n = (1 − d)/d N_nn, R_T = R_n/impratio (M.3)
};

struct RegularisationSettings {
  Regularisation kind = Regularisation::near_rigid;
  double beta = 1.0, sigma = 1e-3;         ///< of near_rigid
  double impedance = 0.9, impratio = 1.0;  ///< of impedance
};

/// The regularised law γ(u) = argmin ½(γ − y)ᵀR(γ − y), γ ∈ Υ, y = −R⁻¹u (M.4), with a diagonal R > 0 that has one value on
/// the tangents of a contact: R is the compliance of the problem, and nowhere less than that of the regularisation. u: m,
/// m/s, without C γ. No allocation after the constructor.
class RegularisedLaw {
 public:
  RegularisedLaw(const ContactProblem& problem, const RegularisationSettings& settings);

  /// Why the compliance of a problem is none of this form; nothing when it is.
  static std::optional<std::string> defect(const ContactProblem& problem);

  /// γ(u), m, and its energy ½ γᵀRγ, J.
  double impulses(const Vector& u, Vector& gamma) const;
  /// −dγ_i/du_i of all blocks, symmetric and positive semidefinite, kg.
  void derivative(const Vector& u, std::vector<Matrix3>& G) const;
  /// The derivatives of the energy along u + α du.
  struct Slope {
    double first = 0.0, second = 0.0;
  };
  Slope slope(const Vector& u, const Vector& du, double alpha) const;

  /// √R, m; √(m/s/(N·s)).
  const Vector& root() const { return root_; }
  /// R without the compliance of the problem, m, m/(s·N·s).
  const Vector& added() const { return added_; }

 private:
  Vector3 scaled_point(const Vector& u, Index i) const;
  Matrix3 scaled_derivative(const Vector3& point, Index i) const;

  ConstraintSet constraints_;
  Vector root_, added_;
  std::vector<double> friction_;  ///< of the scaled cones, μ √(R_T/R_n)
};

}  // namespace ccp
