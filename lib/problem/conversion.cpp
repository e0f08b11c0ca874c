#include "problem/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/dense.hpp"
#include "problem/body_columns.hpp"

namespace ccp {
namespace {

/// Columns of D that are solved for together because no group of dofs that H couples has entries of two of them.
struct PackedColumns {
  std::vector<std::vector<int>> packs;    ///< columns of each pack
  std::vector<std::vector<int>> groups;   ///< of each column, ascending
  std::vector<std::vector<int>> columns;  ///< of each group, ascending
  std::vector<int> owner;                 ///< group of each dof
};

/// Each column goes to the first pack that has room for it.
PackedColumns packed_columns(const SparseMatrix& D, const BlockPartition& groups) {
  PackedColumns packed;
  packed.owner = groups.owner();
  packed.groups.resize(uz(D.cols()));
  packed.columns.resize(uz(groups.count()));
  std::vector<std::vector<bool>> taken;  // of each pack, by groups
  for (Index j = 0; j < D.cols(); ++j) {
    auto& own = packed.groups[uz(j)];
    for (SparseMatrix::InnerIterator entry(D, j); entry; ++entry) own.push_back(packed.owner[uz(entry.row())]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    const auto has_room = [&](const std::vector<bool>& pack) {
      return std::none_of(own.begin(), own.end(), [&](int group) { return pack[uz(group)]; });
    };
    const auto place = std::find_if(taken.begin(), taken.end(), has_room) - taken.begin();
    if (place == std::ssize(taken)) {
      taken.emplace_back(uz(groups.count()), false);
      packed.packs.emplace_back();
    }
    packed.packs[uz(place)].push_back(static_cast<int>(j));
    for (const int group : own) {
      taken[uz(place)][uz(group)] = true;
      packed.columns[uz(group)].push_back(static_cast<int>(j));
    }
  }
  return packed;
}

double whole_dot(const SparseMatrix& D, Index i, const Eigen::Ref<const Vector>& a) {
  double sum = 0.0;
  for (SparseMatrix::InnerIterator entry(D, i); entry; ++entry) sum += entry.value() * a[entry.row()];
  return sum;
}

/// The same over the dofs of the groups that are marked.
double grouped_dot(const SparseMatrix& D, Index i, const std::vector<int>& owner, const std::vector<char>& marked,
                   const Eigen::Ref<const Vector>& a) {
  double sum = 0.0;
  for (SparseMatrix::InnerIterator entry(D, i); entry; ++entry)
    if (marked[uz(owner[uz(entry.row())])] != 0) sum += entry.value() * a[entry.row()];
  return sum;
}

/// Dofs that H couples; finest_groups() reads one triangle of it.
BlockPartition coupled_groups(const GlobalForm& form, const MassMatrix& mass) {
  return mass.symmetric() ? finest_groups(form.H) : uniform_blocks(form.H.cols(), form.H.cols());
}

/// DᵀH⁻¹D column by column, with one solve for all columns of a pack: tells use(j, i, N_ij) those that are not zero, i
/// ascending. Columns that are not wanted are left out.
template <typename Wanted, typename Use>
void for_solved_columns(const SparseMatrix& D, const MassMatrix& mass, PackedColumns packed, const Wanted& wanted,
                        const Use& use) {
  for (std::vector<int>& pack : packed.packs) std::erase_if(pack, [&](int j) { return !wanted(j); });
  std::erase_if(packed.packs, [](const std::vector<int>& pack) { return pack.empty(); });
  DenseMatrix response;
  std::vector<int> rows, merged;
  std::vector<char> marked(packed.columns.size(), 0);
  const Index packs = std::ssize(packed.packs);
  for (Index first = 0; first < packs; first += columns_at_once) {
    const Index width = std::min(columns_at_once, packs - first);
    response.setZero(D.rows(), width);
    for (Index p = 0; p < width; ++p)
      for (const int j : packed.packs[uz(first + p)])
        for (SparseMatrix::InnerIterator entry(D, j); entry; ++entry) response(entry.row(), p) = entry.value();
    mass.solve_columns(response);
    for (Index p = 0; p < width; ++p)
      for (const auto& pack = packed.packs[uz(first + p)]; const int j : pack) {
        const auto& groups = packed.groups[uz(j)];
        const auto dot = [&](int i) {  // alone in its pack a column has nothing elsewhere
          return pack.size() == 1 ? whole_dot(D, i, response.col(p))
                                  : grouped_dot(D, i, packed.owner, marked, response.col(p));
        };
        rows.clear();
        for (const int group : groups) {
          marked[uz(group)] = 1;
          const auto& touching = packed.columns[uz(group)];
          merged.clear();
          std::set_union(rows.begin(), rows.end(), touching.begin(), touching.end(), std::back_inserter(merged));
          rows.swap(merged);
        }
        for (const int i : rows)
          if (const double value = dot(i); value != 0.0) use(j, i, value);
        for (const int group : groups) marked[uz(group)] = 0;
      }
  }
}

/// By solving with H. Bodies that H does not couple, elastic ones, are solved for at once: 125 cubes take about as many
/// solves as the one with most contacts has rows.
SparseMatrix assemble_by_solves(const GlobalForm& form, const MassMatrix& mass) {
  const Index rows = form.D.cols();
  std::vector<int> start{0}, row;
  std::vector<double> value;
  std::vector<std::vector<std::pair<int, double>>> columns(uz(rows));
  for_solved_columns(
      form.D, mass, packed_columns(form.D, coupled_groups(form, mass)), [](int) { return true; },
      [&](int j, int i, double entry) { columns[uz(j)].emplace_back(i, entry); });
  for (const auto& column : columns) {
    for (const auto& [i, entry] : column) {
      row.push_back(i);
      value.push_back(entry);
    }
    start.push_back(static_cast<int>(row.size()));
  }
  SparseMatrix N = Eigen::Map<const SparseMatrix>(rows, rows, std::ssize(row), start.data(), row.data(), value.data());
  if (form.C.nonZeros() > 0) N += form.C;
  if (!mass.symmetric()) return N;
  return SparseMatrix(0.5 * (N + SparseMatrix(N.transpose())));
}

/// Cholesky with complete pivoting of the symmetric A, by columns: A ≈ L Lᵀ, stopping when the largest remaining diagonal is
/// at rounding level. Needs m·rank² operations, not m³.
DenseMatrix pivoted_cholesky(const DenseMatrix& A) {
  const Index m = A.rows();
  Vector diagonal = A.diagonal();
  const double stop = static_cast<double>(m) * std::numeric_limits<double>::epsilon() * diagonal.cwiseAbs().maxCoeff();
  DenseMatrix L(m, m);
  Index rank = 0;
  for (; rank < m; ++rank) {
    Index pivot = 0;
    const double largest = diagonal.maxCoeff(&pivot);
    if (!(largest > stop)) break;
    auto column = L.col(rank);
    column = A.col(pivot);
    if (rank > 0) column.noalias() -= L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    column /= std::sqrt(largest);
    diagonal -= column.cwiseAbs2();
    diagonal[pivot] = 0.0;
  }
  return L.leftCols(rank);
}

DenseMatrix eigen_factor(const DenseMatrix& A) {
  const auto [values, vectors] = symmetric_eigen(A);
  const double stop = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();
  const Index rank = (values.array() > stop).count();
  return vectors.rightCols(rank) * values.tail(rank).cwiseSqrt().asDiagonal();
}

/// max|A − LLᵀ|/scale of a symmetric A, whose lower triangle says it all.
double defect(DenseMatrix A, const DenseMatrix& L, double scale) {
  if (scale == 0.0) return 0.0;
  A.selfadjointView<Eigen::Lower>().rankUpdate(L, -1.0);
  double largest = 0.0;
  for (Index j = 0; j < A.cols(); ++j) largest = std::max(largest, A.col(j).tail(A.rows() - j).cwiseAbs().maxCoeff());
  return largest / scale;
}

Vector diagonal_of(const DelassusOperator& N) {
  const ConstraintSet& set = N.constraints();
  Vector diagonal(set.rows());
  for (Index i = 0; i < set.count(); ++i)
    diagonal.segment(set.offset(i), set.rows(i)) = N.diagonal_block(i).diagonal().head(set.rows(i));
  return diagonal;
}

/// D_cᵀ H⁻¹ D_c for every column c, through per-body inverses.
Vector column_energies(const SparseMatrix& D, const MassMatrix& mass) {
  const std::vector<int> owner = mass.blocks().owner();
  Vector energies = Vector::Zero(D.cols());
  for (Index c = 0; c < D.cols(); ++c)
    for (SparseMatrix::InnerIterator a(D, c); a; ++a)
      for (SparseMatrix::InnerIterator b(D, c); b; ++b) {
        const int body = owner[uz(a.row())];
        if (body != owner[uz(b.row())]) continue;
        const Index first = mass.blocks().offset(body);
        energies[c] += a.value() * b.value() * mass.block_inverse(body)[(a.row() - first) + 6 * (b.row() - first)];
      }
  return energies;
}

}  // namespace

SparseMatrix assemble_delassus(const ConstraintSet& set, const GlobalForm& form, const MassMatrix& mass) {
  if (mass.size() > 0 && mass.groups().empty()) return assemble_by_solves(form, mass);
  SparseMatrix N = BodyColumns(set, form, mass).assembled();
  if (mass.block_diagonal()) return N;
  return SparseMatrix(0.5 * (N + SparseMatrix(N.transpose())));
}

Index delassus_numbers(const ContactProblem& problem) {
  const ConstraintSet& set = problem.constraints();
  if (!problem.given_global()) return problem.local().N.nonZeros();
  const GlobalForm& form = problem.global();
  const std::vector<int> owner = coupled_groups(form, problem.mass()).owner();
  std::vector<std::vector<int>> groups(uz(set.count())), touching;
  for (Index i = 0; i < set.count(); ++i) {
    auto& own = groups[uz(i)];
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
      for (SparseMatrix::InnerIterator entry(form.D, row); entry; ++entry) own.push_back(owner[uz(entry.row())]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (!own.empty()) touching.resize(std::max(touching.size(), uz(own.back()) + 1));
    for (const int group : own) touching[uz(group)].push_back(static_cast<int>(i));
  }
  Index numbers = 0;
  std::vector<Index> seen_by(uz(set.count()), -1);
  for (Index i = 0; i < set.count(); ++i) {
    Index rows = 0;
    for (const int group : groups[uz(i)])
      for (const int j : touching[uz(group)])
        if (Index& seen = seen_by[uz(j)]; seen != i) {
          seen = i;
          rows += set.rows(j);
        }
    numbers += rows * set.rows(i);
  }
  return numbers;
}

Vector free_velocity(const GlobalForm& form, const MassMatrix& mass) {
  Vector v(form.k.size());
  mass.solve(form.k, v);
  return form.D.transpose() * v + form.b;
}

GlobalForm global_from_local(const LocalForm& form, double* clipped) {
  const Index m = form.N.rows();
  const DenseMatrix full(form.N);
  const DenseMatrix A = 0.5 * (full + full.transpose());
  const double scale = max_norm(A);
  DenseMatrix L = m > 0 ? pivoted_cholesky(A) : DenseMatrix(0, 0);
  *clipped = m > 0 ? defect(A, L, scale) : 0.0;
  // What complete pivoting leaves of a PSD matrix is of the order of rounding; more means negative eigenvalues.
  if (*clipped > 1e3 * static_cast<double>(m) * std::numeric_limits<double>::epsilon()) {
    L = eigen_factor(A);
    *clipped = defect(A, L, scale);
  }
  GlobalForm global;
  const Index rank = L.cols();
  global.H.resize(rank, rank);
  global.H.setIdentity();
  global.D = DenseMatrix(L.transpose()).sparseView();
  global.C.resize(m, m);
  global.k.setZero(rank);
  global.b = form.r;
  return global;
}

Vector delassus_diagonal(const ContactProblem& problem) {
  if (!problem.given_global()) return problem.local().N.diagonal();
  if (problem.share() != nullptr) return diagonal_of(problem.shared());
  if (!problem.has_factored()) return diagonal_of(problem.constraints(), problem.diagonal_blocks());
  const GlobalForm& form = problem.global();
  Vector diagonal = column_energies(form.D, problem.mass());
  if (form.C.nonZeros() > 0) diagonal += form.C.diagonal();
  return diagonal;
}

Vector diagonal_of(const ConstraintSet& set, const std::vector<BlockSquare>& blocks) {
  Vector diagonal(set.rows());
  for (Index i = 0; i < set.count(); ++i)
    diagonal.segment(set.offset(i), set.rows(i)) = blocks[uz(i)].diagonal().head(set.rows(i));
  return diagonal;
}

Vector absolute_product(const GlobalForm& form, const MassMatrix& mass, const Vector& x) {
  Vector sums = Vector::Zero(x.size());
  if (form.C.nonZeros() > 0) sums = form.C.cwiseAbs() * x.cwiseAbs();
  for_solved_columns(
      form.D, mass, packed_columns(form.D, coupled_groups(form, mass)), [&](int j) { return x[j] != 0.0; },
      [&](int j, int i, double entry) { sums[i] += std::abs(entry * x[j]); });
  return sums;
}

SparseMatrix antisymmetric_part(const ContactProblem& problem) {
  if (problem.symmetry_defect() == 0.0) return SparseMatrix(problem.rows(), problem.rows());
  const SparseMatrix& N = problem.local().N;
  return 0.5 * (N - SparseMatrix(N.transpose()));
}

double symmetry_defect(const SparseMatrix& N) {
  if (N.nonZeros() == 0) return 0.0;
  const SparseMatrix difference = N - SparseMatrix(N.transpose());
  double largest = 0.0, scale = 0.0;
  for (Index j = 0; j < N.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(difference, j); entry; ++entry)
      largest = std::max(largest, std::abs(entry.value()));
    for (SparseMatrix::InnerIterator entry(N, j); entry; ++entry) scale = std::max(scale, std::abs(entry.value()));
  }
  return scale > 0.0 ? largest / scale : 0.0;
}

}  // namespace ccp
