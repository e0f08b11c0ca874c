#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/error.hpp"
#include "problems/articulated/urdf.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ccp::testing {

/// Two links and a tool that is fixed to the second one, on a pedestal.
inline std::string arm_text(const std::string& change = "", const std::string& by = "") {
  std::string text = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="pedestal"><collision><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.05" length="0.1"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0.5 0 0" rpy="0 0 0.3"/><mass value="2"/><inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>
    <collision><origin xyz="0.5 0 0" rpy="0 0.2 0"/><geometry><box size="0.8 0.1 0.12"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial>
    <collision><origin xyz="0.2 0 0"/><geometry><mesh filename="package://made_up/meshes/lower.STL" scale="2 1 1"/></geometry></collision>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 0.1"/><mass value="0.5"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
    <collision><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><parent link="pedestal"/><child link="upper"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.4"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="1 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="flange" type="fixed"><origin xyz="0.4 0 0" rpy="0 1.5707963267948966 0"/><parent link="lower"/><child link="tool"/></joint>
</robot>
)";
  if (!change.empty()) {
    const std::size_t place = text.find(change);
    REQUIRE(place != std::string::npos);
    text.replace(place, change.size(), by);
  }
  return text;
}

/// A tetrahedron with legs of 0.1 m.
inline std::string binary_stl_text() {
  const float corners[4][3] = {{0, 0, 0}, {0.1F, 0, 0}, {0, 0.1F, 0}, {0, 0, 0.1F}};
  constexpr int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string text(80, ' ');
  const auto append = [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); };
  const std::uint32_t count = 4;
  append(&count, sizeof count);
  for (const auto& face : faces) {
    text.append(12, '\0');
    for (const int corner : face) append(corners[corner], 12);
    text.append(2, '\0');
  }
  return text;
}

/// A folder made_up/ with the robot and its mesh.
struct UserFolder {
  TemporaryFolder folder;
  std::string robot = (folder.path() / "made_up/urdf/arm.urdf").string();

  UserFolder() {
    std::filesystem::create_directories(folder.path() / "made_up/urdf");
    std::filesystem::create_directories(folder.path() / "made_up/meshes");
    write_text(robot, arm_text());
    write_text((folder.path() / "made_up/meshes/lower.STL").string(), binary_stl_text());
  }
};

/// Where there is no urdfdom, says so.
inline bool has_urdf() {
  const UserFolder user;
  try {
    read_urdf(user.robot, false);
    return true;
  } catch (const InputError& error) {
    if (std::string(error.what()).find("without urdfdom") == std::string::npos) throw;
    skip("built without urdfdom");
    return false;
  }
}

}  // namespace ccp::testing
