#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/delassus/delassus.hpp"
#include "problem/delassus/factored_delassus.hpp"
#include "problem/delassus/solved_delassus.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

class Share;
struct Subsystems;

/// Global form (A.1, A.2): H v = k + D γ,  u = Dᵀ v + C γ + b.
struct GlobalForm {
  SparseMatrix H;  ///< n×n, positive definite, full (both triangles), kg
  SparseMatrix D;  ///< n×m, transpose Jacobian
  SparseMatrix C;  ///< m×m compliance, block-diagonal PSD; 0 entries when rigid; m/(s·N·s)
  Vector k;        ///< n, kg·m/s
  Vector b;        ///< m, m/s
};

/// Local form (A.3): u = N γ + r.
struct LocalForm {
  SparseMatrix N;  ///< m×m Delassus operator, 1/kg; symmetric PSD in theory, as given in practice
  Vector r;        ///< m, free velocity, m/s
};

/// Time spent on one derived form, s.
struct Conversion {
  std::string name;
  double seconds = 0.0;
};

/// One complementarity problem with friction: immutable, cheap to copy (shared data), in global or local form, with the
/// other form derived on demand, exactly, cached and timed. Built by ProblemBuilder. Not safe for concurrent use from
/// several threads (the caches are filled on first use).
class ContactProblem {
 public:
  const std::string& name() const;
  const ConstraintSet& constraints() const;
  /// m, the size of γ, u, b and r.
  Index rows() const { return constraints().rows(); }
  /// Size of v in the given global form; 0 for a problem given in local form.
  Index dofs() const;

  /// Which form the problem was given in.
  bool given_global() const;

  /// The global form: as given, or from N = L Lᵀ with H = I, D = Lᵀ, k = 0, b = r (B.4; v = Lᵀγ; rank-revealing, symmetric
  /// PSD part; what was clipped is clipped()).
  const GlobalForm& global() const;
  /// The local form: as given, or N = DᵀH⁻¹D + C, r = DᵀH⁻¹k + b (A.3).
  const LocalForm& local() const;

  /// N by 3×3 blocks.
  const AssembledDelassus& assembled() const;
  /// True when the factored operator exists: given in global form with a symmetric, block-diagonal H.
  bool has_factored() const;
  /// N as D and H⁻¹ with 6×3 blocks. Throws std::logic_error unless has_factored().
  const FactoredDelassus& factored() const;
  /// N as products with D and solves with H, for any H. Throws std::logic_error for a problem given in local form.
  const SolvedDelassus& solved() const;
  /// N_ii of all blocks, each in the leading corner of its matrix, 1/kg. A problem given in global form does not form N for
  /// them.
  const std::vector<BlockSquare>& diagonal_blocks() const;
  /// r, m/s; does not form N.
  const Vector& free_velocity() const;
  /// The share of this rank in a problem of several (share.hpp): constraints(), vectors, D and b are those of its own
  /// blocks, H and k those of all bodies that it knows. D, H, k and mass() are there if SharedForm::keeps_matrices alone; of
  /// mass() the partition always is. Null for a whole problem.
  const Share* share() const;
  /// N of a shared problem: its own rows, with the impulses of all ranks.
  const DelassusOperator& shared() const;
  /// u = Dᵀ H⁻¹(k + D γ) + C γ + b for a problem given in global form, N γ + r otherwise (A.2, A.3; on stiff stacks N γ + r
  /// loses ten digits); of a shared problem by (E.14). u: m, resized. body_scratch: n, resized; holds v afterwards when
  /// given global and not shared.
  void local_velocity(const Vector& impulse, Vector& body_scratch, Vector& u) const;
  /// H⁻¹ of the global form (derived where it was not given).
  const MassMatrix& mass() const;

  /// The subsystems that were given with the problem (subsystems.hpp); null when none were.
  const Subsystems* subsystems() const;

  /// False when H was given and is not symmetric, as with gyroscopic forces or tangent stiffness in it: N is not symmetric
  /// then either, and there is no objective (A.6).
  bool symmetric_mass() const { return mass_asymmetry() == 0.0; }
  /// max |H_ij − H_ji| / √(H_ii H_jj) of a problem given in global form where that is above 1e-10, which counts as rounding;
  /// 0 otherwise.
  double mass_asymmetry() const;
  /// max|N − Nᵀ| / max|N| of a problem given in local form; 0 in global form.
  double symmetry_defect() const;
  /// ‖N − LLᵀ‖_max/‖N‖_max of the derived global form (negative part of an indefinite N, and rounding); 0 when given global.
  double clipped() const;
  /// The problem with (N + Nᵀ)/2; the problem itself when N is symmetric or the form is global, whatever its H.
  ContactProblem symmetrised() const;

  /// The cohesion shift of (B.2): the user's impulses are γ = γ' − impulse_shift. Empty when there is none.
  const Vector& impulse_shift() const;

  /// ℓ of the rows of moments, m, and 1 of the others (A.7); empty where no block has moments. The given form has each row
  /// of u divided by it, and each impulse multiplied.
  Vector row_lengths() const;
  /// An impulse of the problem as given in the terms of this object, its blocks shifted and their moments scaled; and back.
  Vector own_impulse(Vector given) const;
  Vector given_impulse(Vector own) const;

  /// What was derived so far and how long it took. The first caller pays: the set-up time of a solver includes what it was
  /// the first to ask for. "inverse of H" of a global problem is made when the problem is built.
  std::vector<Conversion> conversions() const;

  struct Data;  ///< defined in contact_problem_data.hpp, for this module alone
  explicit ContactProblem(std::shared_ptr<Data> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<Data> data_;
};

}  // namespace ccp
