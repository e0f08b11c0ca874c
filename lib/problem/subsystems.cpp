#include "problem/subsystems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "core/text.hpp"

namespace ccp {
namespace {

constexpr double part_tolerance = 1e-12;  ///< of the sum of parts, relative to the largest entry of the block

std::size_t place(Index i) { return uz(i); }

/// Ranges and parents, on which all other checks rely.
std::vector<std::string> tree_defects(const Subsystems& data, Index n) {
  const auto& start = data.start;
  const bool ascends = std::adjacent_find(start.begin(), start.end(), std::greater_equal<>()) == start.end();
  if (start.empty() || start.front() != 0 || start.back() != n || !ascends)
    return {fmt::format("the ranges of the subsystems are not ascending from 0 to {}, the dofs of H", n)};
  if (std::ssize(data.parent) != n)
    return {fmt::format("subsystems have parents of {} dofs, expected {}", data.parent.size(), n)};
  for (Index j = 0; j < data.count(); ++j)
    for (Index l = start[place(j)]; l < start[place(j) + 1]; ++l) {
      const int parent = data.parent[place(l)];
      if (parent != -1 && (parent < start[place(j)] || parent >= l))
        return {
            fmt::format("dof {} of subsystem {} has parent {}, expected a lower dof of the same subsystem, or -1 "
                        "(a cycle, or a child before its parent)",
                        l, j, parent)};
    }
  if (data.mass.size() != 0 && data.mass.size() != n)
    return {fmt::format("mass has {} entries, expected {} or none", data.mass.size(), n)};
  return {};
}

/// For each dof of the path from l to the root: mark = l.
void mark_path(const Subsystems& data, int l, int mark, std::vector<int>& marks) {
  for (int a = l; a != -1; a = data.parent[place(a)]) marks[place(a)] = mark;
}

void check_couplings(const Subsystems& data, const SparseMatrix& H, std::vector<std::string>& defects) {
  const std::vector<int> owner = data.owner();
  std::vector<int> marks(owner.size(), -1);
  for (int l = 0; l < static_cast<int>(H.cols()); ++l) {
    mark_path(data, l, l, marks);
    for (SparseMatrix::InnerIterator entry(H, l); entry; ++entry) {
      if (entry.row() >= l || entry.value() == 0.0 || marks[place(entry.row())] == l) continue;
      const bool same = owner[place(entry.row())] == owner[place(l)];
      defects.push_back(fmt::format(
          "H({},{}) couples two {}", entry.row(), l,
          same ? "dofs of a subsystem of which neither is on the path from the other to the root" : "subsystems"));
      return;
    }
  }
}

bool check_part(const Subsystems& data, const ConstraintSet& constraints, Index p, std::vector<int>& marks,
                std::vector<std::string>& defects) {
  const Index i = data.constraint[place(p)];
  const int last = data.last[place(p)];
  const auto n = static_cast<int>(data.parent.size());
  if (i < 0 || i >= constraints.count() || (p > 0 && i < data.constraint[place(p) - 1])) {
    defects.push_back(
        fmt::format("part {} belongs to constraint {}, expected ascending numbers below {}", p, i, constraints.count()));
    return false;
  }
  if (last < 0 || last >= n) {
    defects.push_back(fmt::format("part {} of constraint {} has last dof {}, expected one of the {} dofs", p, i, last, n));
    return false;
  }
  mark_path(data, last, static_cast<int>(p), marks);
  for (std::size_t e = data.first[place(p)]; e < data.first[place(p) + 1]; ++e) {
    const int dof = data.dof[e];
    const bool ascends = e == data.first[place(p)] || dof > data.dof[e - 1];
    if (ascends && dof >= 0 && dof < n && marks[place(dof)] == p) continue;
    defects.push_back(
        fmt::format("part {} of constraint {} acts on dof {}, expected ascending dofs on the path from its last "
                    "dof {} to the root",
                    p, i, dof, last));
    return false;
  }
  if (data.mass.size() == 0 || (std::isfinite(data.mass[last]) && data.mass[last] > 0.0)) return true;
  defects.push_back(fmt::format("the body whose last dof is {} has constraints and mass {}, expected a positive number",
                                last, format_double(data.mass[last])));
  return false;
}

/// Σ_p D_p = D_i for all blocks i.
void check_sums(const Subsystems& data, const ConstraintSet& constraints, const SparseMatrix& D,
                std::vector<std::string>& defects) {
  std::vector<Vector3> sum(data.parent.size(), Vector3::Zero());
  Index p = 0;
  for (Index i = 0; i < constraints.count(); ++i) {
    double largest = 0.0, defect = 0.0;
    bool fits = true;
    std::vector<int> touched;
    for (; p < data.parts() && data.constraint[place(p)] == i; ++p)
      for (std::size_t e = data.first[place(p)]; e < data.first[place(p) + 1]; ++e) {
        sum[place(data.dof[e])] += data.row[e];
        touched.push_back(data.dof[e]);
      }
    for (Index c = 0; c < constraints.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, constraints.offset(i) + c); entry; ++entry) {
        sum[place(entry.row())][c] -= entry.value();
        largest = std::max(largest, std::abs(entry.value()));
        touched.push_back(static_cast<int>(entry.row()));
      }
    for (const int dof : touched) {
      const double here = sum[place(dof)].norm();
      fits = fits && here <= part_tolerance * largest;
      defect = std::max(defect, here);
      sum[place(dof)].setZero();
    }
    if (fits) continue;
    defects.push_back(
        fmt::format("the parts of constraint {} do not add up to its columns of D (off by {:.1e}, largest entry "
                    "{:.1e})",
                    i, defect, largest));
    return;
  }
}

}  // namespace

