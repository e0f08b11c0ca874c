#include "problems/scenes/dropped_body.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "core/text.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"

namespace ccp {

void add_drop_fields(FieldTable& fields, DropParameters& p) {
  fields.add("density", &p.density, Range::positive(), "kg/m³", "density of the body", "ours")
      .add("drop", &p.drop, Range::non_negative(), "m", "gap between body and floor at the start", "ours")
      .add("friction", &p.friction, Range::non_negative(), "",
           "friction coefficient of every contact; 0: a contact is a single unilateral row",
           "Mangoni's thesis, Tab. 5.1: none")
      .add("envelope", &p.envelope, Range::positive(), "m", "points nearer to the floor are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

std::optional<std::string> drop_defect(const DropParameters& p) {
  if (p.drop <= p.envelope) return std::nullopt;
  return fmt::format("'drop' is {} m, expected at most 'envelope', which is {} m: the first step would have no contact",
                     format_double(p.drop), format_double(p.envelope));
}

std::unique_ptr<Motion> dropped_body(const std::string& scene, MovingBody body, const Shape& shape, double height,
                                     const DropParameters& p) {
  WorldParts parts;
  body.position = {0.0, 0.0, height + p.drop};
  parts.bodies = {std::move(body)};
  parts.obstacles = {resting(Vector3::Zero())};
  give_surfaces(parts, {{shape}, {HalfSpace{}}, p.envelope, p.friction});
  const double slope = p.slope * std::numbers::pi / 180.0;
  const Vector3 gravity(p.gravity * std::sin(slope), 0.0, -p.gravity * std::cos(slope));  // in the frame of the floor
  return std::make_unique<World>(WorldSettings{scene, p.time_step, gravity}, std::move(parts));
}

}  // namespace ccp
