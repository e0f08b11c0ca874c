#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "problem/motion.hpp"
#include "problems/dynamics/obstacle.hpp"

namespace ccp {

/// x_world = position + rotation · x_body
struct Placement {
  Vector3 position = Vector3::Zero();      ///< m
  Matrix3 rotation = Matrix3::Identity();  ///< of a pseudo-rigid body its deformation gradient F
};

/// The configuration in which contacts are detected.
struct Configuration {
  double time = 0.0;                     ///< s
  std::vector<Placement> bodies;         ///< rigid ones, then pseudo-rigid ones
  std::vector<bool> present;             ///< whether a body has entered
  std::vector<ObstacleFrame> obstacles;  ///< with numbers after those of the bodies
  std::vector<Placement> obstacle_placements;
};

/// A contact point as the world takes it, in the order of keys.
struct WorldContact {
  ContactKey key;                     ///< body_a is a body, body_b another one or an obstacle
  Vector3 point = Vector3::Zero();    ///< halfway between the surfaces, where the impulse acts, m
  Vector3 normal = Vector3::UnitZ();  ///< unit vector from body_a to body_b
  double gap = 0.0;                   ///< Φ, m; negative where the bodies overlap
  double friction = 0.0;              ///< μ
  double cohesion = 0.0;              ///< largest pulling impulse of the step, N·s
  double rolling = 0.0;               ///< μ_r, m; 0: no rolling moment
  double spinning = 0.0;              ///< μ_s, m; 0: no spinning moment
  bool planar = false;                ///< in the plane of x and z: one tangent, and moments about y
  /// What the depth of an overlap is compared with, m: half the thickness of the thinner one.
  double size = std::numeric_limits<double>::infinity();
};

/// Finds the contacts of a configuration, sorted by key.
using ContactFinder = std::function<std::vector<WorldContact>(const Configuration&)>;

}  // namespace ccp
