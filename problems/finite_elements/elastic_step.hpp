#pragma once

#include "problems/dynamics/stepper.hpp"
#include "problems/finite_elements/elastic_body.hpp"

namespace ccp {

/// H and k of a step of an elastic body, with C = α M + β K and K, f at the places of the integrator:
///     velocity_impulse:  H = M + h C + h² K,    k = M v + h (f + f_ext)
///     moreau_midpoint:   H = M + h C + h²/4 K,  k = (M + h²/4 K) v + h (f + f_ext)
/// The force of damping is all in H.
struct ElasticStep {
  SparseMatrix H;  ///< n×n, n = 3 nodes, exactly symmetric, kg
  Vector k;        ///< n, N·s
};

/// body: its places those at which the integrator takes the geometry, its velocities v⁽ˡ⁾. acceleration: f_ext/M, m/s².
ElasticStep elastic_step(const ElasticBody& body, Stepping stepping, double time_step, const Vector3& acceleration);

}  // namespace ccp
