#include "problems/geometry/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/distance_field/field_solid.hpp"

namespace ccp {
namespace {

struct SizeCheck {
  const Shape& shape;
  const std::string& name;

  [[noreturn]] void refuse(std::string_view size, double value) const {
    throw InputError("", name,
                     fmt::format("'{}' of the {} is {} m, expected more than 0{}", size, shape_name(shape),
                                 format_double(value), value > 0.0 ? " and finite" : ""));
  }
  void length(std::string_view size, double value) const {
    if (!(value > 0.0 && std::isfinite(value))) refuse(size, value);
  }
  void lengths(std::string_view size, const Vector3& values) const {
    for (const double value : values) length(size, value);
  }

  void operator()(const Sphere& sphere) const { length("radius", sphere.radius); }
  void operator()(const Ellipsoid& ellipsoid) const { lengths("radii", ellipsoid.radii); }
  void operator()(const Box& box) const { lengths("half", box.half); }
  void operator()(const HalfSpace&) const {}
  void operator()(const CylinderCavity& cavity) const { length("radius", cavity.radius); }
  void operator()(const Drum& drum) const { length("radius", drum.radius); }
  void operator()(const Cylinder& cylinder) const {
    length("radius", cylinder.radius);
    if (!(cylinder.half_length > 0.0)) refuse("half_length", cylinder.half_length);
  }
  void operator()(const FieldShape& field) const { lengths("half", field.solid->half); }
};

struct HalfWidth {
  double operator()(const Sphere& sphere) const { return sphere.radius; }
  double operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.radii.minCoeff(); }
  double operator()(const Box& box) const { return box.half.minCoeff(); }
  double operator()(const Cylinder& cylinder) const { return std::min(cylinder.radius, cylinder.half_length); }
  double operator()(const FieldShape& field) const { return field.solid->half.minCoeff(); }
  template <typename Unbounded>
  double operator()(const Unbounded&) const {
    return infinite;
  }
};

/// Half the size of the bounds, along the axes of the world.
struct HalfExtent {
  const Matrix3& rotation;

  Vector3 operator()(const Sphere& sphere) const { return Vector3::Constant(sphere.radius); }
  Vector3 operator()(const Ellipsoid& ellipsoid) const { return (rotation * ellipsoid.radii.asDiagonal()).rowwise().norm(); }
  Vector3 operator()(const Box& box) const { return rotation.cwiseAbs() * box.half; }
  Vector3 operator()(const FieldShape& field) const { return rotation.cwiseAbs() * field.solid->half; }
  Vector3 operator()(const Cylinder& cylinder) const {
    if (!std::isfinite(cylinder.half_length)) return Vector3::Constant(infinite);
    const Vector3 axis = rotation.col(2);
    const Vector3 across = (1.0 - axis.array().square()).max(0.0).sqrt();
    return cylinder.half_length * axis.cwiseAbs() + cylinder.radius * across;
  }
  template <typename Unbounded>
  Vector3 operator()(const Unbounded&) const {
    return Vector3::Constant(infinite);
  }
};

/// Kind and sizes.
struct SurfaceOf {
  static PlacedSurface made(SurfaceKind kind, const Vector3& sizes) {
    PlacedSurface surface;
    surface.kind = kind;
    surface.sizes = sizes;
    return surface;
  }
  PlacedSurface operator()(const Sphere& sphere) const { return made(SurfaceKind::sphere, {sphere.radius, 0.0, 0.0}); }
  PlacedSurface operator()(const Ellipsoid& ellipsoid) const { return made(SurfaceKind::ellipsoid, ellipsoid.radii); }
  PlacedSurface operator()(const Box& box) const { return made(SurfaceKind::box, box.half); }
  PlacedSurface operator()(const HalfSpace&) const { return made(SurfaceKind::half_space, Vector3::Zero()); }
  PlacedSurface operator()(const CylinderCavity& cavity) const {
    return made(SurfaceKind::cylinder_cavity, {cavity.radius, 0.0, 0.0});
  }
  PlacedSurface operator()(const Drum& drum) const { return made(SurfaceKind::drum, {drum.radius, 0.0, 0.0}); }
  PlacedSurface operator()(const Cylinder& cylinder) const {
    return made(SurfaceKind::cylinder, {cylinder.radius, cylinder.half_length, 0.0});
  }
  PlacedSurface operator()(const FieldShape&) const { throw std::logic_error("placed_surface: a field is shown as a mesh"); }
};

}  // namespace

std::string shape_name(const Shape& shape) {
  constexpr std::array<const char*, 8> names{
      "sphere", "ellipsoid", "box", "half-space", "cylindrical cavity", "drum", "cylinder", "solid of a signed distance"};
  static_assert(names.size() == std::variant_size_v<Shape>);
  return names.at(shape.index());
}

void check_shape(const Shape& shape, const std::string& name) { std::visit(SizeCheck{shape, name}, shape); }

void check_body_shape(const Shape& shape, const std::string& name) {
  if (shape.index() > Shape(Box{}).index() && !std::holds_alternative<FieldShape>(shape))
    throw InputError("", name,
                     fmt::format("is a {}, expected a sphere, an ellipsoid or a box: only obstacles have other shapes",
                                 shape_name(shape)));
  check_shape(shape, name);
}

double half_width(const Shape& shape) { return std::visit(HalfWidth{}, shape); }

Bounds bounds_of(const Shape& shape, const Pose& pose) {
  const Vector3 half = std::visit(HalfExtent{pose.rotation}, shape);
  return {pose.position - half, pose.position + half};
}

PlacedSurface placed_surface(const Shape& shape, const Pose& pose) {
  PlacedSurface surface = std::visit(SurfaceOf{}, shape);
  surface.position = pose.position;
  surface.rotation = pose.rotation;
  return surface;
}

}  // namespace ccp
