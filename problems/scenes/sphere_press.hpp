#pragma once

#include <optional>
#include <string>

#include "problem/scene_in_parts.hpp"

namespace ccp {

/// The pressure test of Mazhar, Heyn, Negrut, Tasora 2015, sec. 4.1.1 and Fig. 4: 4000 spheres in a box, a slab of 1000 kg
/// on top, one step from rest. The slab's weight reaches the floor through long chains of contacts.
///
/// The spheres lie in square layers, every other layer in the pockets of the one below: the densest packing, with twelve
/// neighbours to each sphere inside. With `jitter` their centres are shifted, which turns the normals; neighbours touch all
/// the same, as spheres do that differ a little in size. No gap is smaller than `gap`, so that v = 0 is admissible. Without
/// gap it is the solution of both models: the packing can carry the slab, and the least objective is that of bodies stopped
/// from their free fall, −½ h² g² (sum of the masses).
///
/// With packing = random the spheres are thrown into the same box instead and settle under the slab (settled_packing.hpp): a
/// disordered packing, in which those that overlap touch, and one that carries the slab, too. v = 0 is the solution again.
/// With packing = thrown they do not settle: some spheres are loose and fall, and with little friction (5000 contacts, μ =
/// 0.3) whole parts flow.
///
/// Bodies: the spheres from the floor upwards, then the slab. Contacts: sphere by sphere, with the floor, the walls, the
/// spheres before it; then those of the slab. Normals point from the box, the earlier sphere or the lower body to the other.
class SpherePress final : public SceneInParts {
 public:
  enum class Packing { layers, random, thrown };
  struct Parameters {
    int spheres = 4000;
    Packing packing = Packing::layers;
    double radius = 0.15;       ///< m
    double mass = 1.0;          ///< of a sphere, kg
    double slab_mass = 1000.0;  ///< kg; 0: no slab
    int per_side = 20;          ///< spheres along each side of a full layer
    double jitter = 0.0;        ///< over the radius
    double gap = 0.0;           ///< m
    double envelope = 2e-3;     ///< m
    double friction = 0.3;
    double rolling_friction = 0.0;   ///< μ_r, m
    double spinning_friction = 0.0;  ///< μ_s, m
    double gravity = 9.81;           ///< m/s²
    double time_step = 0.01;         ///< s
  };

  SpherePress();
  const SceneInfo& info() const override;
  /// An envelope that would leave touching spheres out.
  std::optional<std::string> check() const override;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  std::unique_ptr<PartSource> do_parts(std::uint64_t seed) const override;
  SceneGeometry do_geometry(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
