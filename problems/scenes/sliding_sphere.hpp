#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/model.hpp"
#include "problem/scene.hpp"

namespace ccp {

/// The artefact of the convex model, Mazhar, Heyn, Negrut, Tasora 2015, sec. 2.3: a sphere thrown horizontally falls on a
/// plane, slides, and rolls in the end. A sliding contact of the `ccp` separates with u_n = μ‖u_T‖, so that the sphere
/// hovers at Φ = h μ‖u_T‖ until it rolls; under the `ncp` it stays on the plane.
///
/// The scene advances itself from t = 0 to `time` by steps of length h in the model `stepping`, each solved in closed form,
/// and moves on from there by what solves its steps. One body; one contact, which is there at every distance.
class SlidingSphere final : public Scene {
 public:
  struct Parameters {
    double time = 0.3;        ///< s
    double time_step = 0.01;  ///< s
    Model stepping = Model::ccp;
    double height = 0.1;  ///< gap at t = 0, m
    double speed = 5.0;   ///< along x at t = 0, m/s
    double radius = 1.0;  ///< m
    double mass = 1.0;    ///< kg
    double friction = 0.2;
    double gravity = 9.81;  ///< m/s²
  };

  SlidingSphere();
  const SceneInfo& info() const override;
  /// More steps than can be taken in a moment.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
