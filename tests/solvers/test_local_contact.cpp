#include <Eigen/QR>
#include <catch2/catch.hpp>
#include <cmath>

#include "cones/friction_cone.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Natural map of one contact, relative to its scale.
double defect(const LocalContact& contact, const Vector3& gamma) {
  const Vector3 u = contact.N_ii * gamma + contact.w;
  const double rho = 1.0 / stable_rate(contact.N_ii);
  const Vector3 p = gamma - rho * de_saxce_velocity(u, contact.mu);
  return (gamma - project_friction_cone(p, contact.mu)).norm() / (rho * contact.w.norm() + gamma.norm());
}

std::vector<LocalContact> contacts() {
  std::vector<LocalContact> list;
  Uniform uniform(17);
  for (int sample = 0; sample < 2000; ++sample) {
    const double conditioning = std::pow(10.0, -2.0 * (sample % 4));
    const Matrix3 root = uniform.matrix(3, 3);
    Matrix3 N_ii = root * Vector3(1.0, conditioning, 0.3).asDiagonal() * root.transpose();
    N_ii += 0.01 * conditioning * Matrix3::Identity();
    if (sample % 5 == 0) {  // unsymmetric, the symmetric part still positive definite
      Matrix3 antisymmetric = uniform.matrix(3, 3);
      antisymmetric -= Matrix3(antisymmetric.transpose());
      N_ii += 1e-2 * N_ii.cwiseAbs().maxCoeff() * antisymmetric;
    }
    const double friction[] = {0.0, 0.05, 0.3, 0.9, 2.0, 50.0};
    list.push_back({N_ii, uniform.vector(3), friction[sample % 6]});
  }
  return list;
}

}  // namespace

TEST_CASE("the exact local solver is right on every contact") {
  int open = 0, stick = 0, slip = 0;
  for (const LocalContact& contact : contacts()) {
    CAPTURE(contact.N_ii, contact.w, contact.mu);
    const Vector3 gamma = solve_contact_exact(contact);
    REQUIRE(gamma.allFinite());
    CHECK(defect(contact, gamma) <= 1e-9);
    const double t = std::hypot(gamma[1], gamma[2]);
    if (gamma.isZero(0.0))
      ++open;
    else if (t < contact.mu * gamma[0] * (1.0 - 1e-9))
      ++stick;
    else
      ++slip;
  }
  CHECK(open > 300);
  CHECK(stick > 50);
  CHECK(slip > 300);
}

TEST_CASE("Newton agrees with the exact solution where it converges, and mostly does") {
  int converged_count = 0;
  for (const LocalContact& contact : contacts()) {
    bool converged = false;
    const Vector3 gamma = solve_contact_newton(contact, Vector3(1.0, 0.0, 0.0), 20, converged);
    if (!converged) continue;
    ++converged_count;
    CAPTURE(contact.N_ii, contact.w, contact.mu);
    CHECK(defect(contact, gamma) <= 1e-9);
  }
  CHECK(converged_count > 1500);
}

TEST_CASE("singular and planar contact blocks") {
  // Rank one: only the normal responds.
  Matrix3 N_ii = Matrix3::Zero();
  N_ii(0, 0) = 0.5;
  const LocalContact normal_only{N_ii, {-1.0, 0.3, 0.0}, 0.5};
  const Vector3 gamma = solve_contact_exact(normal_only);
  CHECK(gamma[0] == Approx(2.0));
  CHECK(gamma[1] == Approx(-1.0));  // slips against u_T = (0.3, 0) with μ γ_n
  // The plane: the padded tangent stays out.
  N_ii = Vector3(0.5, 0.5, 1.0).asDiagonal();
  const Vector3 planar = solve_contact_exact({N_ii, {-1.0, 2.0, 0.0}, 0.25});
  CHECK(planar[0] == Approx(2.0));
  CHECK(planar[1] == Approx(-0.5));
  CHECK(planar[2] == 0.0);
  // No normal response, and NaN.
  CHECK(solve_contact_exact({Matrix3::Zero(), {-1.0, 0.0, 0.0}, 0.5}).isZero(0.0));
  CHECK_FALSE(solve_contact_exact({Matrix3::Identity(), {std::nan(""), 0.0, 0.0}, 0.5}).allFinite());
}

