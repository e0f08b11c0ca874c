#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/contact_problem.hpp"

/// What a Gauss–Seidel sweep needs of the Delassus operator: the local velocity of one block with the newest impulses. Two
/// forms with the same interface, so that each sweep is written once.
namespace ccp {

/// Reads N from its block-CSR form: u_i = Σ_j N_ij γ_j.
class AssembledRows {
 public:
  explicit AssembledRows(const AssembledDelassus& N) : N_(N) {}
  void restart(const Vector&) {}
  Vector3 product(Index block, const Vector& impulse) const { return N_.row_product(block, impulse.data()); }
  void changed(Index, const Vector3&) {}

 private:
  const AssembledDelassus& N_;
};

/// Keeps v = H⁻¹Dγ up to date: u_i = D_iᵀ v + C_i γ_i, v += H⁻¹ D_i Δγ_i; never forms N.
class FactoredRows {
 public:
  explicit FactoredRows(const FactoredDelassus& N) : N_(N), velocity_(Vector::Zero(N.padded_size())) {}
  void restart(const Vector& impulse) { N_.body_velocity(impulse, velocity_.data()); }
  Vector3 product(Index block, const Vector& impulse) const {
    Vector3 own = Vector3::Zero();
    const Index rows = N_.constraints().rows(block);
    own.head(rows) = impulse.segment(N_.constraints().offset(block), rows);
    return N_.local_velocity(block, velocity_.data(), own);
  }
  void changed(Index block, const Vector3& delta) { N_.add_impulse(block, delta, velocity_.data()); }

 private:
  const FactoredDelassus& N_;
  Vector velocity_;
};

/// Which of the two a method runs on.
enum class OperatorForm { automatic, assembled, factored };

/// Nothing when the problem has the form; else the reason.
std::optional<std::string> operator_form_defect(const ContactProblem& problem, OperatorForm form);

/// automatic: factored where the problem has it, else assembled.
bool use_factored(const ContactProblem& problem, OperatorForm form);

/// The operator itself, for methods that need products only.
const DelassusOperator& select_operator(const ContactProblem& problem, OperatorForm form);

/// Name–value pairs for the settings table.
std::vector<std::pair<std::string, OperatorForm>> operator_form_names();

}  // namespace ccp
