#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"
#include "problems/finite_elements/penalty_contact.hpp"

namespace ccp {

/// The three-point bending of Mangoni's thesis, sec. 5.3.2: an elastic beam lies on two cylinders, and a third one comes
/// down on its middle.
class ThreePointBending final : public Scene {
 public:
  struct Parameters {
    double length = 1.3;   ///< of the beam, m
    double width = 0.6;    ///< m
    double height = 0.15;  ///< m
    int cells_along = 26;
    int cells_across = 12;
    int cells_up = 3;
    double young = 1e7;  ///< Pa
    double poisson = 0.3;
    double density = 1000.0;   ///< kg/m³
    double damping = 0.001;    ///< β, s
    double span = 1.0;         ///< between the axes of the supports, m
    double diameter = 0.05;    ///< of all cylinders, m
    double speed = 1.0;        ///< of the punch, downwards, m/s
    double punch_mass = 10.0;  ///< kg
    PenaltyLaw::Kind contact = PenaltyLaw::Kind::none;
    double penalty_stiffness = 1e6;  ///< N/m
    double envelope = 0.005;         ///< m
    double gravity = 9.8;            ///< m/s²
    double time_step = 0.06;         ///< s
  };

  ThreePointBending();
  const SceneInfo& info() const override;
  /// Supports that the beam does not reach, or that overlap.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
