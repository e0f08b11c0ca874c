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
/// mesh moves, so that a contact has the same feature, the number of its patch, from step to step. Of the two triangles of a
/// patch that have the deepest corners or centroids, Frank–Wolfe finds the nearest points where these are nearer than 0.2 mm.
/// On an M48 nut that is 0.02 µm above the least of the patch in the mean, 6 µm at most. In the order of the patches.
std::vector<FieldContact> patch_contacts(const SignedDistance& solid, const TriangleMesh& mesh,
                                         const SurfacePatches& patches, double margin);

}  // namespace ccp
