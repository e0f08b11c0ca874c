#pragma once

#include "core/types.hpp"

namespace ccp {

using RigidGradient = Eigen::Matrix<double, 6, 1>;

/// What an impulse of size `sign` along `direction` at the end of `arm` does to a rigid body: force, then torque.
RigidGradient rigid_impulse(double sign, const Vector3& direction, const Vector3& arm);

/// [a]×, with [a]× b = a × b.
Matrix3 cross_matrix(const Vector3& a);

/// Writes D column by column, without a list of triplets: 1e6 contacts take half a gigabyte.
class JacobianWriter {
 public:
  /// entries: at least as many as will be inserted, or they are moved in memory.
  JacobianWriter(Index dofs, Index columns, Index entries);

  void next_column();
  /// The entries from row first_dof on of the open column; zeros are left out. The rows of a column ascend.
  void insert(Index first_dof, ConstVectorRef gradient);
  SparseMatrix finish();

 private:
  SparseMatrix D_;
  Index column_ = -1;
};

/// Writes a block-diagonal H block by block.
class MassWriter {
 public:
  MassWriter(Index dofs, Index entries);

  /// mass I, then the non-zero entries of inertia (about the centre, world axes).
  void add_rigid(double mass, const Matrix3& inertia);
  /// The non-zero entries of a block.
  void add_block(const Eigen::Ref<const DenseMatrix>& block);
  SparseMatrix finish();

 private:
  SparseMatrix H_;
  Index start_ = 0;
};

}  // namespace ccp
