#include <algorithm>
#include <cmath>

#include "cones/friction_cone.hpp"
#include "cones/rolling_cone.hpp"
#include "problem/judge/infeasibility.hpp"
#include "problem/judge/infeasibility_bounds.hpp"

namespace ccp {
namespace {

constexpr int most_newton_steps = 60;
constexpr double fine = 1e-10, coarse = 0.1;  // relative residuals at which conjugate gradients end
constexpr double most_work = 1e9;             // operations
constexpr double support = 1e-6;              // of the largest block; what is smaller is taken for rounding
constexpr double nearly = 1e-5;               // ‖Ay‖ relative to ‖y‖ at which a candidate is worth a check
constexpr int projections = 5;                // refine what conjugate gradients leave
constexpr double grid = 1099511627776.0;      // 2^40: candidates are also tried with their last bits rounded away

/// A (k×m), each row scaled to the largest entry 1, with Nᵀy = 0 where Ay = 0: D and C, or Nᵀ. Counts the work.
class Rows {
 public:
  explicit Rows(const ContactProblem& problem) {
    if (problem.given_global()) {
      const GlobalForm& form = problem.global();
      A_ = form.C.nonZeros() > 0 ? stacked(form.D, form.C) : form.D;
    } else {
      A_ = problem.local().N.transpose();
    }
    Vector largest = Vector::Zero(A_.rows());
    for_entries([&largest](SparseMatrix::InnerIterator& entry) {
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
    });
    for_entries([&largest](SparseMatrix::InnerIterator& entry) {
      if (largest[entry.row()] > 0.0) entry.valueRef() /= largest[entry.row()];
    });
    column_zero_.assign(uz(A_.cols()), true);
    for_entries([this](SparseMatrix::InnerIterator& entry) {
      if (entry.value() != 0.0) column_zero_[uz(entry.col())] = false;
    });
  }

  Index rows() const { return A_.rows(); }
  bool moves_nothing(Index column) const { return column_zero_[uz(column)]; }
  Vector multiply(const Vector& y) {
    work_ += 2.0 * static_cast<double>(A_.nonZeros() + A_.rows() + A_.cols());
    return A_ * y;
  }
  Vector multiply_transposed(const Vector& w) {
    work_ += 2.0 * static_cast<double>(A_.nonZeros() + A_.rows() + A_.cols());
    return A_.transpose() * w;
  }
  bool exhausted() const { return work_ > most_work; }

 private:
  static SparseMatrix stacked(const SparseMatrix& upper, const SparseMatrix& lower) {
    std::vector<Triplet> entries;
    for (const auto& [part, first] : {std::pair(&upper, Index(0)), std::pair(&lower, upper.rows())})
      for (Index j = 0; j < part->cols(); ++j)
        for (SparseMatrix::InnerIterator entry(*part, j); entry; ++entry)
          entries.emplace_back(static_cast<int>(first + entry.row()), static_cast<int>(j), entry.value());
    return from_triplets(upper.rows() + lower.rows(), upper.cols(), entries);
  }
  template <class Use>
  void for_entries(const Use& use) {
    for (Index j = 0; j < A_.cols(); ++j)
      for (SparseMatrix::InnerIterator entry(A_, j); entry; ++entry) use(entry);
  }

  SparseMatrix A_;
  std::vector<bool> column_zero_;
  double work_ = 0.0;
};

/// d with A S Aᵀ d = g by conjugate gradients; S: y -> S y in place. The system may be singular, g lies in its range.
template <class Scale>
Vector solve_normal(Rows& A, const Scale& scale, const Vector& g, double accuracy) {
  Vector d = Vector::Zero(g.size()), residual = g, p = g;
  double square = residual.squaredNorm();
  const double enough = accuracy * accuracy * square;
  const Index most = 2 * g.size() + 20;
  for (Index i = 0; i < most && square > enough && !A.exhausted(); ++i) {
    Vector z = A.multiply_transposed(p);
    scale(z);
    const Vector q = A.multiply(z);
    const double curvature = p.dot(q);
    if (!(curvature > 0.0)) break;
    const double step = square / curvature;
    d += step * p;
    residual -= step * q;
    const double next = residual.squaredNorm();
    p = residual + next / square * p;
    square = next;
  }
  return d;
}

/// The search in one cone: that of normals alone (y_T = 0), or Υ.
class Search {
 public:
  Search(const ContactProblem& problem, Model model, bool normals, Rows& rows, const Vector& velocity, double fastest)
      : problem_(problem),
        set_(problem.constraints()),
        model_(model),
        normals_(normals),
        A_(rows),
        x_(-velocity),
        fastest_(fastest) {}

