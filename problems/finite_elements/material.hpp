#pragma once

#include <string>

namespace ccp {

/// A homogeneous elastic material with Rayleigh damping, C = α M + β K.
struct ElasticMaterial {
  double young = 1e6;              ///< E, Pa
  double poisson = 0.3;            ///< ν, 0 <= ν < ½
  double density = 1e3;            ///< ρ, kg/m³
  double mass_damping = 0.0;       ///< α, 1/s
  double stiffness_damping = 0.0;  ///< β, s

  /// Lamé's parameters, Pa.
  double lambda() const { return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)); }
  double shear() const { return young / (2.0 * (1.0 + poisson)); }
};

/// Throws InputError naming what is out of range: E, ρ <= 0, ν outside [0, ½), α, β < 0. name: "bar 3".
void check_material(const ElasticMaterial& material, const std::string& name);

}  // namespace ccp
