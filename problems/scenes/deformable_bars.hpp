#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// TEST 4 of Tasora et al. 2021: layers of elastic bars that fall on each other and on a floor. The bars of a layer are
/// parallel, and each layer is turned about the common vertical axis by an angle of its own.
class DeformableBars final : public Scene {
 public:
  struct Parameters {
    int layers = 5;
    int bars = 3;          ///< of a layer
    double length = 0.8;   ///< m
    double width = 0.08;   ///< m
    double pitch = 0.1;    ///< height of the axis of each layer over that of the one below it, m
    double spacing = 0.3;  ///< of the axes of neighbours, m
    int cells_along = 12;
    int cells_across = 3;
    double young = 1e6;  ///< Pa
    double poisson = 0.3;
    double density = 1000.0;  ///< kg/m³
    double damping = 0.01;    ///< β, s
    double friction = 0.3;
    double envelope = 0.005;   ///< m
    double ball_mass = 0.0;    ///< kg; 0: no ball
    double ball_radius = 0.1;  ///< m
    double gravity = 9.8;      ///< m/s²
    double time_step = 0.05;   ///< s
  };

  DeformableBars();
  const SceneInfo& info() const override;
  /// Bars that overlap at the start.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
