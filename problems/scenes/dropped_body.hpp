#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/fields.hpp"
#include "problem/motion.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// The common part of single_ball and single_brick: one body over a floor.
struct DropParameters {
  double density = 1000.0;  ///< kg/m³
  double drop = 0.005;      ///< gap at the start, m
  double friction = 0.0;
  double envelope = 0.02;   ///< m
  double gravity = 9.81;    ///< m/s²
  double slope = 0.0;       ///< of the floor, which falls along x, °
  double time_step = 0.02;  ///< s
};

void add_drop_fields(FieldTable& fields, DropParameters& parameters);

/// Checks that the body starts within the envelope: the first step has a contact.
std::optional<std::string> drop_defect(const DropParameters& parameters);

/// The body, at the origin and at rest, lifted by `height` of its centre over its lowest point (m) and by `drop`.
std::unique_ptr<Motion> dropped_body(const std::string& scene, MovingBody body, const Shape& shape, double height,
                                     const DropParameters& parameters);

}  // namespace ccp
