#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <catch2/catch.hpp>
#include <set>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "problems/random.hpp"
#include "problems/rigid/rigid_system.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;

namespace {

/// Bodies that contact i acts on.
std::set<Index> bodies_of(const SparseMatrix& D, Index contact) {
  std::set<Index> bodies;
  for (Index row = 0; row < 3; ++row)
    for (SparseMatrix::InnerIterator entry(D, 3 * contact + row); entry; ++entry) bodies.insert(entry.row() / 6);
  return bodies;
}

RigidBody spinning_body() {
  RigidBody body;
  body.mass = 2.0;
  const Matrix3 axes = Eigen::AngleAxisd(0.7, Vector3(1, 2, 2) / 3.0).toRotationMatrix();
  const Matrix3 inertia = axes * Vector3(0.1, 0.2, 0.4).asDiagonal() * axes.transpose();
  body.inertia = 0.5 * (inertia + inertia.transpose());
  body.spin = Vector3(3.0, -5.0, 4.0);
  body.torque = Vector3(0.1, 0.2, 0.3);
  return body;
}

Vector3 gyroscopic_torque(const Matrix3& J, const Vector3& w) { return -w.cross(J * w); }

}  // namespace

TEST_CASE("the number of random contacts is exact and their graph is sparse and local") {
  for (const char* contacts : {"1", "2", "7", "100", "3000"}) {
    CAPTURE(contacts);
    const ContactProblem problem = build_scene("random_contacts", {{"contacts", contacts}});
    CHECK(problem.constraints().contacts() == std::stoi(contacts));
    CHECK(problem.constraints().all_contacts_3d());
    CHECK(problem.has_factored());
  }
  const ContactProblem problem = build_scene("random_contacts", {{"contacts", "3000"}, {"contacts_per_body", "6"}});
  CHECK(problem.dofs() == 6 * 1000);
  const SparseMatrix& D = problem.global().D;
  std::vector<int> degree(1000, 0);
  for (Index i = 0; i < 3000; ++i) {
    const std::set<Index> bodies = bodies_of(D, i);
    REQUIRE((bodies.size() == 1 || bodies.size() == 2));
    for (const Index body : bodies) ++degree[static_cast<std::size_t>(body)];
    CHECK(*bodies.rbegin() - *bodies.begin() <= 10 * 10 + 10 + 1);  // neighbours in a 10 × 10 × 10 grid
    if (bodies.size() == 1) CHECK(*bodies.begin() < 10 * 10);       // only the lowest layer meets the floor
  }
  CHECK(*std::max_element(degree.begin(), degree.end()) <= 26);
}

TEST_CASE("masses, inertias and friction coefficients have the ranges asked for") {
  const ContactProblem problem = build_scene("random_contacts", {{"contacts", "3000"},
                                                                 {"mass_ratio", "1e6"},
                                                                 {"conditioning", "100"},
                                                                 {"friction_min", "0.1"},
                                                                 {"friction_max", "0.9"}});
  const SparseMatrix& H = problem.global().H;
  double smallest = 1e300, largest = 0.0;
  for (Index body = 0; body < problem.dofs() / 6; ++body) {
    const DenseMatrix block = DenseMatrix(H.block(6 * body, 6 * body, 6, 6));
    const double mass = block(0, 0);
    smallest = std::min(smallest, mass);
    largest = std::max(largest, mass);
    CHECK(block.topLeftCorner(3, 3) == mass * DenseMatrix::Identity(3, 3));
    const Matrix3 inertia = block.bottomRightCorner(3, 3);
    CHECK(inertia == inertia.transpose());
    const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia).eigenvalues();
    CHECK(principal[2] / principal[0] == Approx(100.0).epsilon(1e-10));
    CHECK(principal[0] * principal[2] == Approx(std::pow(0.4 * mass * 0.1 * 0.1, 2)).epsilon(1e-10));
  }
  CHECK(smallest >= 1e-3);
  CHECK(largest <= 1e3);
  CHECK(largest / smallest > 0.9e6);
  double low = 1.0, high = 0.0;
  for (Index i = 0; i < 3000; ++i) {
    low = std::min(low, problem.constraints().friction(i));
    high = std::max(high, problem.constraints().friction(i));
  }
  CHECK((low >= 0.1 && low < 0.11));
  CHECK((high <= 0.9 && high > 0.89));
}

