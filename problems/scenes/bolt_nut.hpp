#pragma once

#include "problem/placed_mesh.hpp"
#include "problem/scene.hpp"

namespace ccp {

/// The bolt and nut of Lee et al. 2025, sec. VII-A: a nut M48 × 5 on a fixed bolt, one step from rest, in 10 poses under 10
/// wrenches.
///
/// The nut is a mesh of its thread, the bolt a signed distance (`distance_field/thread.hpp`). A pose is a place on the helix
/// with a little offset and tilt, from where the nut is pushed along the axis until a flank touches; all gaps are then
/// shifted so that the smallest is −overlap. Paper: M48, a learnt distance, Frank–Wolfe, at most 120 contacts by clustering.
/// Clearance, wrenches, mass and friction are ours.
class BoltNut final : public Scene, public SceneShowsMeshes {
 public:
  struct Parameters {
    double fit = 0.0;  ///< 0: tightest of 6H/6g
    int pose = 0;
    int wrench = 0;
    double force = 10.0;  ///< N
    double friction = 0.2;
    double overlap = 0.0;  ///< m
    double margin = 1e-4;  ///< m
    int contacts = 120;
    double gravity = 9.81;           ///< m/s²
    double time_step = 1.0 / 240.0;  ///< s
  };

  BoltNut();
  const SceneInfo& info() const override;
  std::vector<PlacedMesh> meshes(std::uint64_t seed) const override;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  SceneGeometry do_geometry(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
