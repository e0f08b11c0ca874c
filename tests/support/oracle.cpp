#include "support/oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cones/rolling_cone.hpp"

namespace ccp::testing {
namespace {

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
Quad magnitude(Quad x) { return x < 0 ? -x : x; }
Quad larger(Quad a, Quad b) { return b > a || b != b ? b : a; }

/// By two steps of Newton from the root in `long double`, whose exponents are those of a quad.
Quad root(Quad x) {
  if (!(x > 0)) return x;
  Quad y = std::sqrt(static_cast<long double>(x));
  for (int step = 0; step < 2; ++step) y = (y + x / y) / 2;
  return y;
}

Quad norm(const Quad* x, Index size) {
  Quad sum = 0;
  for (Index i = 0; i < size; ++i) sum += x[i] * x[i];
  return root(sum);
}
Quad norm(const QuadVector& x) { return norm(x.data(), static_cast<Index>(x.size())); }

QuadVector quad(const Vector& x) { return {x.begin(), x.end()}; }

Vector rounded(const QuadVector& x) {
  Vector result(static_cast<Index>(x.size()));
  for (Index i = 0; i < result.size(); ++i) result[i] = static_cast<double>(x[at(i)]);
  return result;
}

/// By rows.
QuadVector dense(const SparseMatrix& matrix) {
  QuadVector result(at(matrix.rows() * matrix.cols()), Quad(0));
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      result[at(entry.row() * matrix.cols() + j)] += entry.value();
  return result;
}

/// y + A x, or y + Aᵀ x of an A by rows.
QuadVector add_product(const QuadVector& A, const QuadVector& x, QuadVector y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i * x.size() + j] * x[j];
  return y;
}
QuadVector add_transposed(const QuadVector& A, const QuadVector& x, QuadVector y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += A[i * y.size() + j] * x[i];
  return y;
}

/// LU in place without exchanges: the symmetric part of H is positive definite, and its units do not matter then.
void factorise(QuadVector& A, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      if (A[i * n + k] == 0) continue;
      const Quad factor = A[i * n + k] /= A[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
    }
}

QuadVector solve(const QuadVector& LU, QuadVector x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) x[i] -= LU[i * n + j] * x[j];
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= LU[i * n + j] * x[j];
    x[i] /= LU[i * n + i];
  }
  return x;
}

/// (C.1): a normal and one or two tangents.
void project_cone(Quad* p, Index rows, Quad mu) {
  const Quad t = norm(p + 1, rows - 1);
  const bool polar = mu * t <= -p[0];  // first: with μ = 0 and p_T = 0 the other test holds, too
  if (!polar && t <= mu * p[0]) return;
  const Quad normal = polar ? Quad(0) : (p[0] + mu * t) / (1 + mu * mu);
  const Quad factor = t > 0 ? mu * normal / t : Quad(0);
  p[0] = normal;
  for (Index i = 1; i < rows; ++i) p[i] *= factor;
}

/// The set of a contact with moments (A.7): its normal t >= 0 is where the increasing t − p_n − Σ c_i (‖p_i‖ − c_i t)₊ is
/// zero, or 0 where that is none; of the roots for all choices of active discs the one that leaves least. (Distances would
/// not tell neighbours from each other: they differ by the square of what t differs by.)
void project_discs(Quad* p, const RollingCone& cone) {
  std::array<Quad, 3> norms{}, radii{};
  for (int i = 0; i < cone.count; ++i) {
    radii[at(i)] = cone.disc[at(i)].radius;
    norms[at(i)] = norm(p + cone.disc[at(i)].first, cone.disc[at(i)].size);
  }
  const auto slope = [&](Quad t) {
    Quad sum = t - p[0];
    for (int i = 0; i < cone.count; ++i) sum -= radii[at(i)] * larger(norms[at(i)] - radii[at(i)] * t, Quad(0));
    return sum;
  };
  Quad normal = 0, least = -1;
  for (int choice = 0; choice < 1 << cone.count && slope(Quad(0)) < 0; ++choice) {
    Quad above = p[0], below = 1;
    for (int i = 0; i < cone.count; ++i) {
      if ((choice >> i) % 2 == 0) continue;
      above += radii[at(i)] * norms[at(i)];
      below += radii[at(i)] * radii[at(i)];
    }
    const Quad t = above / below, left = magnitude(slope(t));
    if (!(t > 0) || (least >= 0 && left >= least)) continue;
    least = left;
    normal = t;
  }
  p[0] = normal;
  for (int i = 0; i < cone.count; ++i) {
    const ConeDisc& disc = cone.disc[at(i)];
    const Quad radius = radii[at(i)] * normal;
    for (int row = disc.first; norms[at(i)] > radius && row < disc.first + disc.size; ++row) p[row] *= radius / norms[at(i)];
  }
}

