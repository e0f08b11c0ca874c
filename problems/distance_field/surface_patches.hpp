#pragma once

#include <vector>

#include "problems/distance_field/contact_set.hpp"

namespace ccp {

/// The triangles of each patch of a surface, each triangle in one.
using SurfacePatches = std::vector<std::vector<int>>;

/// At most `count` patches about farthest triangles: the first one, then again and again the one farthest from all before,
/// by centroid x and normal n in the metric ‖Δx‖² + (10 mm)²‖Δn‖² of contact_set().
SurfacePatches surface_patches(const TriangleMesh& mesh, int count);

/// The deepest point of each patch near a solid, φ < margin (m): clusters as in contact_set() that do not change while the
/// mesh moves, so that a contact has the same feature, the number of its patch, from step to step. Frank–Wolfe goes over the
/// three triangles of a patch whose corners and centroid are deepest. In the order of the patches.
std::vector<FieldContact> patch_contacts(const SignedDistance& solid, const TriangleMesh& mesh,
                                         const SurfacePatches& patches, double margin);

}  // namespace ccp
