#include "problems/rigid/assembly.hpp"

#include <Eigen/Geometry>

#include "core/taken.hpp"

namespace ccp {

RigidGradient rigid_impulse(double sign, const Vector3& direction, const Vector3& arm) {
  RigidGradient gradient;
  gradient << sign * direction, sign * arm.cross(direction);
  return gradient;
}

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 matrix;
  matrix << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return matrix;
}

JacobianWriter::JacobianWriter(Index dofs, Index columns, Index entries) : D_(dofs, columns) { D_.reserve(entries); }

void JacobianWriter::next_column() { D_.startVec(++column_); }

void JacobianWriter::insert(Index first_dof, ConstVectorRef gradient) {
  for (const double entry : gradient) {
    if (entry != 0.0) D_.insertBack(first_dof, column_) = entry;
    ++first_dof;
  }
}

SparseMatrix JacobianWriter::finish() {
  D_.finalize();
  return taken(D_);
}

MassWriter::MassWriter(Index dofs, Index entries) : H_(dofs, dofs) { H_.reserve(entries); }

void MassWriter::add_rigid(double mass, const Matrix3& inertia) {
  for (Index axis = 0; axis < 3; ++axis) {
    H_.startVec(start_ + axis);
    H_.insertBack(start_ + axis, start_ + axis) = mass;
  }
  start_ += 3;
  add_block(inertia);
}

void MassWriter::add_block(const Eigen::Ref<const DenseMatrix>& block) {
  for (Index column = 0; column < block.cols(); ++column) {
    H_.startVec(start_ + column);
    for (Index row = 0; row < block.rows(); ++row)
      if (const double entry = block(row, column); entry != 0.0) H_.insertBack(start_ + row, start_ + column) = entry;
  }
  start_ += block.cols();
}

SparseMatrix MassWriter::finish() {
  H_.finalize();
  return taken(H_);
}

}  // namespace ccp