constexpr std::size_t most = most_rows;
using Matrix = std::array<std::array<Quad, most>, most>;

Matrix multiply(const Matrix& A, const Matrix& B, std::size_t n) {
  Matrix result{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) result[i][j] += A[i][k] * B[k][j];
  return result;
}

Matrix transposed(const Matrix& A) {
  Matrix result{};
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t j = 0; j < most; ++j) result[i][j] = A[j][i];
  return result;
}

/// Makes A, symmetric, diagonal by rotations of Jacobi, and returns them as columns.
Matrix diagonalise(Matrix& A, std::size_t n) {
  Matrix V{};
  for (std::size_t i = 0; i < n; ++i) V[i][i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (A[p][q] * A[p][q] <= 1e-80 * A[p][p] * A[q][q]) continue;  // far below rounding
        const Quad theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const Quad t = (theta < 0 ? -1 : 1) / (magnitude(theta) + root(theta * theta + 1));
        const Quad c = 1 / root(t * t + 1), s = t * c;
        Matrix turn{};
        for (std::size_t i = 0; i < n; ++i) turn[i][i] = 1;
        turn[p][p] = turn[q][q] = c;
        turn[p][q] = s;
        turn[q][p] = -s;
        A = multiply(transposed(turn), multiply(A, turn, n), n);
        A[p][q] = A[q][p] = 0;
        V = multiply(V, turn, n);
      }
  return V;
}

/// A⁺ = (AᵀA)⁺Aᵀ; singular values below 1e-15 of the largest count as 0.
Matrix pseudo_inverse_of(const Matrix& A, std::size_t n) {
  constexpr double least = 1e-30;
  Matrix values = multiply(transposed(A), A, n);
  const Matrix V = diagonalise(values, n);
  Quad largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = larger(largest, values[i][i]);
  Matrix inverse{};
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = values[i][i] > least * largest ? 1 / values[i][i] : Quad(0);
  return multiply(multiply(V, multiply(inverse, transposed(V), n), n), transposed(A), n);
}

}  // namespace

Oracle::Oracle(const ContactProblem& problem, Model model)
    : problem_(problem), model_(model), set_(problem.constraints()), block_diagonal_(at(most_rows * set_.rows()), Quad(0)) {
  if (problem.given_global())
    form_global();
  else
    form_local();
  set_steps();
  const QuadVector zero(at(set_.rows()), Quad(0));
  initial_residual_ = velocity_residual(zero, corrected_velocity(r_));
}

void Oracle::form_local() {
  const std::size_t m = at(set_.rows());
  N_ = dense(problem_.local().N);
  r_ = quad(problem_.local().r);
  if (model_ == Model::ccp)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < i; ++j) N_[i * m + j] = N_[j * m + i] = (N_[i * m + j] + N_[j * m + i]) / 2;
  for (Index i = 0; i < set_.count(); ++i)
    for (Index row = 0; row < set_.rows(i); ++row)
      for (Index column = 0; column < set_.rows(i); ++column)
        block_diagonal_[at(most_rows * (set_.offset(i) + row) + column)] =
            N_[at((set_.offset(i) + row) * set_.rows() + set_.offset(i) + column)];
}

void Oracle::form_global() {
  const GlobalForm& form = problem_.global();
  const Index n = form.H.rows(), m = set_.rows();
  factor_ = H_ = dense(form.H);
  D_ = dense(form.D);
  C_ = form.C.size() > 0 ? dense(form.C) : QuadVector(at(m * m), Quad(0));
  k_ = quad(form.k);
  b_ = quad(form.b);
  factorise(factor_, at(n));
  r_ = add_transposed(D_, solve(factor_, k_), b_);
  for (Index i = 0; i < set_.count(); ++i)
    for (Index column = 0; column < set_.rows(i); ++column) {
      QuadVector x(at(n));
      for (Index row = 0; row < n; ++row) x[at(row)] = D_[at(row * m + set_.offset(i) + column)];
      const QuadVector N = add_transposed(D_, solve(factor_, x), QuadVector(at(m), Quad(0)));
      for (Index row = set_.offset(i); row < set_.offset(i) + set_.rows(i); ++row)
        block_diagonal_[at(most_rows * row + column)] = N[at(row)] + C_[at(row * m + set_.offset(i) + column)];
    }
}

