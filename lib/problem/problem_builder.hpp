#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/contact_problem.hpp"
#include "problem/shared_form.hpp"
#include "problem/subsystems.hpp"

namespace ccp {

/// The coefficients of a contact with moments, in m, over the length that its rows are scaled by (A.7): rolling/friction,
/// else spinning/friction, where both are positive; `length` (m, > 0) where they give none.
MomentFriction scaled_moments(ConstraintKind kind, double friction, double rolling, double spinning, double length = 1.0);

/// Collects one problem and checks it. Matrices and vectors in one of the two forms, then the constraint blocks in row
/// order.
///
///     ProblemBuilder builder("two blocks");
///     builder.global(H, k, D, b).contact(0.4).unilateral();
///     const ContactProblem problem = builder.build();
class ProblemBuilder {
 public:
  explicit ProblemBuilder(std::string name = "") : name_(std::move(name)) {}

  /// Global form (A.1, A.2). H: n×n (both triangles), kg; one that is off symmetry by more than rounding is taken as
  /// unsymmetric (ContactProblem::mass_asymmetry). D: n×m. k: n. b: m.
  ProblemBuilder& global(SparseMatrix H, Vector k, SparseMatrix D, Vector b);
  /// Local form (A.3). N: m×m, need not be exactly symmetric. r: m.
  ProblemBuilder& local(SparseMatrix N, Vector r);
  /// Compliance C, m×m, block-diagonal by constraint, PSD; global form only, after global(). Replaces an earlier one.
  ProblemBuilder& compliance(SparseMatrix C);

  /// Subsystems of H and parts of D, which SubADMM splits by; global form only. Without them it finds its own.
  ProblemBuilder& subsystems(Subsystems data);

  /// The problem is one rank's share of a problem of several, with its own blocks as constraints; global form only.
  ProblemBuilder& shared(std::shared_ptr<SharedForm> form);

  ProblemBuilder& contact(double friction);
  ProblemBuilder& contact2d(double friction);
  /// A contact with moments, of one of the kinds that has_moments() names: ‖m_R‖ <= rolling γ_n, |m_n| <= spinning γ_n, with
  /// coefficients >= 0 in m. The matrices have its rows of moments as they are, rates in rad/s; build() divides moments by
  /// the length of scaled_moments() and multiplies rates by it.
  ProblemBuilder& rolling_contact(ConstraintKind kind, double friction, double rolling, double spinning = 0.0,
                                  double length = 1.0);
  ProblemBuilder& unilateral();
  ProblemBuilder& bilateral();
  /// The blocks of another problem. Rows of moments are those of that problem, already scaled.
  ProblemBuilder& constraints(const ConstraintSet& set);

  /// Contact with ‖γ_T‖ <= μ(γ_n + c), γ_n >= −c, mapped on γ' = γ + c e_n (B.2). cohesion: c >= 0, N·s.
  ProblemBuilder& cohesive_contact(double friction, double cohesion);
  /// Soft row γ = −stiffness·elongation − damping·Jv (Lee et al., eq. 4) as a bilateral row with C = 1/damping and
  /// b = stiffness·elongation/damping (B.3), whatever b holds for that row. damping > 0; global form only.
  ProblemBuilder& soft(double stiffness, double damping, double elongation);

  /// One message per defect: missing or contradictory data, sizes, non-finite entries (with their place), μ < 0 or not
  /// finite, C outside its blocks or not PSD, non-positive diagonal of H, subsystems that do not fit. Empty
  /// when the problem can be built.
  std::vector<std::string> defects() const;

  /// Throws InputError naming all defects in one line, or that H is not positive definite.
  ContactProblem build() const&;
  /// The same with the matrices of the builder, which is empty then.
  ContactProblem build() &&;

 private:
  struct Soft {
    Index row;
    double stiffness, damping, elongation;
  };

  void check_global(std::vector<std::string>& defects) const;
  void check_local(std::vector<std::string>& defects) const;
  void check_constraints(std::vector<std::string>& defects) const;
  void check_compliance(std::vector<std::string>& defects) const;
  /// Adds compliances, soft rows and scaled moments to the global form.
  void resolve_global();
  /// ℓ of the rows that build() scales and 1 of the others; empty where there are none to scale.
  Vector lengths_to_scale() const;

  std::string name_;
  bool has_global_ = false, has_local_ = false, has_compliance_ = false;
  GlobalForm global_;
  LocalForm local_;
  ConstraintSet constraints_;
  std::vector<std::pair<Index, double>> cohesion_;     ///< normal row, c
  std::vector<std::pair<Index, double>> moment_rows_;  ///< to be scaled, ℓ
  std::vector<Soft> soft_;
  std::optional<Subsystems> subsystems_;
  std::shared_ptr<SharedForm> shared_;
};

}  // namespace ccp
