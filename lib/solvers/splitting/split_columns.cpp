#include "solvers/splitting/split_columns.hpp"

namespace ccp {

SplitColumns::SplitColumns(const Subsystems& parts, Index constraints)
    : start_(parts.start), constraint_(parts.constraint), first_(parts.first), dof_(parts.dof) {
  const std::vector<int> owner = parts.owner();
  std::vector<std::size_t> subsystem;
  list_start_.assign(start_.size(), 0);
  values_.resize(3 * dof_.size());
  for (std::size_t p = 0; p + 1 < first_.size(); ++p) {
    subsystem.push_back(uz(owner[uz(parts.last[p])]));
    ++list_start_[subsystem[p] + 1];
    const std::size_t first = first_[p], count = first_[p + 1] - first;
    block_.push_back(count == 6 && dof_[first + 5] == dof_[first] + 5 ? 1 : 0);
    for (std::size_t e = 0; e < count; ++e)
      for (std::size_t c = 0; c < 3; ++c)
        values_[3 * first + (block_[p] != 0 ? 6 * c + e : 3 * e + c)] = parts.row[first + e][static_cast<Index>(c)];
  }
  for (std::size_t j = 1; j < list_start_.size(); ++j) list_start_[j] += list_start_[j - 1];
  std::vector<std::size_t> next = list_start_;
  list_.resize(subsystem.size());
  for (std::size_t p = 0; p < subsystem.size(); ++p) list_[next[subsystem[p]]++] = static_cast<Index>(p);
  Index p = 0;
  for (Index i = 0; i < constraints; ++i) {
    while (p < std::ssize(constraint_) && constraint_[uz(p)] < i) ++p;
    part_of_.push_back(p);
  }
  part_of_.push_back(std::ssize(constraint_));
}

}  // namespace ccp