void Oracle::set_steps() {
  for (Index i = 0; i < set_.count(); ++i) {
    Quad trace = 0;
    for (Index row = 0; row < set_.rows(i); ++row) trace += diagonal(set_.offset(i) + row, row);
    step_.push_back(trace > 0 ? static_cast<Quad>(set_.rows(i)) / trace : Quad(1));
  }
}

Vector Oracle::steps() const { return rounded(step_); }

BlockSquare Oracle::diagonal_block(Index block) const {
  BlockSquare result = zero_square(set_.rows(block));
  for (Index row = 0; row < set_.rows(block); ++row)
    for (Index column = 0; column < set_.rows(block); ++column)
      result(row, column) = static_cast<double>(diagonal(set_.offset(block) + row, column));
  return result;
}

QuadVector Oracle::local_velocity(const QuadVector& impulse) const {
  if (!problem_.given_global()) return add_product(N_, impulse, r_);
  return add_product(C_, impulse, add_transposed(D_, solve(factor_, add_product(D_, impulse, k_)), b_));
}

QuadVector Oracle::corrected_velocity(const QuadVector& u) const {
  QuadVector corrected = u;
  for (Index i = 0; model_ == Model::ncp && i < set_.count(); ++i)
    if (has_moments(set_.kind(i))) {
      const RollingCone cone = rolling_cone(set_, i);
      for (int d = 0; d < cone.count; ++d) {
        const ConeDisc& disc = cone.disc[at(d)];
        corrected[at(set_.offset(i))] += disc.radius * norm(&u[at(set_.offset(i) + disc.first)], disc.size);
      }
    } else if (has_friction(set_.kind(i)))
      corrected[at(set_.offset(i))] += set_.friction(i) * norm(&u[at(set_.offset(i) + 1)], set_.rows(i) - 1);
  return corrected;
}

QuadVector Oracle::projected(const ConstraintSet& set, QuadVector x) {
  for (Index i = 0; i < set.count(); ++i) {
    Quad* const p = &x[at(set.offset(i))];
    if (has_moments(set.kind(i)))
      project_discs(p, rolling_cone(set, i));
    else if (has_friction(set.kind(i)))
      project_cone(p, set.rows(i), set.friction(i));
    if (set.kind(i) == ConstraintKind::unilateral && *p < 0) *p = 0;
  }
  return x;
}

/// (C.2).
void Oracle::project_strict(QuadVector& x) const {
  for (Index i = 0; i < set_.count(); ++i) {
    Quad* const p = &x[at(set_.offset(i))];
    if (set_.kind(i) == ConstraintKind::bilateral) continue;
    if (*p < 0) *p = 0;
    if (has_moments(set_.kind(i))) {
      const RollingCone cone = rolling_cone(set_, i);
      for (int d = 0; d < cone.count; ++d) {
        const ConeDisc& disc = cone.disc[at(d)];
        const Quad t = norm(p + disc.first, disc.size), radius = disc.radius * *p;
        for (int row = disc.first; t > radius && row < disc.first + disc.size; ++row) p[row] *= radius / t;
      }
      continue;
    }
    const Quad t = norm(p + 1, set_.rows(i) - 1), radius = set_.friction(i) * *p;
    for (Index row = 1; t > radius && row < set_.rows(i); ++row) p[row] *= radius / t;
  }
}

/// γ − Π_Υ(γ − step·velocity).
QuadVector Oracle::defect(const QuadVector& impulse, const QuadVector& velocity, Quad step) const {
  QuadVector result = impulse;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= step * velocity[i];
  result = projected(result);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = impulse[i] - result[i];
  return result;
}

