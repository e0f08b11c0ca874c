#include <catch2/catch.hpp>
#include <cmath>

#include "cones/friction_cone.hpp"
#include "solvers/newton/contact_map.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double step = 1e-6;

Matrix3 central_differences(ConstraintKind kind, double mu, Model model, const Vector3& s) {
  Matrix3 matrix;
  for (int j = 0; j < 3; ++j)
    matrix.col(j) = (contact_map_value(kind, mu, model, s + step * Vector3::Unit(j)) -
                     contact_map_value(kind, mu, model, s - step * Vector3::Unit(j))) /
                    (2.0 * step);
  return matrix;
}

Vector3 sample(Uniform& uniform, ConstraintKind kind) {
  Vector3 s = uniform.vector(3);
  for (Index row = constraint_rows(kind); row < 3; ++row) s[row] = 0.0;
  return s;
}

}  // namespace

TEST_CASE("the derivatives of the contact maps agree with differences", "[newton]") {
  Uniform uniform(31);
  for (const Model model : {Model::ncp, Model::ccp})
    for (const ConstraintKind kind :
         {ConstraintKind::contact, ConstraintKind::contact2d, ConstraintKind::unilateral, ConstraintKind::bilateral})
      for (const double mu : {0.0, 0.3, 1.0}) {
        int compared = 0, open = 0;
        for (int i = 0; i < 400; ++i) {
          const Vector3 s = sample(uniform, kind);
          const double t = s.tail<2>().norm();
          // Away from kinks: differences say nothing there.
          if (std::abs(s[0]) < 1e-3) continue;
          if (has_friction(kind) && (t < 1e-2 || std::abs(t - mu * s[0]) < 1e-3 || std::abs(mu * t + s[0]) < 1e-3)) continue;
          CAPTURE(model_name(model), mu, s.transpose());
          const ContactMap map = contact_map(kind, mu, model, s);
          CHECK((map.value - contact_map_value(kind, mu, model, s)).norm() <= 1e-14);
          const Index rows = constraint_rows(kind);
          const Matrix3 difference = map.derivative - central_differences(kind, mu, model, s);
          CHECK(difference.topLeftCorner(rows, rows).cwiseAbs().maxCoeff() <= 1e-7);
          if (map.open) CHECK(map.value == Vector3::Zero());
          open += map.open ? 1 : 0;
          ++compared;
        }
        CHECK(compared > 100);
        CHECK((open > 20) == (kind != ConstraintKind::bilateral));
      }
}

TEST_CASE("fixed points of the maps solve the contact", "[newton]") {
  // A sliding contact by hand: γ = (1, 0.3, 0), u_n = 0, u_T = (−0.2, 0). In the associated model u_n = μ‖u_T‖ instead.
  const Vector3 gamma(1.0, 0.3, 0.0), sliding(0.0, -0.2, 0.0), associated(0.06, -0.2, 0.0);
  for (const double rho : {0.01, 1.0, 100.0}) {
    CHECK((contact_map_value(ConstraintKind::contact, 0.3, Model::ncp, gamma - rho * sliding) - gamma).norm() <= 1e-14);
    CHECK((contact_map_value(ConstraintKind::contact, 0.3, Model::ccp, gamma - rho * associated) - gamma).norm() <= 1e-13);
    CHECK((contact_map_value(ConstraintKind::contact, 0.3, Model::ccp, gamma - rho * sliding) - gamma).norm() > 1e-5);
  }
}
