#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "problem/problem_builder.hpp"
#include "problems/articulated/robots/robots.hpp"
#include "tests/problems/constants.hpp"
#include "tests/support/run_solver.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double control_step = 1e-3;  // s

/// The Panda over a table that its flange touches, with the impedances of joints that libfranka has.
struct TouchingArm {
  Tree tree{panda()};
  TreePose pose = tree.rest();
  Vector stiffness = (Vector(7) << 600, 600, 600, 600, 250, 150, 50).finished();          ///< N·m/rad
  Vector damping = (Vector(7) << 50, 50, 50, 50, 30, 25, 15).finished();                  ///< N·m·s/rad
  Vector strain = (Vector(7) << 0.02, -0.03, 0.01, 0.05, -0.04, 0.06, -0.02).finished();  ///< q − q_d, rad
  Vector velocity = (Vector(7) << 0.1, 0.4, -0.2, 0.3, 0.1, -0.5, 0.2).finished();        ///< rad/s
  DenseMatrix mass, contact;                                                              ///< M; D of the contact

  TouchingArm() {
    pose.joints = {0.0, -0.25 * pi, 0.0, -0.75 * pi, 0.0, 0.5 * pi, 0.25 * pi};
    const PlacedTree placed(tree, pose);
    mass = placed.joint_inertia();
    const Placement& last = placed.links()[6];
    const DenseMatrix jacobian = placed.body_jacobian(6, last.position + 0.107 * last.rotation.col(2));
    contact.resize(7, 3);
    contact << jacobian.row(2).transpose(), jacobian.row(0).transpose(), jacobian.row(1).transpose();
  }
};

/// v = H⁻¹(k + Dγ) of the problem's solution, and the impulses of its first contact.
Vector solved(const ProblemBuilder& builder, Vector& impulse) {
  const ContactProblem problem = builder.build();
  const Result result = run(problem, {"ipm_cone", Model::ccp, {Measure::relative_residual, 1e-13, false, 200, 60.0}});
  REQUIRE(result.status == Status::solved);
  impulse = result.impulse.head<3>();
  const GlobalForm& form = problem.global();
  return DenseMatrix(form.H).llt().solve(form.k + form.D * result.impulse);
}

}  // namespace

TEST_CASE("an impedance in the matrix moves an arm in contact as soft rows do") {
  const TouchingArm arm;
  const Vector momentum = arm.mass * arm.velocity;
  const Vector soft_damping = control_step * arm.damping + control_step * control_step * arm.stiffness;

  DenseMatrix stiff = arm.mass;
  stiff.diagonal() += soft_damping;
  ProblemBuilder matrix("impedance in the matrix");
  matrix.global(stiff.sparseView(), momentum - control_step * arm.stiffness.cwiseProduct(arm.strain), arm.contact.sparseView(),
                Vector::Zero(3));
  matrix.contact(0.5);

  DenseMatrix columns(7, 10);
  columns << arm.contact, DenseMatrix::Identity(7, 7);
  ProblemBuilder rows("impedance as soft rows");
  rows.global(arm.mass.sparseView(), momentum, columns.sparseView(), Vector::Zero(10));
  rows.contact(0.5);
  for (Index joint = 0; joint < 7; ++joint)
    rows.soft(control_step * arm.stiffness[joint], soft_damping[joint], arm.strain[joint]);

  Vector by_matrix, by_rows;
  const Vector v = solved(matrix, by_matrix), w = solved(rows, by_rows);
  CHECK(by_matrix[0] > 1e-3);  // the flange pushes on the table
  CHECK((v - w).norm() < 1e-10 * v.norm());
  CHECK((by_matrix - by_rows).norm() < 1e-10 * by_matrix.norm());
  CHECK((v - arm.velocity).norm() > 0.1 * v.norm());
}
