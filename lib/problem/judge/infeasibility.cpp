#include "problem/judge/infeasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cones/rolling_cone.hpp"
#include "problem/judge/infeasibility_bounds.hpp"

namespace ccp {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Sums of rounded terms, and of their sizes, in extended precision.
struct Sums {
  explicit Sums(Index count) : value(uz(count)), size(uz(count)) {}
  void add(Index row, double a, double b, double scale) {
    value[uz(row)] += static_cast<long double>(a) * b;
    size[uz(row)] += static_cast<long double>(scale) * std::abs(b);
  }
  bool vanish() const {
    for (std::size_t i = 0; i < value.size(); ++i)
      if (!(std::abs(value[i]) <= entry_rounding * eps * size[i])) return false;
    return true;
  }
  std::vector<long double> value, size;
};

/// A y = 0 to rounding.
bool annihilates(const SparseMatrix& A, const Vector& y) {
  Sums sums(A.rows());
  for (Index j = 0; j < A.cols(); ++j)
    if (y[j] != 0.0)
      for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry)
        sums.add(entry.row(), entry.value(), y[j], std::abs(entry.value()));
  return sums.vanish();
}

/// Nᵀy = 0 to rounding. An entry of N = DᵀH⁻¹D may be what is left of larger terms, of the size √(N_ii N_jj).
bool annihilates_transposed(const SparseMatrix& N, const Vector& y) {
  const Vector root = N.diagonal().cwiseAbs().cwiseSqrt();
  Sums sums(N.cols());
  for (Index j = 0; j < N.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(N, j); entry; ++entry)
      sums.add(j, entry.value(), y[entry.row()], std::max(std::abs(entry.value()), root[j] * root[entry.row()]));
  return sums.vanish();
}

bool in_cone(const ConstraintSet& set, Model model, Index block, const Vector& y) {
  const Index offset = set.offset(block);
  if (set.kind(block) == ConstraintKind::bilateral) return true;
  if (y[offset] < 0.0) return false;
  if (!has_friction(set.kind(block))) return true;
  if (model == Model::ccp && has_moments(set.kind(block)))
    return distance_to_rolling_cone(rolling_cone(set, block), &y[offset]) <= entry_rounding * eps * y[offset];
  const double tangential = y.segment(offset + 1, set.rows(block) - 1).stableNorm();
  if (model == Model::ncp || tangential == 0.0) return tangential == 0.0;
  return tangential <= set.friction(block) * y[offset] * (1.0 + entry_rounding * eps);
}

/// "contacts 0, 4 and 7"; at most eight numbers.
std::string numbered(const char* one, const std::vector<Index>& numbers) {
  constexpr std::size_t most = 8;
  std::string text = numbers.size() == 1 ? one : std::string(one) + "s";
  const std::size_t named = std::min(numbers.size(), most);
  for (std::size_t i = 0; i < named; ++i)
    text += fmt::format("{}{}", i == 0 ? " " : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  if (numbers.size() > most) text += fmt::format(" and {} more", numbers.size() - most);
  return text;
}

constexpr std::array<const char*, 3> kind_names = {"contact", "unilateral row", "bilateral row"};

std::size_t kind_index(ConstraintKind kind) { return has_friction(kind) ? 0 : kind == ConstraintKind::unilateral ? 1 : 2; }

}  // namespace

std::optional<Infeasibility> check_infeasibility(const ContactProblem& given, Model model, const Vector& y) {
  const ContactProblem problem = model == Model::ccp ? given.symmetrised() : given;
  const ConstraintSet& set = problem.constraints();
  if (y.size() != set.rows() || !y.allFinite()) return std::nullopt;
  Infeasibility proof{y, {}, 0.0};
  const double largest = max_norm(y);
  if (!(largest > 0.0)) return std::nullopt;
  long double length = 0.0L;
  for (Index i = 0; i < set.count(); ++i) {
    const auto part = y.segment(set.offset(i), set.rows(i));
    if (!in_cone(set, model, i, y)) return std::nullopt;
    if (part.isZero(0.0)) continue;
    proof.blocks.push_back(i);
    length += part.stableNorm();
  }
  Vector scratch, free;
  problem.local_velocity(Vector::Zero(set.rows()), scratch, free);
  const bool global = problem.given_global();
  if (global ? !annihilates(problem.global().D, y) || !annihilates(problem.global().C, y)
             : !annihilates_transposed(problem.local().N, y))
    return std::nullopt;
  const Vector& r = global ? problem.global().b : problem.local().r;  // bᵀy = rᵀy where Dy = 0
  long double work = 0.0L;
  for (Index j = 0; j < y.size(); ++j) work += static_cast<long double>(r[j]) * y[j];
  const double fastest = std::max(max_norm(free), max_norm(r));
  if (!(-work > least_excess * static_cast<long double>(fastest) * length)) return std::nullopt;
  proof.speed = static_cast<double>(-work / length);
  proof.y /= largest;
  return proof;
}

std::string infeasibility_text(const ContactProblem& problem, const Infeasibility& proof) {
  const ConstraintSet& set = problem.constraints();
  std::array<std::vector<Index>, 3> members;
  std::array<Index, 3> seen{};
  std::size_t next = 0;
  for (Index i = 0; i < set.count() && next < proof.blocks.size(); ++i) {
    const std::size_t kind = kind_index(set.kind(i));
    if (proof.blocks[next] == i) {
      members[kind].push_back(seen[kind]);
      ++next;
    }
    ++seen[kind];
  }
  std::string names;
  for (std::size_t kind = 0; kind < members.size(); ++kind)
    if (!members[kind].empty()) names += (names.empty() ? "" : ", ") + numbered(kind_names[kind], members[kind]);
  const bool joints = members[0].empty() && members[1].empty();
  if (proof.blocks.size() == 1) {
    const Index block = proof.blocks.front(), first = set.offset(block);
    const bool along_normal = proof.y.segment(first, set.rows(block)).tail(set.rows(block) - 1).isZero(0.0);
    if (along_normal && joints)
      return fmt::format("{}: no impulse changes its velocity, and it is violated by {:.3g} m/s", names, proof.speed);
    if (along_normal)
      return fmt::format("{}: no impulse changes its velocity, and it closes at {:.3g} m/s", names, proof.speed);
    return fmt::format("{}: whatever the impulses, its velocity is at least {:.3g} m/s outside its cone", names,
                       proof.speed);
  }
  if (joints)
    return fmt::format("{} contradict each other: whatever the impulses, one is violated by at least {:.3g} m/s", names,
                       proof.speed);
  return fmt::format("{} exclude each other: whatever the impulses, one is violated by at least {:.3g} m/s", names,
                     proof.speed);
}

}  // namespace ccp
