#pragma once

#include <string>

#include "problems/articulated/robots/robots.hpp"

namespace ccp {

/// Reads a robot from a URDF file (ROS), its root on the ground or free: inertias; joints that are revolute, continuous,
/// prismatic or fixed, with their limits and damping; for contact the `collision` elements: boxes, balls, cylinders as
/// prisms of 32 sides, and meshes as their convex hulls (read_mesh_points()). A mesh is looked for beside the file; of
/// package://NAME/PATH, PATH below the nearest folder NAME that the file is in, or else below the nearest folder that has
/// it. Effort, speed and friction of joints and `visual` elements are not used.
///
/// Throws InputError, one line, for a file that cannot be read or is damaged, a joint of another kind or one that mimics
/// another, a link that moves without a mass, a mesh that cannot be read; and where ccpbench was built without urdfdom.
RobotDescription read_urdf(const std::string& path, bool free_base);

}  // namespace ccp
