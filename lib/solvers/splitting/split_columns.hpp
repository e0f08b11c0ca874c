#pragma once

#include <cstddef>
#include <vector>

#include "core/parallel.hpp"
#include "core/types.hpp"
#include "problem/subsystems.hpp"

namespace ccp {

/// The parts D_p of a split problem, for products with them: by constraints, and by subsystems in the order of the
/// constraints. A part that acts on all six dofs of a free body is a 6×3 matrix by columns, others go dof by dof.
class SplitColumns {
 public:
  SplitColumns(const Subsystems& parts, Index constraints);

  Index parts() const { return std::ssize(first_) - 1; }
  Index subsystems() const { return std::ssize(start_) - 1; }
  /// Parts of block i are first_part(i) … first_part(i + 1) − 1.
  Index first_part(Index i) const { return part_of_[uz(i)]; }

  /// D_pᵀv. v: n.
  Vector3 velocity(Index p, const double* v) const {
    const std::size_t first = first_[uz(p)], end = first_[uz(p) + 1];
    const double* const values = values_.data() + 3 * first;
    if (block_[uz(p)] != 0) return Block(values).transpose() * Eigen::Map<const Vector6>(v + dof_[first]);
    Vector3 sum = Vector3::Zero();
    for (std::size_t e = first; e < end; ++e) sum += v[dof_[e]] * Eigen::Map<const Vector3>(values + 3 * (e - first));
    return sum;
  }

  /// load += D_p force. load: n.
  void add(Index p, const Vector3& force, double* load) const {
    const std::size_t first = first_[uz(p)], end = first_[uz(p) + 1];
    const double* const values = values_.data() + 3 * first;
    if (block_[uz(p)] != 0) {
      Eigen::Map<Vector6>(load + dof_[first]) += Block(values) * force;
      return;
    }
    for (std::size_t e = first; e < end; ++e)
      load[dof_[e]] += Eigen::Map<const Vector3>(values + 3 * (e - first)).dot(force);
  }

  /// Calls body(j, first dof, dofs) for all subsystems, on up to `threads` threads.
  template <typename Body>
  void for_subsystems(int threads, const Body& body) const {
    parallel_ranges(
        threads, subsystems(),
        [&](Index begin, Index end) {
          for (Index j = begin; j < end; ++j) {
            const Index start = start_[uz(j)];
            body(j, start, start_[uz(j) + 1] - start);
          }
        },
        grain);
  }

  /// Calls body(part, its block) for the parts of subsystem j, in the order of the constraints.
  template <typename Body>
  void for_parts_of(Index j, const Body& body) const {
    for (std::size_t e = list_start_[uz(j)]; e < list_start_[uz(j) + 1]; ++e) body(list_[e], constraint_[uz(list_[e])]);
  }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Block = Eigen::Map<const Eigen::Matrix<double, 6, 3>>;
  static constexpr Index grain = 64;

  std::vector<Index> start_, constraint_;
  std::vector<Index> part_of_;      ///< first part of each block, and the number of parts
  std::vector<std::size_t> first_;  ///< of each part in the lists of dofs and values
  std::vector<int> dof_;
  std::vector<double> values_;           ///< three for each dof of a part
  std::vector<char> block_;              ///< of each part: stored by columns
  std::vector<std::size_t> list_start_;  ///< of each subsystem in list_
  std::vector<Index> list_;              ///< parts by subsystems
};

}  // namespace ccp