TEST_CASE("a contact in the plane is solved as the one in space that it is part of, singular ones as well") {
  int open = 0, stick = 0, slip = 0;
  for (LocalContact contact : contacts()) {
    contact.N_ii.row(2) << 0.0, 0.0, 1.0;
    contact.N_ii.col(2) << 0.0, 0.0, 1.0;
    contact.w[2] = 0.0;
    for (const bool singular : {false, true}) {
      if (singular)
        contact.N_ii.topLeftCorner<2, 2>() = contact.N_ii.col(0).head<2>() * contact.N_ii.col(0).head<2>().transpose();
      CAPTURE(contact.N_ii, contact.w, contact.mu);
      const Vector3 gamma = solve_planar_exact(contact), wide = solve_contact_exact(contact);
      CHECK((gamma - wide).norm() <= 1e-9 * wide.norm());
      CHECK(std::abs(gamma[1]) <= contact.mu * gamma[0]);
      if (singular) continue;
      CHECK(defect(contact, gamma) <= 1e-9);
      const LocalContact other{0x1p20 * contact.N_ii, 0x1p-40 * contact.w, contact.mu};
      CHECK(solve_planar_exact(other) == 0x1p-60 * gamma);
      ++(gamma.isZero(0.0) ? open : std::abs(gamma[1]) < contact.mu * gamma[0] * (1.0 - 1e-9) ? stick : slip);
    }
  }
  CHECK(open > 300);
  CHECK(stick > 100);
  CHECK(slip > 300);
}

TEST_CASE("a huge friction coefficient sticks") {
  const Matrix3 N_ii = Vector3(0.5, 0.5, 0.5).asDiagonal();
  const Vector3 gamma = solve_contact_exact({N_ii, {-1.0, 1e3, -1e3}, 1e12});
  CHECK((N_ii * gamma + Vector3(-1.0, 1e3, -1e3)).norm() <= 1e-10);
}

namespace {

/// Residual of the contact against the rounding of its terms; that of the correction is that of u_T, times μ.
double backward_error(const LocalContact& contact, const Vector3& gamma) {
  const double rate = stable_rate(contact.N_ii);
  const Vector3 u = contact.N_ii * gamma + contact.w;
  const Vector3 p = gamma - de_saxce_velocity(u, contact.mu) / rate;
  const double terms = (contact.N_ii.cwiseAbs() * gamma.cwiseAbs() + contact.w.cwiseAbs()).maxCoeff();
  return rate * (gamma - project_friction_cone(p, contact.mu)).norm() / (terms * (1.0 + contact.mu));
}

/// N_ii with eigenvalues 1, middle and weak in a random frame, and an antisymmetric part.
Matrix3 block_with(double middle, double weak, double unsymmetric, Uniform& uniform) {
  const Matrix3 frame = Eigen::HouseholderQR<Matrix3>(Matrix3(uniform.matrix(3, 3))).householderQ();
  const Matrix3 N_ii = frame * Vector3(1.0, middle, weak).asDiagonal() * frame.transpose(), part = uniform.matrix(3, 3);
  return 0.5 * (N_ii + N_ii.transpose()) + unsymmetric * (part - part.transpose());
}

}  // namespace

TEST_CASE("the exact local solver is right on nearly degenerate contacts, in any units") {
  Uniform uniform(23);
  for (const double friction : {0.0, 1e-6, 0.3, 1.0, 50.0, 1e6})
    for (const double middle : {1.0, 1e-3, 1e-6})
      for (const double weak : {1.0, 1e-3, 1e-6, 1e-9})
        for (const double unsymmetric : {0.0, 1e-3})
          for (int repeat = 0; repeat < 20; ++repeat) {
            const double least = std::min(middle, weak);
            const Matrix3 N_ii = block_with(middle, weak, least >= 1e-2 ? unsymmetric : 0.0, uniform);
            const Vector3 any = uniform.vector(3), w = repeat % 2 == 0 ? Vector3(N_ii * any) : any;
            const LocalContact contact{N_ii, w, friction};
            const Vector3 gamma = solve_contact_exact(contact);
            CAPTURE(contact.N_ii, contact.w, contact.mu, gamma);
            REQUIRE(gamma.allFinite());
            CHECK(backward_error(contact, gamma) <= 1e-15 / least + 1e-12);
            for (const double unit : {0x1p-400, 0x1p400}) {
              CHECK(solve_contact_exact({N_ii * unit, w, friction}) * unit == gamma);
              CHECK(solve_contact_exact({N_ii, w * unit, friction}) / unit == gamma);
            }
          }
}

