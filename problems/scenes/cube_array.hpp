#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// The cubes of Koziara 2017, sec. 8.2: an array of elastic or rigid cubes in a box that is shaken along a diagonal by a
/// sine sweep.
class CubeArray final : public Scene {
 public:
  enum class Kinematics { elastic, rigid };
  struct Parameters {
    int per_edge = 5;    ///< cubes along an edge of the array
    int cells = 2;       ///< hexahedra along an edge of a cube
    double edge = 0.1;   ///< of a cube, m
    double gap = 0.002;  ///< between neighbours, m
    Kinematics kinematics = Kinematics::elastic;
    double young = 1e9;  ///< Pa
    double poisson = 0.25;
    double density = 1000.0;  ///< kg/m³
    double damping = 1.0;     ///< η, over the time step
    double friction = 0.1;
    double amplitude = 5.0;     ///< of the acceleration of the box, m/s²
    double frequency = 2.0;     ///< at the end of the sweep, Hz
    double duration = 3.0;      ///< of the sweep, s
    double mass_unit = 1.0;     ///< kg
    double gravity = 10.0;      ///< m/s²
    double time_step = 0.0005;  ///< s
  };

  CubeArray();
  const SceneInfo& info() const override;

 private:
  std::optional<std::string> check() const override;
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
