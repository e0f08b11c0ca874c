#pragma once

#include "problem/placed_mesh.hpp"
#include "problem/scene.hpp"

namespace ccp {

/// The pile of dishes of Lee et al. 2025, sec. VII-B: bowl, bowl, plate (0.1 kg each) and a pot of 5 kg on a floor, one step
/// from rest under random wrenches, 100 of them.
///
/// Each dish is a mesh against the signed distance of the one below it (`distance_field/dish.hpp`). Masses and kinds of
/// dishes are the paper's; their sizes, friction and wrenches are ours. Bodies from the floor upwards, contacts likewise,
/// pair by pair.
class DishPile final : public Scene, public SceneShowsMeshes {
 public:
  struct Parameters {
    int wrench = 0;
    double load = 0.1;
    double overlap = 0.0;     ///< m
    double light_mass = 0.1;  ///< kg
    double pot_mass = 5.0;    ///< kg
    double friction = 0.4;
    double margin = 2e-4;  ///< m
    int contacts = 40;
    double gravity = 9.81;           ///< m/s²
    double time_step = 1.0 / 240.0;  ///< s
  };

  DishPile();
  const SceneInfo& info() const override;
  std::vector<PlacedMesh> meshes(std::uint64_t seed) const override;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  SceneGeometry do_geometry(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
