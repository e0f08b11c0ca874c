#include "problems/finite_elements/material.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/dynamics/body.hpp"

namespace ccp {

void check_material(const ElasticMaterial& material, const std::string& name) {
  require_positive(material.young, "Young's modulus of " + name, "Pa");
  require_positive(material.density, "density of " + name, "kg/m³");
  if (!(material.poisson >= 0.0 && material.poisson < 0.5))
    throw InputError(
        fmt::format("Poisson's ratio of {} is {}, expected 0 <= ν < 0.5", name, format_double(material.poisson)));
  require_finite(material.mass_damping, "mass damping of " + name);
  require_finite(material.stiffness_damping, "stiffness damping of " + name);
  if (!(material.mass_damping >= 0.0 && material.stiffness_damping >= 0.0))
    throw InputError(fmt::format("damping of {} is α = {} 1/s and β = {} s, expected >= 0", name,
                                 format_double(material.mass_damping), format_double(material.stiffness_damping)));
}

}  // namespace ccp
