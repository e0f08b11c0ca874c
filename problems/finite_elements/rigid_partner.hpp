#pragma once

#include <string>
#include <vector>

#include "problems/dynamics/body.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "problems/finite_elements/elastic_step.hpp"
#include "problems/finite_elements/surface_contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// A free rigid body among elastic ones: a sphere or a box.
struct RigidPartner {
  Shape shape;
  MovingBody body;
};

/// The body with its quaternion normalised. Throws InputError naming what cannot be: another shape, a size, a mass or a
/// moment of inertia that is not positive. name: "rigid body 3", for the message.
RigidPartner checked(RigidPartner partner, const std::string& name);

/// Its pose after the time `ahead` (s) with its present velocity and spin.
ObstacleFrame frame_after(const MovingBody& body, double ahead);

/// The fastest that its surface comes towards anything, m/s; what is round does not come nearer by its spin.
double largest_speed(const Shape& shape, const Vector3& velocity, const Vector3& spin);

/// H and k of a step of length h (s): those of problems/dynamics. frame: where the geometry is taken.
ElasticStep rigid_step(const MovingBody& body, const ObstacleFrame& frame, double time_step, const Vector3& gravity);

/// Half the mass times the square of the velocity, and the same of the spin, J.
double kinetic_energy(const MovingBody& body);

/// A rigid body or an obstacle as rigid_contacts() takes it.
struct RigidSide {
  const Shape* shape;
  const ObstacleFrame* frame;
  double reach;  ///< contacts have Φ <= the larger reach of the two, m
};

/// Contacts of rigid bodies with each other and with obstacles, by find_contacts(), as contacts without nodes. Bodies have
/// the numbers from `first` on, obstacles those after them.
std::vector<SurfaceContact> rigid_contacts(int first, const std::vector<RigidSide>& bodies,
                                           const std::vector<RigidSide>& obstacles);

}  // namespace ccp