  /// Minimises ½‖Π(−r − Aᵀw)‖² (K.10) by Newton's method (K.11) with a line search.
  std::optional<Infeasibility> run() {
    Vector y = projected(x_);
    for (int i = 0; i < most_newton_steps && !A_.exhausted(); ++i) {
      if (!(largest_block(y) > least_excess * fastest_)) return std::nullopt;  // violations as small as this prove nothing
      const Vector g = A_.multiply(y);
      if (g.norm() <= nearly * y.norm())
        if (auto proof = candidate(y)) return proof;
      const Vector d = solve_normal(
          A_, [this](Vector& z) { differentiate(z); }, g, coarse);
      const Vector change = A_.multiply_transposed(d);
      const double slope = g.dot(d), before = y.squaredNorm();
      double step = 1.0;
      Vector trial = projected(x_ - change);
      while (trial.squaredNorm() > before - 1e-4 * step * slope && step > 1e-10) {
        step *= 0.5;
        trial = projected(x_ - step * change);
      }
      if (!(step > 1e-10) || !trial.allFinite()) return candidate(y);
      x_ -= step * change;
      y = trial;
    }
    return std::nullopt;
  }

 private:
  Vector projected(const Vector& x) const {
    Vector y = x;
    for (Index i = 0; i < set_.count(); ++i) project_block(i, y);
    return y;
  }

  void project_block(Index i, Vector& y) const {
    const Index offset = set_.offset(i);
    if (set_.kind(i) == ConstraintKind::bilateral) return;
    if (normals_ || !has_friction(set_.kind(i))) {
      y[offset] = std::max(y[offset], 0.0);
      y.segment(offset + 1, set_.rows(i) - 1).setZero();
    } else if (set_.kind(i) == ConstraintKind::contact) {
      y.segment<3>(offset) = project_friction_cone(Vector3(y.segment<3>(offset)), set_.friction(i));
    } else if (has_moments(set_.kind(i))) {
      project_rolling_cone(rolling_cone(set_, i), &y[offset], &y[offset]);
    } else {
      y.segment<2>(offset) = project_friction_cone(Vector2(y.segment<2>(offset)), set_.friction(i));
    }
  }

  /// z <- the derivative of the projection at x, applied to z.
  void differentiate(Vector& z) const {
    for (Index i = 0; i < set_.count(); ++i) {
      const Index offset = set_.offset(i);
      if (set_.kind(i) == ConstraintKind::bilateral) continue;
      if (normals_ || !has_friction(set_.kind(i))) {
        if (!(x_[offset] > 0.0)) z[offset] = 0.0;
        z.segment(offset + 1, set_.rows(i) - 1).setZero();
      } else if (set_.kind(i) == ConstraintKind::contact) {
        const Vector3 part = z.segment<3>(offset);
        z.segment<3>(offset) = friction_cone_derivative(Vector3(x_.segment<3>(offset)), set_.friction(i)) * part;
      } else if (has_moments(set_.kind(i))) {
        const BlockColumn part = z.segment(offset, set_.rows(i));
        z.segment(offset, set_.rows(i)) = rolling_cone_derivative(rolling_cone(set_, i), &x_[offset]) * part;
      } else {
        const Vector2 part = z.segment<2>(offset);
        z.segment<2>(offset) = friction_cone_derivative(Vector2(x_.segment<2>(offset)), set_.friction(i)) * part;
      }
    }
  }

