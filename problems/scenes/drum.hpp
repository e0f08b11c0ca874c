#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene_in_parts.hpp"

namespace ccp {

/// The rotating drum of Koziara 2017, sec. 8.1: particles are dropped in layers into a pipe of 32 facets with two blocks,
/// between two side walls at rest; when all are in, pipe and blocks turn. Nothing is random. Or they lie in it from the
/// start (drum_filling.hpp): the first step, from rest, then has the contacts of a filled drum.
class RotatingDrum final : public SceneInParts {
 public:
  enum class Particle { ellipsoid, sphere };
  enum class Kinematics { rigid, pseudo_rigid };
  enum class Filling { dropped, packed };

  struct Parameters {
    int particles = 100;
    Particle shape = Particle::ellipsoid;
    Kinematics kinematics = Kinematics::rigid;
    Filling filling = Filling::dropped;
    double density = 100.0;  ///< kg/m³
    double friction = 0.3;
    double rolling_friction = 0.0;   ///< μ_r, m
    double spinning_friction = 0.0;  ///< μ_s, m
    double young = 1e6;              ///< Pa, of pseudo-rigid particles
    double poisson = 0.25;           ///< of pseudo-rigid particles
    double damping = 1.0;            ///< η of the stiffness damping ηK, over the time step
    double angular_velocity = 1.0;   ///< of pipe and blocks about +y, rad/s
    double gravity = 10.0;           ///< m/s²
    double mass_unit = 1.0;          ///< kg
    double time_step = 0.001;        ///< s
  };

  RotatingDrum();
  const SceneInfo& info() const override;
  /// Packed rigid particles: dropped ones have no contacts in the first step.
  bool in_parts() const override;
  /// A filling that reaches the blocks.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;
  std::unique_ptr<PartSource> do_parts(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
