#pragma once

#include <string>

#include "problems/articulated/robots/robots.hpp"

namespace ccp {

/// Reads a robot from a URDF file (ROS), its root on the ground or free: inertias; joints that are revolute, continuous,
/// prismatic or fixed, with their limits and damping; for contact the `collision` elements: boxes, balls, cylinders as
/// prisms of 32 sides, and meshes as their convex hulls (read_mesh_points()). A mesh is looked for beside the file; of
/// package://NAME/PATH, PATH below the nearest folder NAME that the file is in, or else below the nearest folder that has
/// it. Effort, speed and friction of joints and `visual` elements are not used; bounds from 1e9 on are none.
///
/// Throws InputError, one line, for a file that cannot be read, is damaged or has more than 10000 elements, a joint of
/// another kind or one that mimics another, links that are no tree, a number above 1e9, joints that move no inertia, a mesh
/// that cannot be read; and where ccpbench was built without urdfdom.
RobotDescription read_urdf(const std::string& path, bool free_base);

}  // namespace ccp
