#include "solvers/splitting/tree_factor.hpp"

#include <cmath>

namespace ccp {
namespace {

constexpr Index packed(Index row) { return row * (row + 1) / 2; }

}  // namespace

TreeFactor::TreeFactor(const std::vector<Index>& start, const std::vector<int>& parent, const std::vector<bool>& used)
    : start_(start), first_(parent.size(), 0), depth_(parent.size(), 0) {
  for (std::size_t j = 0; j + 1 < start.size(); ++j) {
    bool chain = true;
    for (Index l = start[j]; used[j] && l < start[j + 1]; ++l) {
      const auto dof = uz(l);
      const int above = parent[dof];
      chain = chain && above == (l == start[j] ? -1 : static_cast<int>(l) - 1);
      first_[dof] = std::ssize(path_);
      if (above != -1) {
        const auto up = uz(above);
        depth_[dof] = depth_[up] + 1;
        for (Index d = 0; d <= depth_[up]; ++d) path_.push_back(path_[uz(first_[up] + d)]);
      }
      path_.push_back(static_cast<int>(l));
    }
    chain_.push_back(chain);
  }
}

template <int size>
bool TreeFactor::factorize_chain(double* rows) const {
  for (int l = size - 1; l >= 0; --l) {
    double* const row = rows + packed(l);
    if (!(row[l] > 0.0)) return false;
    const double inverse = 1.0 / std::sqrt(row[l]);
    row[l] = inverse;
    for (int a = 0; a < l; ++a) row[a] *= inverse;
    for (int a = 0; a < l; ++a) {
      double* const target = rows + packed(a);
      for (int b = 0; b <= a; ++b) target[b] -= row[a] * row[b];
    }
  }
  return true;
}

template <int size>
void TreeFactor::solve_chain(const double* rows, double* x) const {
  double y[size];
  for (int l = 0; l < size; ++l) y[l] = x[l];
  for (int l = size - 1; l >= 0; --l) {
    const double* const row = rows + packed(l);
    y[l] *= row[l];
    for (int a = 0; a < l; ++a) y[a] -= row[a] * y[l];
  }
  for (int l = 0; l < size; ++l) {
    const double* const row = rows + packed(l);
    double sum = y[l];
    for (int a = 0; a < l; ++a) sum -= row[a] * y[a];
    y[l] = sum * row[l];
  }
  for (int l = 0; l < size; ++l) x[l] = y[l];
}

bool TreeFactor::factorize_tree(int begin, int end, double* values) const {
  for (int l = end - 1; l >= begin; --l) {
    const int depth = depth_[uz(l)];
    double* const row = values + first_[uz(l)];
    if (!(row[depth] > 0.0)) return false;
    const double inverse = 1.0 / std::sqrt(row[depth]);
    row[depth] = inverse;
    for (int a = 0; a < depth; ++a) row[a] *= inverse;
    const int* const up = path(l);
    for (int a = 0; a < depth; ++a) {
      double* const target = values + first_[uz(up[a])];
      const double factor = row[a];
      for (int b = 0; b <= a; ++b) target[b] -= factor * row[b];
    }
  }
  return true;
}

void TreeFactor::solve_tree(int begin, int end, const double* values, double* x) const {
  for (int l = end - 1; l >= begin; --l) {
    const int depth = depth_[uz(l)];
    const double* const row = values + first_[uz(l)];
    const int* const up = path(l);
    x[l] *= row[depth];
    for (int a = 0; a < depth; ++a) x[up[a]] -= row[a] * x[l];
  }
  for (int l = begin; l < end; ++l) {
    const int depth = depth_[uz(l)];
    const double* const row = values + first_[uz(l)];
    const int* const up = path(l);
    double sum = x[l];
    for (int a = 0; a < depth; ++a) sum -= row[a] * x[up[a]];
    x[l] = sum * row[depth];
  }
}

bool TreeFactor::factorize(Index range, double* values) const {
  const auto j = uz(range);
  const auto begin = static_cast<int>(start_[j]), end = static_cast<int>(start_[j + 1]);
  double* const rows = values + first_[uz(begin)];
  if (chain_[j] && end - begin == 6) return factorize_chain<6>(rows);
  if (chain_[j] && end - begin == 3) return factorize_chain<3>(rows);
  return factorize_tree(begin, end, values);
}

void TreeFactor::solve(Index range, const double* values, double* x) const {
  const auto j = uz(range);
  const auto begin = static_cast<int>(start_[j]), end = static_cast<int>(start_[j + 1]);
  const double* const rows = values + first_[uz(begin)];
  if (chain_[j] && end - begin == 6) return solve_chain<6>(rows, x + begin);
  if (chain_[j] && end - begin == 3) return solve_chain<3>(rows, x + begin);
  solve_tree(begin, end, values, x);
}

}  // namespace ccp