/// (D.3) with the rows of moments as they were given: each length in the place of the one it was scaled by.
Quad Oracle::given_map(const QuadVector& impulse, const QuadVector& u, const QuadVector& corrected) const {
  QuadVector g = impulse, w = corrected, velocity = u, free = r_;
  ConstraintSet given;
  for (Index i = 0; i < set_.count(); ++i) {
    const MomentFriction& own = set_.moments(i);
    const int forces = 1 + block_shape(set_.kind(i)).tangents;
    for (Index row = set_.offset(i) + forces; row < set_.offset(i) + set_.rows(i); ++row) {
      g[at(row)] *= own.length;
      for (QuadVector* x : {&w, &velocity, &free}) (*x)[at(row)] /= own.length;
    }
    given.add(set_.kind(i), set_.friction(i), {own.rolling * own.length, own.spinning * own.length, own.length});
  }
  QuadVector p = g;
  for (std::size_t row = 0; row < p.size(); ++row) p[row] -= w[row];
  p = projected(given, p);
  for (std::size_t row = 0; row < p.size(); ++row) p[row] = g[row] - p[row];
  const Quad scale = larger(larger(norm(free), norm(g)), norm(velocity));
  return scale > 0 ? norm(p) / scale : norm(p);
}

Quad Oracle::velocity_residual(const QuadVector& impulse, const QuadVector& corrected) const {
  QuadVector p = impulse;
  for (Index i = 0; i < set_.count(); ++i)
    for (Index row = set_.offset(i); row < set_.offset(i) + set_.rows(i); ++row)
      p[at(row)] -= step_[at(i)] * corrected[at(row)];
  p = projected(p);
  for (std::size_t row = 0; row < p.size(); ++row) p[row] = impulse[row] - p[row];
  Quad largest = 0;
  for (Index i = 0; i < set_.count(); ++i)
    largest = larger(largest, norm(&p[at(set_.offset(i))], set_.rows(i)) / step_[at(i)]);
  return largest;
}

Quad Oracle::contact_residual(const QuadVector& impulse, const QuadVector& u) const {
  QuadVector p = impulse;
  for (std::size_t row = 0; row < p.size(); ++row) p[row] -= u[row];
  if (model_ == Model::ccp)
    p = projected(p);
  else
    project_strict(p);
  for (std::size_t row = 0; row < p.size(); ++row) p[row] = impulse[row] - p[row];
  const Index contacts = set_.count() - set_.count(ConstraintKind::bilateral);
  return norm(p) / static_cast<Quad>(std::max<Index>(contacts, 1));
}

Quad Oracle::merit(const QuadVector& impulse, const QuadVector& corrected) const {
  const QuadVector spurious = defect(impulse, corrected, 1);
  Quad above = 0, below = 0;
  for (Index i = 0; i < set_.count(); ++i) {
    const Index offset = set_.offset(i), rows = set_.rows(i);
    Matrix block{};
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < rows; ++column) {
        const Quad entry = diagonal(offset + row, column), other = diagonal(offset + column, row);
        block[at(row)][at(column)] = problem_.symmetric_mass() ? entry : (entry + other) / 2;
      }
    const std::size_t size = at(std::max<Index>(rows, 3));
    const Matrix inverse = pseudo_inverse_of(block, size), range = multiply(inverse, block, size);
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < rows; ++column) {
        const Quad null_space = (row == column ? 1 : 0) - range[at(row)][at(column)];
        const Quad entry = inverse[at(row)][at(column)] + step_[at(i)] * null_space;
        above += spurious[at(offset + row)] * entry * spurious[at(offset + column)];
        below += r_[at(offset + row)] * entry * r_[at(offset + column)];
      }
  }
  return below > 0 ? above / below : above;
}

Quad Oracle::objective(const QuadVector& impulse) const {
  const QuadVector point = projected(impulse), u = local_velocity(point);
  Quad sum = 0;
  for (std::size_t row = 0; row < u.size(); ++row) sum += point[row] * (u[row] + r_[row]) / 2;
  return sum;
}

Quad Oracle::penetration(const QuadVector& u) const {
  Quad largest = 0;
  for (Index i = 0; i < set_.count(); ++i)
    if (set_.kind(i) != ConstraintKind::bilateral) largest = larger(largest, -u[at(set_.offset(i))]);
  return largest;
}

