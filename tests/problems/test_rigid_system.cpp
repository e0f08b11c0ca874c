#include <catch2/catch.hpp>

#include "problems/rigid/rigid_system.hpp"

using namespace ccp;

TEST_CASE("a step of two bodies has the matrices written out by hand") {
  RigidBody lower = solid_sphere(2.0, 0.5, {0.0, 0.0, 0.5}, 10.0), upper = solid_sphere(3.0, 0.5, {0.0, 0.0, 1.5}, 10.0);
  upper.velocity = {1.0, 2.0, 3.0};
  upper.spin = {4.0, 5.0, 6.0};
  RigidConstraint contact;
  contact.first = 0;
  contact.second = 1;
  contact.point = {0.0, 0.0, 1.0};
  contact.friction = 0.3;
  contact.gap = -0.02;
  RigidConstraint guide;
  guide.kind = ConstraintKind::bilateral;
  guide.second = 1;
  guide.point = upper.position;
  guide.normal = Vector3::UnitY();
  const ContactProblem problem = rigid_step("two", {lower, upper}, {contact, guide}, 0.1);

  const GlobalForm& form = problem.global();
  Vector masses(12), k(12), b(4);
  masses << 2, 2, 2, 0.2, 0.2, 0.2, 3, 3, 3, 0.3, 0.3, 0.3;
  k << 0, 0, -2, 0, 0, 0, 3, 6, 6, 1.2, 1.5, 1.8;
  b << -0.2, 0, 0, 0;
  CHECK((DenseMatrix(form.H) - DenseMatrix(masses.asDiagonal())).cwiseAbs().maxCoeff() < 1e-15);
  CHECK((form.k - k).cwiseAbs().maxCoeff() < 1e-14);
  CHECK((form.b - b).cwiseAbs().maxCoeff() < 1e-15);
  DenseMatrix D = DenseMatrix::Zero(12, 4);
  // Normal e_z, tangents e_x and e_z × e_x = e_y. Arms: +e_z/2 on the lower body, −e_z/2 on the upper one.
  D(2, 0) = -1.0, D(8, 0) = 1.0;
  D(0, 1) = -1.0, D(4, 1) = -0.5, D(6, 1) = 1.0, D(10, 1) = -0.5;
  D(1, 2) = -1.0, D(3, 2) = 0.5, D(7, 2) = 1.0, D(9, 2) = 0.5;
  D(7, 3) = 1.0;
  CHECK((DenseMatrix(form.D) - D).cwiseAbs().maxCoeff() < 1e-15);
  CHECK(problem.constraints().kind(0) == ConstraintKind::contact);
  CHECK(problem.constraints().friction(0) == 0.3);
  CHECK(problem.constraints().kind(1) == ConstraintKind::bilateral);
}

TEST_CASE("the order of the bodies of a contact only turns its normal") {
  const std::vector<RigidBody> bodies{solid_sphere(1.0, 1.0, {0.0, 0.0, 0.0}, 0.0),
                                      solid_sphere(1.0, 1.0, {2.0, 0.0, 0.0}, 0.0)};
  RigidConstraint contact;
  contact.first = 0;
  contact.second = 1;
  contact.point = {1.0, 0.2, 0.0};
  contact.normal = Vector3::UnitX();
  contact.tangent = any_tangent(contact.normal);
  RigidConstraint turned = contact;
  std::swap(turned.first, turned.second);
  turned.normal = -contact.normal;
  const DenseMatrix D = DenseMatrix(rigid_step("", bodies, {contact}, 1.0).global().D);
  const DenseMatrix T = DenseMatrix(rigid_step("", bodies, {turned}, 1.0).global().D);
  CHECK((D.col(0) - T.col(0)).norm() < 1e-15);
  CHECK((D.col(1) + T.col(1)).norm() < 1e-15);
  CHECK((D.col(2) - T.col(2)).norm() < 1e-15);
}

TEST_CASE("any_tangent is a unit vector orthogonal to the normal") {
  for (const Vector3& normal :
       {Vector3(Vector3::UnitX()), Vector3(-Vector3::UnitZ()), Vector3(Vector3(1.0, -2.0, 0.5).normalized())}) {
    CHECK(any_tangent(normal).norm() == Approx(1.0).epsilon(1e-15));
    CHECK(std::abs(any_tangent(normal).dot(normal)) < 1e-15);
  }
}
