#pragma once

#include <vector>

#include "problem/placed_mesh.hpp"
#include "problems/distance_field/contact_set.hpp"
#include "problems/random.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {

/// Contacts of a solid, body `first`, with a mesh, body `second`. shift is added to every gap, m.
void add_field_contacts(std::vector<RigidConstraint>& constraints, const std::vector<FieldContact>& contacts, int first,
                        int second, double friction, double shift);

/// The weight of a body and a random wrench: a force uniform in a ball of `force` N, a torque uniform in a ball of 0.05
/// m·`force`.
void add_wrench(RigidBody& body, Random& random, double force, double gravity);

/// The same contacts as pictures show them. first, second: numbers of surfaces.
void add_placed_contacts(std::vector<PlacedContact>& placed, const std::vector<FieldContact>& contacts, int first,
                         int second, double shift);

/// A rigid surface at rest as pictures show it.
PlacedMesh mesh_at_rest(const TriangleMesh& surface, bool obstacle);

}  // namespace ccp