std::vector<int> Subsystems::owner() const {
  std::vector<int> list;
  for (Index j = 0; j < count(); ++j) list.insert(list.end(), place(size(j)), static_cast<int>(j));
  return list;
}

void Subsystems::add_part(Index constraint_block, int last_dof, const std::vector<int>& dofs,
                          const Eigen::Ref<const DenseMatrix>& columns) {
  if (columns.rows() != std::ssize(dofs) || columns.cols() < 1 || columns.cols() > 3)
    throw std::logic_error("a part has one row for each dof, and one to three columns");
  constraint.push_back(constraint_block);
  last.push_back(last_dof);
  for (std::size_t e = 0; e < dofs.size(); ++e) {
    dof.push_back(dofs[e]);
    row.emplace_back(Vector3::Zero());
    row.back().head(columns.cols()) = columns.row(static_cast<Index>(e)).transpose();
  }
  first.push_back(dof.size());
}

std::vector<std::string> subsystem_defects(const Subsystems& subsystems, const ConstraintSet& constraints,
                                           const SparseMatrix& H, const SparseMatrix& D) {
  if (constraints.has_moments()) return {"subsystems are of problems whose contacts have no rolling or spinning friction"};
  std::vector<std::string> defects = tree_defects(subsystems, H.cols());
  if (!defects.empty()) return defects;
  check_couplings(subsystems, H, defects);
  std::vector<int> marks(subsystems.parent.size(), -1);
  for (Index p = 0; p < subsystems.parts(); ++p)
    if (!check_part(subsystems, constraints, p, marks, defects)) return defects;
  check_sums(subsystems, constraints, D, defects);
  return defects;
}

Subsystems chain_subsystems(const ConstraintSet& constraints, const SparseMatrix& D, std::vector<Index> start) {
  Subsystems data;
  data.start = std::move(start);
  for (Index j = 0; j < data.count(); ++j)
    for (Index l = data.start[place(j)]; l < data.start[place(j) + 1]; ++l)
      data.parent.push_back(l == data.start[place(j)] ? -1 : static_cast<int>(l) - 1);
  const std::vector<int> owner = data.owner();
  std::vector<int> dofs;
  for (Index i = 0; i < constraints.count(); ++i) {
    dofs.clear();
    const Index offset = constraints.offset(i), rows = constraints.rows(i);
    for (Index c = 0; c < rows; ++c)
      for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry)
        if (entry.value() != 0.0) dofs.push_back(static_cast<int>(entry.row()));
    std::sort(dofs.begin(), dofs.end());
    dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
    const std::size_t base = data.dof.size();
    data.row.resize(base + dofs.size(), Vector3::Zero());
    for (Index c = 0; c < rows; ++c)
      for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry)
        if (entry.value() != 0.0)
          data.row[base + place(std::lower_bound(dofs.begin(), dofs.end(), entry.row()) - dofs.begin())][c] = entry.value();
    for (std::size_t e = 0; e < dofs.size(); ++e) {
      data.dof.push_back(dofs[e]);
      if (e + 1 < dofs.size() && owner[place(dofs[e + 1])] == owner[place(dofs[e])]) continue;
      data.constraint.push_back(i);
      data.last.push_back(static_cast<int>(data.start[place(owner[place(dofs[e])]) + 1]) - 1);
      data.first.push_back(data.dof.size());
    }
  }
  return data;
}

}  // namespace ccp
