#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "problems/dynamics/world.hpp"
#include "tests/support/run_solver.hpp"

namespace ccp::testing {

/// γ of a problem of a few bodies, solved as exactly as rounding lets.
inline Vector solved_impulse(const ContactProblem& problem, Model model, const std::string& solver, int iterations = 400) {
  if (problem.rows() == 0) return Vector();
  StopRule stop;
  stop.measure = Measure::velocity_residual;
  stop.tolerance = 1e-14;
  stop.max_iterations = iterations;
  const Result result = run(problem, RunSpec{solver, model, stop});
  INFO(solver << ": " << status_name(result.status) << " after " << result.iterations << " iterations " << result.reason);
  REQUIRE(result.measures[measure_index(Measure::velocity_residual)] < 1e-9);
  return result.impulse;
}

/// What one step was.
struct Step {
  MotionProblem problem;
  Vector impulse, velocity;
};

inline Step take_step(Motion& motion, Model model = Model::ncp, const std::string& solver = "proximal_newton",
                      int iterations = 400) {
  MotionProblem step = motion.problem();
  Vector impulse = solved_impulse(step.problem, model, solver, iterations);
  Vector velocity = end_velocity(step.problem, impulse);
  motion.advance(velocity, impulse);
  return {std::move(step), std::move(impulse), std::move(velocity)};
}

inline WorldSettings settings_of(Stepping stepping, double time_step, const Vector3& gravity = {0.0, 0.0, -9.81}) {
  WorldSettings settings;
  settings.name = "test";
  settings.stepping = stepping;
  settings.time_step = time_step;
  settings.gravity = gravity;
  return settings;
}

/// A contact of body 0 with obstacle 1, the half-space z <= 0 of its frame, at the given point of the body.
inline WorldContact plane_contact(const Configuration& at, const Vector3& point, double friction, int feature = 0) {
  const Placement& plane = at.obstacle_placements.front();
  const Vector3 up = plane.rotation.col(2);
  WorldContact contact;
  contact.key = {0, 1, 0, feature, 0};
  contact.gap = up.dot(point - plane.position);
  contact.point = point - 0.5 * contact.gap * up;
  contact.normal = -up;
  contact.friction = friction;
  return contact;
}

/// The half-space whose normal is e_z turned by `slope` (rad) about y: downhill is along +x.
inline Quaternion slope(double angle) { return {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0}; }

/// A sphere of radius r over obstacle 1.
inline ContactFinder sphere_on_plane(double radius, double friction) {
  return [=](const Configuration& at) -> std::vector<WorldContact> {
    const Vector3 up = at.obstacle_placements.front().rotation.col(2);
    return {plane_contact(at, at.bodies.front().position - radius * up, friction)};
  };
}

/// A point mass over obstacle 1: the contact is at its centre, whatever the gap.
inline ContactFinder point_on_plane(double friction) {
  return [=](const Configuration& at) -> std::vector<WorldContact> {
    WorldContact contact = plane_contact(at, at.bodies.front().position, friction);
    contact.point = at.bodies.front().position;
    return {contact};
  };
}

/// The four lower corners of a box over obstacle 1.
inline ContactFinder box_on_plane(const Vector3& half, double friction) {
  return [=](const Configuration& at) {
    const Placement& box = at.bodies.front();
    std::vector<WorldContact> contacts;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3 place((corner & 1) != 0 ? half[0] : -half[0], (corner & 2) != 0 ? half[1] : -half[1], -half[2]);
      contacts.push_back(plane_contact(at, box.position + box.rotation * place, friction, corner));
    }
    return contacts;
  };
}

}  // namespace ccp::testing
