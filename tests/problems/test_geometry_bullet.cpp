#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "solids.hpp"

using namespace ccp;
using namespace solids;

namespace {

btVector3 to_bullet(const Vector3& x) { return {x[0], x[1], x[2]}; }
Vector3 from_bullet(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

/// Bullet has no ellipsoids, but takes any convex shape by its support.
class SupportedShape : public btConvexInternalShape {
 public:
  explicit SupportedShape(const Vector3& radii) : radii_(radii) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(0.0);
  }
  btVector3 localGetSupportingVertex(const btVector3& direction) const override {
    const Vector3 image = radii_.cwiseProduct(from_bullet(direction));
    const double reach = image.norm();
    return reach > 0.0 ? to_bullet(radii_.cwiseProduct(image) / reach) : to_bullet({radii_[0], 0.0, 0.0});
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override {
    return localGetSupportingVertex(direction);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* vertices,
                                                         int count) const override {
    std::transform(directions, directions + count, vertices,
                   [&](const btVector3& direction) { return localGetSupportingVertex(direction); });
  }
  void calculateLocalInertia(btScalar, btVector3&) const override {}
  const char* getName() const override { return "supported"; }

 private:
  Vector3 radii_;
};

std::unique_ptr<btConvexShape> shape_of(const Solid& solid) {
  if (const auto* sphere = std::get_if<Sphere>(&solid.shape))
    return std::make_unique<SupportedShape>(Vector3::Constant(sphere->radius));
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&solid.shape))
    return std::make_unique<SupportedShape>(ellipsoid->radii);
  auto box = std::make_unique<btBoxShape>(to_bullet(std::get<Box>(solid.shape).half));
  box->setMargin(0.0);
  return box;
}

btTransform transform_of(const Pose& pose) {
  const Matrix3& R = pose.rotation;
  return btTransform(btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
                     to_bullet(pose.position));
}

/// Distance of two solids apart, by the algorithm of Gilbert, Johnson and Keerthi.
double bullet_distance(const Solid& first, const Solid& second) {
  const auto one = shape_of(first), other = shape_of(second);
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver penetration;
  btGjkPairDetector detector(one.get(), other.get(), &simplex, &penetration);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = transform_of(first.pose);
  input.m_transformB = transform_of(second.pose);
  btPointCollector result;
  detector.getClosestPoints(input, result, nullptr);
  return result.m_hasResult ? result.m_distance : 0.0;
}

}  // namespace

TEST_CASE("Bullet finds the same distances of bodies apart") {
  Random random(31);
  const std::vector<Shape> shapes{Sphere{0.4}, Ellipsoid{{0.5, 0.2, 0.4}}, Box{{0.3, 0.5, 0.2}}};
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    const Shape &one = shapes[static_cast<std::size_t>(i % 3)], &other = shapes[static_cast<std::size_t>(i / 3 % 3)];
    const Solid first = solid(0, one, random.in_ball(), random.rotation());
    const Solid second = solid(1, other, first.pose.position + 1.2 * random.in_ball(), random.rotation());
    const Contacts contacts = contacts_of(first, second, 5.0);
    REQUIRE(!contacts.empty());
    double gap = contacts[0].gap;
    for (const Contact& contact : contacts) gap = std::min(gap, contact.gap);
    if (gap < 1e-3) continue;
    CAPTURE(i, shape_name(one), shape_name(other));
    ++compared;
    const bool boxes = one.index() == 2 && other.index() == 2;
    // Bullet ends its iterations early on curved bodies. Between boxes a face may stand in for edges.
    CHECK(gap == Approx(bullet_distance(first, second)).margin(boxes ? 1e-3 * 0.2 : 1e-4).epsilon(0.0));
  }
  CHECK(compared > 200);
}