  double block_norm(Index i, const Vector& y) const { return y.segment(set_.offset(i), set_.rows(i)).norm(); }
  double largest_block(const Vector& y) const {
    double largest = 0.0;
    for (Index i = 0; i < set_.count(); ++i) largest = std::max(largest, block_norm(i, y));
    return largest;
  }

  /// y without the blocks that are zero but for rounding, projected on the null space of A, and checked.
  std::optional<Infeasibility> candidate(const Vector& y) {
    const double least = support * largest_block(y);
    Vector mask = Vector::Zero(y.size());
    for (Index i = 0; i < set_.count(); ++i) {
      if (!(block_norm(i, y) > least)) continue;
      const Index offset = set_.offset(i);
      mask[offset] = 1.0;
      const auto tangents = y.segment(offset + 1, set_.rows(i) - 1);
      if (!tangents.isZero(0.0)) mask.segment(offset + 1, set_.rows(i) - 1).setOnes();
    }
    Vector z = y.cwiseProduct(mask);
    const auto restrict = [&mask](Vector& part) { part = part.cwiseProduct(mask).eval(); };
    Vector g = A_.multiply(z);
    for (int i = 0; i < projections && !g.isZero(0.0); ++i) {
      Vector nearer = A_.multiply_transposed(solve_normal(A_, restrict, g, fine));
      restrict(nearer);
      nearer = z - nearer;
      const Vector left = A_.multiply(nearer);
      if (!(left.norm() < g.norm())) break;
      z = nearer;
      g = left;
    }
    if (!(max_norm(z) > 0.0) || !z.allFinite()) return std::nullopt;
    z /= max_norm(z);
    const Vector rounded = (z * grid).array().round() / grid;
    if (auto proof = check_infeasibility(problem_, model_, rounded)) return proof;
    return check_infeasibility(problem_, model_, z);
  }

  const ContactProblem& problem_;
  const ConstraintSet& set_;
  Model model_;
  bool normals_;
  Rows& A_;
  Vector x_;  ///< −(r + Aᵀw)
  double fastest_;
};

/// The row that no impulse moves and that violates its law most.
std::optional<Infeasibility> unmoved_row(const ContactProblem& problem, Model model, const Rows& rows, const Vector& free) {
  const ConstraintSet& set = problem.constraints();
  Index worst = -1;
  double largest = 0.0;
  for (Index i = 0; i < set.count(); ++i) {
    const Index row = set.offset(i);
    const double violation = set.kind(i) == ConstraintKind::bilateral ? std::abs(free[row]) : -free[row];
    if (!rows.moves_nothing(row) || !(violation > largest)) continue;
    worst = row;
    largest = violation;
  }
  if (worst < 0) return std::nullopt;
  Vector y = Vector::Zero(set.rows());
  y[worst] = free[worst] < 0.0 ? 1.0 : -1.0;
  return check_infeasibility(problem, model, y);
}

}  // namespace

std::optional<Infeasibility> find_infeasibility(const ContactProblem& given, Model model, const Vector* reached) {
  const ContactProblem problem = model == Model::ccp ? given.symmetrised() : given;
  const ConstraintSet& set = problem.constraints();
  if (set.count() == 0) return std::nullopt;
  Vector scratch, free;
  problem.local_velocity(Vector::Zero(set.rows()), scratch, free);
  const double fastest = max_norm(free);
  if (!(fastest > 0.0) || !std::isfinite(fastest)) return std::nullopt;
  const Vector& start = reached != nullptr ? *reached : free;
  Rows rows(problem);
  if (auto proof = unmoved_row(problem, model, rows, free)) return proof;
  if (auto proof = Search(problem, model, true, rows, start, fastest).run()) return proof;
  if (model == Model::ncp || set.contacts() == 0) return std::nullopt;
  return Search(problem, model, false, rows, start, fastest).run();
}

}  // namespace ccp
