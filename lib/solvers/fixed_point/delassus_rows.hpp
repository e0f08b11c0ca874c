#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/contact_problem.hpp"

/// What a fixed-point method needs of the Delassus operator: the local velocity of one block, after every change or with all
/// impulses of the last sweep. Two forms with the same interface, so that each method is written once.
namespace ccp {

/// Reads N from its block-CSR form: u_i = Σ_j N_ij γ_j.
class AssembledRows {
 public:
  explicit AssembledRows(const ContactProblem& problem) : N_(problem.assembled()) {}
  /// The block whose numbers follow in the memory.
  Index block_at(Index place) const { return place; }
  /// Forgets what was kept; the next products are those of `impulse`.
  void restart(const Vector& /*impulse*/, int /*threads*/ = 1) {}
  /// (N γ)_i, where γ has the changes reported since the restart.
  template <int Rows>
  [[gnu::always_inline]] inline BlockVector<Rows> product(Index block, const Vector& impulse) const {
    return N_.row_product<Rows>(block, impulse.data());
  }
  /// Announces what later blocks need, where that pays.
  bool far() const { return false; }
  template <int Rows>
  void fetch_ahead(Index) const {}
  /// γ_i has become γ_i + delta.
  template <int Rows>
  void changed(Index /*block*/, const BlockVector<Rows>& /*delta*/) {}

 private:
  const AssembledDelassus& N_;
};

/// Keeps v = H⁻¹Dγ up to date: u_i = D_iᵀ v + C_i γ_i, v += H⁻¹ D_i Δγ_i; never forms N.
class FactoredRows {
 public:
  explicit FactoredRows(const ContactProblem& problem) : N_(problem.factored()), velocity_(Vector::Zero(N_.padded_size())) {}
  Index block_at(Index place) const { return N_.order()[static_cast<std::size_t>(place)]; }
  void restart(const Vector& impulse, int threads = 1) { N_.body_velocity(impulse, velocity_.data(), threads); }
  template <int Rows>
  [[gnu::always_inline]] inline BlockVector<Rows> product(Index block, const Vector& impulse) const {
    const Index offset = N_.constraints().offset(block);
    return N_.local_velocity<Rows>(block, velocity_.data(), Eigen::Map<const BlockVector<Rows>>(impulse.data() + offset));
  }
  bool far() const { return N_.far(); }
  template <int Rows>
  [[gnu::always_inline]] inline void fetch_ahead(Index block) const {
    N_.fetch_ahead<Rows>(block);
  }
  template <int Rows>
  [[gnu::always_inline]] inline void changed(Index block, const BlockVector<Rows>& delta) {
    N_.add_impulse<Rows>(block, delta, velocity_.data());
  }

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
