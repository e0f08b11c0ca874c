#include "solvers/newton/contact_map.hpp"

#include <algorithm>

#include "cones/friction_cone.hpp"

namespace ccp {
namespace {

ContactMap convex_map(const Vector3& s, double mu, bool planar) {
  ContactMap map{Vector3::Zero(), Matrix3::Zero(), false};
  if (planar) {
    map.value.head<2>() = project_friction_cone(Vector2(s.head<2>()), mu);
    map.derivative.topLeftCorner<2, 2>() = friction_cone_derivative(Vector2(s.head<2>()), mu);
  } else {
    map.value = project_friction_cone(s, mu);
    map.derivative = friction_cone_derivative(s, mu);
  }
  map.open = map.value == Vector3::Zero() && map.derivative == Matrix3::Zero();
  return map;
}

}  // namespace

ContactMap contact_map(ConstraintKind kind, double mu, Model model, const Vector3& s) {
  switch (kind) {
    case ConstraintKind::contact:
    case ConstraintKind::contact2d:
      if (model == Model::ccp) return convex_map(s, mu, kind == ConstraintKind::contact2d);
      return StrictContact{mu}.map(s);
    case ConstraintKind::unilateral: return StrictContact{0.0}.map(s);
    default: break;
  }
  ContactMap map{Vector3::Zero(), Matrix3::Zero(), false};
  map.value[0] = s[0];
  map.derivative(0, 0) = 1.0;
  return map;
}

Vector3 contact_map_value(ConstraintKind kind, double mu, Model model, const Vector3& s) {
  Vector3 value = Vector3::Zero();
  switch (kind) {
    case ConstraintKind::contact: return model == Model::ccp ? project_friction_cone(s, mu) : project_strict(s, mu);
    case ConstraintKind::contact2d: {
      const Vector2 planar = s.head<2>();
      value.head<2>() = model == Model::ccp ? project_friction_cone(planar, mu) : project_strict(planar, mu);
      return value;
    }
    case ConstraintKind::unilateral: value[0] = std::max(s[0], 0.0); return value;
    default: value[0] = s[0]; return value;
  }
  return value;
}

}  // namespace ccp