Quad Oracle::creep(const QuadVector& impulse, const QuadVector& u) const {
  const QuadVector soft =
      problem_.given_global() ? add_product(C_, impulse, QuadVector(u.size(), Quad(0))) : QuadVector(u.size(), Quad(0));
  Quad largest = 0;
  for (Index i = 0; i < set_.count(); ++i) {
    if (!has_friction(set_.kind(i))) continue;
    Quad slip[2] = {};
    const Index normal = set_.offset(i), tangents = block_shape(set_.kind(i)).tangents;
    for (Index c = 0; c < tangents; ++c) slip[c] = u[at(normal + 1 + c)] - soft[at(normal + 1 + c)];
    const Quad radius = static_cast<Quad>(1.0 - 1e-9) * set_.friction(i) * impulse[at(normal)];
    if (norm(&impulse[at(normal + 1)], tangents) < radius) largest = larger(largest, norm(slip, tangents));
  }
  return largest;
}

void Oracle::own_measures(const QuadVector& impulse, const Vector& velocity, Measures& values) const {
  const QuadVector v = quad(velocity);
  const QuadVector u = add_product(C_, impulse, add_transposed(D_, v, b_));
  values[measure_index(Measure::own_penetration_velocity)] = static_cast<double>(penetration(u));
  const QuadVector left = add_product(H_, v, QuadVector(v.size(), Quad(0))), right = add_product(D_, impulse, k_);
  Quad largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) largest = larger(largest, magnitude(left[i] - right[i]));
  values[measure_index(Measure::momentum_residual)] = static_cast<double>(largest);
}

OracleMeasures Oracle::evaluate(const Vector& given, const Vector* velocity, const Vector* reference) const {
  OracleMeasures result;
  result.values.fill(not_there);
  const auto set = [&](Measure measure, Quad value) { result.values[measure_index(measure)] = static_cast<double>(value); };
  const QuadVector impulse = quad(given), u = local_velocity(impulse), corrected = corrected_velocity(u);
  result.u = rounded(u);
  result.corrected = rounded(corrected);

  const Quad residual = velocity_residual(impulse, corrected);
  set(Measure::velocity_residual, residual);
  set(Measure::relative_residual, initial_residual_ > 0 ? residual / initial_residual_ : residual);
  set(Measure::regularised_residual, initial_residual_ > 0 ? residual / initial_residual_ : residual);
  const Quad scale = larger(larger(norm(r_), norm(impulse)), norm(u)), natural = norm(defect(impulse, corrected, 1));
  set(Measure::natural_map, scale > 0 ? natural / scale : natural);
  set(Measure::given_map, given_map(impulse, u, corrected));
  constexpr double step = 1e-6;
  const Quad rows = static_cast<Quad>(set_.rows());
  set(Measure::apgd_residual, rows > 0 ? norm(defect(impulse, corrected, step)) / (rows * step) : Quad(0));
  set(Measure::contact_residual, contact_residual(impulse, u));
  set(Measure::merit, merit(impulse, corrected));
  if (problem_.symmetric_mass()) set(Measure::objective, objective(impulse));
  set(Measure::penetration_velocity, penetration(u));
  set(Measure::own_penetration_velocity, penetration(u));
  if (velocity != nullptr) own_measures(impulse, *velocity, result.values);

  const QuadVector inside = projected(impulse);
  Quad violation = 0, work = 0, lift = 0, distance = 0;
  for (Index i = 0; i < set_.count(); ++i) {
    const Index offset = set_.offset(i);
    Quad product = 0, square = 0;
    for (Index row = offset; row < offset + set_.rows(i); ++row) {
      product += impulse[at(row)] * corrected[at(row)];
      square += (impulse[at(row)] - inside[at(row)]) * (impulse[at(row)] - inside[at(row)]);
    }
    work += magnitude(product);
    violation = larger(violation, root(square));
    if (has_friction(set_.kind(i)) && impulse[at(offset)] > 0) lift = larger(lift, u[at(offset)]);
  }
  set(Measure::complementarity, work);
  set(Measure::cone_violation, violation);
  set(Measure::lift_velocity, lift);
  set(Measure::creep_velocity, creep(impulse, u));
  if (reference != nullptr && reference->size() > 0) {
    for (Index row = 0; row < set_.rows(); ++row) distance = larger(distance, magnitude(u[at(row)] - (*reference)[row]));
    set(Measure::distance, distance);
  }
  return result;
}

}  // namespace ccp::testing