TEST_CASE("the exact local solver gives something finite in the cone where N_ii is singular") {
  Uniform uniform(29);
  for (const double friction : {1e-6, 0.3, 50.0, 1e6})
    for (const double middle : {1.0, 0.0})
      for (int repeat = 0; repeat < 200; ++repeat) {
        const LocalContact contact{block_with(middle, 0.0, 0.0, uniform), uniform.vector(3), friction};
        const Vector3 gamma = solve_contact_exact(contact);
        CAPTURE(contact.N_ii, contact.w, contact.mu, gamma);
        REQUIRE(gamma.allFinite());
        CHECK(std::hypot(gamma[1], gamma[2]) <= friction * gamma[0] * (1.0 + 1e-14));
      }
}

namespace {

/// The natural map in units of w: impulses do not come in, so that a huge one cannot hide anything.
double velocity_error(const LocalContact& contact, const Vector3& gamma) {
  const double rate = stable_rate(contact.N_ii);
  const Vector3 p = gamma - de_saxce_velocity(contact.N_ii * gamma + contact.w, contact.mu) / rate;
  return rate * (gamma - project_friction_cone(p, contact.mu)).norm() / (contact.w.norm() * (1.0 + contact.mu));
}

}  // namespace

TEST_CASE("the exact local solver is right where N_ii is singular and w in its range") {
  Uniform uniform(31);
  for (const double friction : {1e-3, 0.3, 1.0, 3.0, 50.0})
    for (const double second : {0.0, 1e-3, 1.0})
      for (int repeat = 0; repeat < 300; ++repeat) {
        Matrix3 root = uniform.matrix(3, 3) * Vector3(1.0, second, 0.0).asDiagonal();
        root.row(0) += root.row(0).cwiseSign() * 0.1;  // N_nn well above zero
        const Matrix3 N_ii = root * root.transpose();
        const LocalContact contact{N_ii, N_ii * uniform.vector(3), friction};
        const Vector3 gamma = solve_contact_exact(contact);
        CAPTURE(contact.N_ii, contact.w, contact.mu, gamma);
        CHECK(velocity_error(contact, gamma) <= 1e-11);
        CHECK(std::hypot(gamma[1], gamma[2]) <= friction * gamma[0] * (1.0 + 1e-14));
      }
}

TEST_CASE("the exact local solver solves contacts of rank one that have a solution, and stays modest where they jam") {
  // N_ii = a aᵀ: with u_n = 0 the velocity u = a s + w is known, and a sliding γ gives s = aᵀγ with γ_n > 0 or not at all.
  Uniform uniform(37);
  int solvable = 0, jammed = 0;
  for (const double friction : {0.3, 1.0, 3.0})
    for (int repeat = 0; repeat < 500; ++repeat) {
      Vector3 a = uniform.vector(3), w = uniform.vector(3);
      a[0] = 0.3 + std::abs(a[0]);
      w[0] = -0.1 - std::abs(w[0]);
      const LocalContact contact{a * a.transpose(), w, friction};
      const Vector2 sliding = w.tail<2>() - a.tail<2>() * (w[0] / a[0]);
      const double share = 1.0 - friction * a.tail<2>().dot(sliding) / (a[0] * sliding.norm());
      const Vector3 gamma = solve_contact_exact(contact);
      CAPTURE(contact.N_ii, contact.w, contact.mu, gamma, share);
      if (share > 1e-3) {
        ++solvable;
        CHECK(velocity_error(contact, gamma) <= 1e-11);
      } else if (share < -1e-3) {
        ++jammed;
        CHECK(gamma.norm() <= 1e10);
        CHECK(std::hypot(gamma[1], gamma[2]) <= friction * gamma[0] * (1.0 + 1e-14));
      }
    }
  CHECK(solvable > 500);
  CHECK(jammed > 100);
}
