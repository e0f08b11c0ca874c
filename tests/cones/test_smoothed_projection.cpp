#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "cones/smoothed_projection.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

template <typename Map>
Matrix3 central_differences(const Map& map, const Vector3& p, double step) {
  Matrix3 matrix;
  for (int j = 0; j < 3; ++j)
    matrix.col(j) = (map(Vector3(p + step * Vector3::Unit(j))) - map(Vector3(p - step * Vector3::Unit(j)))) / (2.0 * step);
  return matrix;
}

}  // namespace

TEST_CASE("the gradient of the smoothed projection agrees with differences", "[cones]") {
  Uniform uniform(41);
  for (const double mu : {0.0, 1e-9, 1e-3, 0.3, 1.0, 5.0})
    for (const double omega : {1e-2, 0.1, 1.0})
      for (int i = 0; i < 100; ++i) {
        const Vector3 z = uniform.point<Vector3>(1.0);
        // The smaller of the two smoothed kinks has the width mu · omega: stay where a difference can see it or not at all.
        const double second = (tangent(z) - mu * z[0]) / (1.0 + mu * mu);
        if (tangent(z) < 0.01 || (mu < 0.1 && std::abs(second) < 0.01)) continue;
        const auto map = [&](const Vector3& p) { return smoothed_polar_projection(p, mu, omega).value; };
        CAPTURE(mu, omega, z.transpose());
        REQUIRE((smoothed_polar_projection(z, mu, omega).gradient -
                 central_differences(map, z, 1e-3 * omega * std::max(mu, 0.1)))
                    .cwiseAbs()
                    .maxCoeff() < 2e-5);
      }
}

TEST_CASE("the gradient of the smoothed De Saxcé velocity agrees with differences", "[cones]") {
  Uniform uniform(42);
  for (const double mu : {0.0, 0.3, 5.0})
    for (const double omega : {1e-2, 1.0})
      for (int i = 0; i < 50; ++i) {
        const Vector3 u = uniform.point<Vector3>(1.0);
        const auto map = [&](const Vector3& p) { return smoothed_de_saxce(p, mu, omega).value; };
        CHECK((smoothed_de_saxce(u, mu, omega).gradient - central_differences(map, u, 1e-3 * omega)).cwiseAbs().maxCoeff() <
              1e-5);
      }
  CHECK(smoothed_de_saxce({0.5, 0.0, 0.0}, 0.7, 1e-3).value == Vector3(0.5, 0.0, 0.0));
  CHECK(smoothed_de_saxce({0.5, 3.0, -4.0}, 0.7, 0.0).value.isApprox(Vector3(4.0, 3.0, -4.0), 1e-15));
}

TEST_CASE("the smoothed projection is within omega of the projection, and is it for omega = 0", "[cones]") {
  Uniform uniform(43);
  for (const double mu : {0.0, 1e-12, 0.1, 1.0, 10.0})
    for (int i = 0; i < 300; ++i) {
      const Vector3 z = uniform.point<Vector3>(2.0);
      const Vector3 exact = project_polar_cone(z, mu);
      CAPTURE(mu, z.transpose());
      CHECK((smoothed_polar_projection(z, mu, 0.0).value - exact).norm() <= 1e-14);
      for (const double omega : {1e-12, 1e-6, 1e-2})
        CHECK((smoothed_polar_projection(z, mu, omega).value - exact).norm() <=
              omega * (1.0 + mu) * std::sqrt(1.0 + mu * mu) + 1e-14);
    }
}

TEST_CASE("smoothed values alone have the bits of those beside gradients", "[cones]") {
  Uniform uniform(46);
  for (const double mu : {0.0, 1e-3, 0.3, 5.0})
    for (const double omega : {0.0, 1e-12, 0.1})
      for (int i = 0; i < 100; ++i) {
        Vector3 z = uniform.point<Vector3>(1.0);
        if (i % 10 == 0) z.tail<2>().setZero();
        CHECK(smoothed_polar_value(z, mu, omega) == smoothed_polar_projection(z, mu, omega).value);
        CHECK(smoothed_de_saxce_value(z, mu, omega) == smoothed_de_saxce(z, mu, omega).value);
      }
}

TEST_CASE("the gradient of the smoothed projection is symmetric with eigenvalues in [0, 1]", "[cones]") {
  Uniform uniform(44);
  for (const double mu : {0.0, 1e-8, 0.5, 20.0})
    for (const double omega : {0.0, 1e-11, 1e-2})
      for (int i = 0; i < 200; ++i) {
        const Matrix3 gradient = smoothed_polar_projection(uniform.point<Vector3>(1.0), mu, omega).gradient;
        CHECK((gradient - gradient.transpose()).cwiseAbs().maxCoeff() == 0.0);
        const Vector3 eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix3>(gradient).eigenvalues();
        CHECK(eigenvalues.minCoeff() >= -1e-14);
        CHECK(eigenvalues.maxCoeff() <= 1.0 + 1e-14);
      }
}

TEST_CASE("the smoothed projection is continuous where the tangential part vanishes", "[cones]") {
  for (const double mu : {0.0, 0.5})
    for (const double normal : {-1.0, 0.0, 1.0}) {
      const SmoothedProjection on = smoothed_polar_projection({normal, 0.0, 0.0}, mu, 0.1);
      CHECK(on.value.tail<2>() == Vector2::Zero());
      if (mu == 0.0) continue;  // not smoothed in the tangential plane then
      const SmoothedProjection beside = smoothed_polar_projection({normal, 1e-9, -1e-9}, mu, 0.1);
      CHECK((on.value - beside.value).norm() < 1e-8);
      CHECK((on.gradient - beside.gradient).cwiseAbs().maxCoeff() < 1e-7);
    }
}

TEST_CASE("without friction only the normal part is smoothed", "[cones]") {
  const SmoothedProjection m = smoothed_polar_projection({0.3, -0.4, 0.2}, 0.0, 0.1);
  CHECK(m.value.tail<2>().isApprox(Vector2(-0.4, 0.2), 1e-15));
  CHECK(m.value[0] == Approx(-0.5 * (-0.3 + std::sqrt(0.09 + 0.04))).epsilon(1e-14));
  CHECK(m.gradient.bottomRightCorner<2, 2>().isApprox(Matrix2::Identity(), 1e-15));
  CHECK(m.gradient(1, 0) == 0.0);
}

TEST_CASE("nothing cancels in the smoothed projection deep inside K, and tiny parameters stay finite", "[cones]") {
  const double omega = 1e-10;
  const SmoothedProjection deep = smoothed_polar_projection({1.0, 0.0, 0.0}, 0.5, omega);
  // ω g(λ/ω) → ω²/|λ| with λ₁ = −0.8, and the same with μω and λ₂ = −0.4.
  CHECK(deep.value[0] == Approx(-(omega * omega / 0.8 + 0.5 * 0.25 * omega * omega / 0.4)).epsilon(1e-10));
  CHECK(deep.gradient(0, 0) == Approx(omega * omega / 0.64).epsilon(1e-10));
  for (const double mu : {0.0, 1e-300, 1e-20})
    for (const double size : {1e-200, 1e-12, 1.0})
      for (const double smoothing : {0.0, 1e-300, 1e-11}) {
        const SmoothedProjection m = smoothed_polar_projection({size, size, -size}, mu, smoothing);
        CHECK(m.value.allFinite());
        CHECK(m.gradient.allFinite());
      }
}
