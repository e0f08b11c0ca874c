#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene_in_parts.hpp"

namespace ccp {

/// Contacts of any number with a sparse graph like that of a packing, for studies of scaling and conditioning. Rigid bodies
/// in random poses sit near the points of a cubic grid; contacts join neighbours, and the lowest layer and the floor. The
/// time and memory to build it are proportional to the number of contacts.
///
/// At v = 0 every contact has u = (Φ/h, 0, 0) with Φ > 0, which is inside the dual cone, so that both models have a
/// solution. Everything random comes from the seed, by arithmetic that IEEE 754 fixes.
class RandomContacts : public SceneInParts {
 public:
  struct Parameters {
    int contacts = 1000;
    double contacts_per_body = 5.0;  ///< mean over the bodies; a contact between two bodies counts for both
    double mass_ratio = 10.0;        ///< largest over smallest mass
    double conditioning = 4.0;       ///< largest over smallest principal inertia of a body
    double redundancy = 0.0;         ///< share of the contacts that repeat another
    double patch = 0.0;              ///< distance of a repeated contact from its original, m
    double friction_min = 0.2;
    double friction_max = 0.6;
    double gravity = 9.81;    ///< m/s²
    double speed = 0.1;       ///< m/s
    double gap = 2e-4;        ///< m
    double radius = 0.1;      ///< m
    double mass = 1.0;        ///< kg
    double time_step = 0.01;  ///< s
    double spin = 0.0;        ///< rad/s, a parameter of SpinningContacts alone; 0: speed/radius, no gyroscopic torques
  };

  RandomContacts();
  const SceneInfo& info() const override;
  /// friction_min above friction_max; all contacts repeats of nothing.
  std::optional<std::string> check() const override;

 protected:
  Parameters parameters_;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  std::unique_ptr<PartSource> do_parts(std::uint64_t seed) const override;
};

/// The same with bodies that spin fast and gyroscopic torques in H, which is not symmetric (A.6): J + h ([ω]× J − [Jω]×) in
/// the place of the inertia J. Bodies and contacts are those of RandomContacts with the same parameters and seed.
class SpinningContacts final : public RandomContacts {
 public:
  SpinningContacts();
  const SceneInfo& info() const override;
  /// The same, and spins with which H might not be positive definite.
  std::optional<std::string> check() const override;
};

}  // namespace ccp
