#pragma once

#include <memory>
#include <vector>

#include "solvers/splitting/admm_system.hpp"

namespace ccp {

/// The system of a problem in global form with a set E of constraint blocks eliminated and the others (B) kept (G.17):
///
///     [H + D_E (Θ_E + C_E)⁻¹ D_Eᵀ   D_B        ] {  v   }   { k + D_E (Θ_E + C_E)⁻¹ g'_E }
///     [D_Bᵀ                       −(Θ_B + C_B)] { −γ_B } = { g'_B                       },   g' = g − b,
///     γ_E = (Θ_E + C_E)⁻¹ (g'_E − D_Eᵀ v).
///
/// With every block kept this is the saddle form, with none the normal form, else the mixed form. The pattern is found and
/// analysed once; a new Θ writes the values in place.
class EliminatedSystem final : public AdmmSystem {
 public:
  /// eliminate: whether blocks that are not bilateral are eliminated; bilateral ones never are. problem must outlive this.
  /// Throws std::runtime_error with what the backend said when the pattern cannot be analysed.
  EliminatedSystem(const ContactProblem& problem, bool eliminate, const std::string& backend, int refinement,
                   Monitor& monitor);

  bool factorize(const Vector& theta, Monitor& monitor) override;
  bool solve(const Vector& g, Vector& gamma, Vector& v, Monitor& monitor) override;
  bool has_velocity() const override { return true; }
  const std::string& backend() const override { return solver_->backend(); }

 private:
  /// One constraint block and its rows of Dᵀ, dense on the degrees of freedom any of them touches.
  struct Block {
    Index offset = 0;  ///< first row of the block in γ
    int rows = 0;
    int kept = -1;           ///< first row in the system, −1 when eliminated
    std::size_t first = 0;   ///< of its degrees of freedom in dofs_
    std::size_t count = 0;   ///< of degrees of freedom
    std::size_t places = 0;  ///< first of its entries in places_
  };

  void gather_blocks(bool eliminate);
  void gather_compliance();
  /// Lower triangle of the pattern, column by column.
  void make_pattern();
  void find_places();
  int place(int row, int column) const;
  const double* coupling(const Block& block) const { return coupling_.data() + 3 * block.first; }
  Matrix3 damping(const Vector& theta, std::size_t block) const;
  void write_eliminated(const Block& block, const Matrix3& inverse);

  const GlobalForm& form_;
  const ConstraintSet& constraints_;
  std::vector<Block> blocks_;
  std::vector<int> dofs_;            ///< of each block, ascending
  std::vector<double> coupling_;     ///< three entries of D per degree of freedom of each block, unused ones zero
  std::vector<Matrix3> compliance_;  ///< C_ii, empty without compliance; unused rows zero
  std::vector<Matrix3> inverse_;     ///< (Θ_ii + C_ii)⁻¹ of eliminated blocks; unused rows are those of the identity
  std::vector<int> places_;          ///< where the entries of each block that depend on Θ are in the values of the matrix
  std::vector<double> constant_;     ///< values of the matrix without those entries
  int size_ = 0;
  Vector rhs_;
  SparseMatrix matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace ccp
