#include "problems/finite_elements/elastic_step.hpp"

namespace ccp {

ElasticStep elastic_step(const ElasticBody& body, Stepping stepping, double time_step, const Vector3& acceleration) {
  const ElasticModel& model = *body.model;
  const double h = time_step, squared = stepping == Stepping::moreau_midpoint ? 0.25 * h * h : h * h;
  const ElasticModel::Forces forces = model.forces(body.places);
  const Vector v = flattened(body.velocities);
  ElasticStep step;
  step.H = stiffness_matrix(model, forces);
  step.k = h * forces.force;
  if (stepping == Stepping::moreau_midpoint) step.k += squared * (step.H * v);
  step.H *= squared + h * model.material().stiffness_damping;
  for (Index node = 0; node < model.nodes(); ++node) {
    const double mass = model.masses()[node];
    step.k.segment<3>(3 * node) += mass * (v.segment<3>(3 * node) + h * acceleration);
    for (Index axis = 0; axis < 3; ++axis)
      step.H.coeffRef(3 * node + axis, 3 * node + axis) += mass * (1.0 + h * model.material().mass_damping);
  }
  return step;
}

}  // namespace ccp