TEST_CASE("a velocity of zero is strictly inside the dual cones, so a solution exists") {
  for (const char* seed : {"1", "2", "3"}) {
    const ContactProblem problem = build_scene("random_contacts", {{"contacts", "500"}}, std::stoull(seed));
    const Vector& b = problem.global().b;
    for (Index i = 0; i < 500; ++i) {
      CHECK((b[3 * i] > 0.0 && b[3 * i] <= 2e-4 / 0.01));
      CHECK((b[3 * i + 1] == 0.0 && b[3 * i + 2] == 0.0));
    }
    const Vector zero = Vector::Zero(problem.rows());
    CHECK(Judge(problem, Model::ncp).evaluate(Measure::penetration_velocity, {&zero, nullptr}) > 0.1);  // it is loaded
  }
}

TEST_CASE("a contact acts along its orthonormal frame, in opposite directions, at one point") {
  const ContactProblem problem = build_scene("random_contacts", {{"contacts", "200"}});
  const DenseMatrix D = DenseMatrix(problem.global().D);
  for (Index i = 0; i < 200; ++i) {
    const std::set<Index> bodies = bodies_of(problem.global().D, i);
    const DenseMatrix upper = D.block(6 * *bodies.rbegin(), 3 * i, 6, 3);
    const Matrix3 frame = upper.topRows(3);
    CHECK((frame.transpose() * frame - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-14);
    CHECK(frame.determinant() == Approx(1.0).epsilon(1e-14));
    // arm × frame has rank two and its null direction is the arm, within the body's reach.
    CHECK(std::abs(DenseMatrix(upper.bottomRows(3)).determinant()) < 1e-15);
    CHECK(upper.bottomRows(3).norm() < std::sqrt(2.0) * 0.4);
    if (bodies.size() == 2) CHECK(D.block(6 * *bodies.begin(), 3 * i, 3, 3) == -DenseMatrix(frame));
  }
}

TEST_CASE("repeated contacts are exact copies, or near ones, and lower the rank") {
  const auto rank = [](const ContactProblem& problem) {
    return Eigen::ColPivHouseholderQR<DenseMatrix>(DenseMatrix(problem.global().D)).rank();
  };
  // One contact a body: 3 rows for each 6 dofs, so distinct contacts are independent.
  const ContactProblem single = build_scene("random_contacts", {{"contacts", "40"}, {"contacts_per_body", "1"}});
  CHECK(rank(single) == 120);
  const ContactProblem copied =
      build_scene("random_contacts", {{"contacts", "40"}, {"contacts_per_body", "1"}, {"redundancy", "0.25"}});
  CHECK(copied.constraints().contacts() == 40);
  CHECK(rank(copied) == 90);
  const ContactProblem patch = build_scene(
      "random_contacts", {{"contacts", "40"}, {"contacts_per_body", "1"}, {"redundancy", "0.25"}, {"patch", "1e-3"}});
  CHECK(rank(patch) > 90);
  CHECK(build_scene("random_contacts", {{"contacts", "40"}, {"redundancy", "0.9"}}).constraints().contacts() == 40);
  CHECK(build_scene("random_contacts", {{"contacts", "1"}, {"redundancy", "0.95"}}).constraints().contacts() == 1);
}

TEST_CASE("random contacts are the same bytes for the same seed, and others for another") {
  const auto build = [](std::uint64_t seed) { return build_scene("random_contacts", {{"contacts", "300"}}, seed); };
  CHECK(same_bytes(build(7), build(7)));
  CHECK_FALSE(same_bytes(build(7), build(8)));
}

TEST_CASE("random numbers are those of every machine") {
  Random random(42);
  // std::mt19937_64 with seed 42 begins with 13930160852258120406 and 11788048577503494824.
  CHECK(random.uniform() == static_cast<double>(13930160852258120406ULL >> 11) / 9007199254740992.0);
  CHECK(random.uniform(2.0, 4.0) == 2.0 + static_cast<double>(11788048577503494824ULL >> 11) / 4503599627370496.0);
  const LogUniform factor(1e4);
  double low = 1.0, high = 1.0, sum = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double value = factor(random);
    low = std::min(low, value);
    high = std::max(high, value);
    sum += std::log10(value);
    const Matrix3 rotation = random.rotation();
    REQUIRE((rotation * rotation.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-14);
    REQUIRE(rotation.determinant() == Approx(1.0).epsilon(1e-13));
    REQUIRE(random.direction().norm() == Approx(1.0).epsilon(1e-15));
  }
  CHECK((low >= 0.01 && low < 0.0101));
  CHECK((high <= 100.0 && high > 99.0));
  CHECK(std::abs(sum / 20000) < 0.03);  // uniform in the logarithm over [−2, 2]: the mean is 0 ± 0.008
}

TEST_CASE("random contacts refuse friction bounds in the wrong order and sizes out of range") {
  CHECK_THROWS_WITH(build_scene("random_contacts", {{"friction_min", "0.7"}}),
                    "'friction_min' is 0.7, expected at most 'friction_max', which is 0.6");
  CHECK_THROWS_AS(build_scene("random_contacts", {{"contacts", "0"}}), InputError);
  CHECK_THROWS_AS(build_scene("random_contacts", {{"contacts", "1000001"}}), InputError);
  CHECK_THROWS_AS(build_scene("random_contacts", {{"gap", "0"}}), InputError);
  CHECK_THROWS_AS(build_scene("random_contacts", {{"redundancy", "1"}}), InputError);
}

TEST_CASE("a gyroscopic body has J - h times the derivative of its torque in H, and the torque at the start in k") {
  RigidBody body = spinning_body();
  const double h = 0.01;
  const GlobalForm plain = rigid_step("plain", {body}, {}, h).global();
  body.gyroscopic = true;
  const ContactProblem problem = rigid_step("gyroscopic", {body}, {}, h);
  const GlobalForm& form = problem.global();
  CHECK(problem.mass_asymmetry() > 0.01);
  CHECK(DenseMatrix(form.H).topRows(3) == DenseMatrix(plain.H).topRows(3));
  CHECK(form.k.head(3) == plain.k.head(3));
  const Matrix3 block = DenseMatrix(form.H).bottomRightCorner(3, 3);
  for (Index axis = 0; axis < 3; ++axis) {
    const Vector3 step = Vector3::Unit(axis);  // the torque is quadratic, so that central differences are exact
    const Vector3 derivative =
        0.5 * (gyroscopic_torque(body.inertia, body.spin + step) - gyroscopic_torque(body.inertia, body.spin - step));
    CHECK((block.col(axis) - body.inertia.col(axis) + h * derivative).norm() <= 1e-15);
    // J (ω⁺ − ω) = h (torque + derivative (ω⁺ − ω) + τ), at ω⁺ = ω: H ω − k = −h (torque + τ).
    const Vector3 left = block * body.spin - form.k.tail<3>();
    CHECK((left + h * (gyroscopic_torque(body.inertia, body.spin) + body.torque)).norm() <= 1e-15);
  }
}

TEST_CASE("the implicit gyroscopic step follows Euler's equations to second order in its length") {
  RigidBody body = spinning_body();
  body.torque.setZero();
  body.gyroscopic = true;
  const auto error = [&](double h) {
    const ContactProblem problem = rigid_step("free", {body}, {}, h);
    Vector v(6);
    problem.mass().solve(problem.global().k, v);
    const Vector3 rate = body.inertia.inverse() * gyroscopic_torque(body.inertia, body.spin);
    return (v.tail<3>() - body.spin - h * rate).norm();
  };
  CHECK(error(1e-3) > 1e-6);
  CHECK(error(1e-3) / error(5e-4) == Approx(4.0).epsilon(0.02));
}

TEST_CASE("spinning contacts are random contacts with another H") {
  const ContactProblem plain = build_scene("random_contacts", {{"contacts", "60"}}),
                       spinning = build_scene("spinning_contacts", {{"contacts", "60"}});
  CHECK(plain.symmetric_mass());
  CHECK_FALSE(spinning.symmetric_mass());
  CHECK(DenseMatrix(plain.global().D) == DenseMatrix(spinning.global().D));
  CHECK(plain.global().b == spinning.global().b);
  CHECK(plain.constraints() == spinning.constraints());
  for (Index body = 0; body < plain.dofs() / 6; ++body) {
    CHECK(plain.global().k.segment<3>(6 * body) == spinning.global().k.segment<3>(6 * body));
    const DenseMatrix difference(spinning.global().H.block(6 * body, 6 * body, 6, 6) -
                                 plain.global().H.block(6 * body, 6 * body, 6, 6));
    CHECK(difference.topRows(3).isZero(0.0));
    CHECK(difference.norm() > 0.0);
  }
  // Equal principal moments: nothing gyroscopic is left but rounding.
  CHECK(build_scene("spinning_contacts", {{"contacts", "60"}, {"conditioning", "1"}}).symmetric_mass());
}

TEST_CASE("spins beyond which H may lose its definiteness are refused") {
  CHECK(build_scene("spinning_contacts", {{"contacts", "40"}, {"spin", "115"}}).mass_asymmetry() > 1.0);
  CHECK_THROWS_WITH(build_scene("spinning_contacts", {{"spin", "116"}}),
                    Catch::Contains("'spin' is 116, expected less than 115.47, so that H is positive definite"));
  CHECK_THROWS_AS(build_scene("spinning_contacts", {{"spin", "0"}}), InputError);
}
