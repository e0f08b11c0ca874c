#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "problems/articulated/mesh_file.hpp"
#include "problems/articulated/urdf.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/urdf_files.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

TreeLink link_at(const std::string& name, int parent, const Vector3& place, const Vector3& axis) {
  TreeLink link;
  link.name = name;
  link.parent = parent;
  link.place = place;
  link.axis = axis;
  return link;
}

Matrix3 about(Index axis, double angle) { return rotation_matrix(rotation_exponential(angle * Vector3::Unit(axis))); }

/// The same robot by hand.
Tree arm_by_hand() {
  TreeLink upper = link_at("upper", TreeLink::ground, {0.0, 0.0, 0.2}, Vector3::UnitY());
  upper.turn = about(2, 0.3) * about(1, 0.2) * about(0, 0.1);
  upper.mass = 2.0;
  upper.centre = {0.5, 0.0, 0.0};
  Matrix3 inertia;
  inertia << 0.01, 0.001, 0.0, 0.001, 0.2, 0.0, 0.0, 0.0, 0.2;
  upper.inertia = about(2, 0.3) * inertia * about(2, 0.3).transpose();
  upper.inertia = (0.5 * (upper.inertia + upper.inertia.transpose())).eval();
  TreeLink lower = link_at("lower", 0, {1.0, 0.0, 0.0}, Vector3::UnitZ());
  lower.mass = 1.5;  // the tool's centre is at (0.5, 0, 0) of the lower link
  lower.centre = {(0.2 + 0.5 * 0.5) / 1.5, 0.0, 0.0};
  const double own = 0.2 - lower.centre[0], tool = 0.5 - lower.centre[0], turning = own * own + 0.5 * tool * tool;
  lower.inertia = Vector3(0.011, 0.051 + turning, 0.051 + turning).asDiagonal();
  return Tree({upper, lower});
}

}  // namespace

TEST_CASE("a robot of a URDF file is the tree that its numbers say") {
  if (!has_urdf()) return;
  const UserFolder user;
  const MergedRobot robot = merged_robot(read_urdf(user.robot, false));
  const Tree& tree = robot.model.tree;
  const Tree expected = arm_by_hand();
  REQUIRE(tree.dofs() == 2);
  CHECK(tree.links()[0].lower == -1.0);
  CHECK(tree.links()[0].upper == 2.0);
  CHECK(tree.links()[0].damping == 0.4);
  CHECK(tree.links()[1].lower == -infinite);
  TreePose pose = tree.rest();
  pose.joints = {0.7, -1.2};
  const PlacedTree here(tree, pose), there(expected, pose);
  CHECK((here.joint_inertia() - there.joint_inertia()).norm() < 1e-13);
  const Vector v = Vector2(0.4, -2.0);
  CHECK((here.bias_force(v, {0.0, 0.0, -9.81}) - there.bias_force(v, {0.0, 0.0, -9.81})).norm() < 1e-12);

  REQUIRE(robot.model.shapes.size() == 3);
  const LinkShape &box = robot.model.shapes[0], &mesh = robot.model.shapes[1], &tool = robot.model.shapes[2];
  CHECK(std::get<Box>(box.shape).half.isApprox(Vector3(0.4, 0.05, 0.06)));
  CHECK(box.turn.isApprox(about(1, 0.2), 1e-14));
  const FieldSolid& hull = *std::get<FieldShape>(mesh.shape).solid;
  CHECK(hull.surface.vertices.size() == 4);
  CHECK(hull.half.isApprox(Vector3(0.2, 0.1, 0.1), 1e-7));  // scaled
  CHECK(mesh.link == 1);
  CHECK(std::get<Sphere>(tool.shape).radius == 0.04);
  CHECK(tool.link == 1);
  CHECK(tool.place.isApprox(Vector3(0.4, 0.0, 0.0)));
  REQUIRE(robot.base.size() == 1);
  CHECK(robot.base[0].pose.position.isApprox(Vector3(0.0, 0.0, -0.1)));
  CHECK(std::get<FieldShape>(robot.base[0].shape).solid->half.isApprox(Vector3(0.05, 0.05, 0.05), 1e-12));
}

TEST_CASE("the root of a URDF file that has a mass may be free") {
  if (!has_urdf()) return;
  const UserFolder user;
  CHECK_THROWS_WITH(read_urdf(user.robot, true), Catch::Contains("arm.urdf: link 0 ('pedestal') has a mass of 0 kg"));
  write_text(user.robot,
             arm_text("<link name=\"pedestal\">",
                      "<link name=\"pedestal\"><inertial><mass value=\"3\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
                      "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>"));
  CHECK(merged_robot(read_urdf(user.robot, true)).model.tree.dofs() == 8);
}

TEST_CASE("a URDF file that is damaged or asks for too much gets one line") {
  if (!has_urdf()) return;
  const UserFolder user;
  struct Damage {
    std::string change, by, message;
  };
  const auto damage = GENERATE(values<Damage>(
      {{"</robot>", "", "expected a URDF file of a robot"},
       {"<robot name=\"arm\">", "<robot>", "expected a URDF file of a robot"},
       {"child link=\"upper\"", "child link=\"nobody\"", "expected a URDF file of a robot"},
       {"type=\"continuous\"", "type=\"planar\"", "joint 'elbow': is floating, planar or unknown"},
       {"type=\"continuous\"", "type=\"screw\"", "expected a URDF file of a robot"},
       {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint=\"shoulder\"/>", "joint 'elbow': mimics 'shoulder'"},
       {"<axis xyz=\"0 2 0\"/>", "<axis xyz=\"0 0 0\"/>", "joint 'shoulder': has an axis without a direction"},
       {"lower=\"-1\"", "lower=\"3\"", "joint 'shoulder': goes from 3 to 2"},
       {"<mass value=\"2\"/>", "<mass value=\"-2\"/>", "has a mass of -2 kg"},
       {"radius=\"0.05\"", "radius=\"0\"", "link 'pedestal': has a cylinder without extent"},
       {"radius=\"0.04\"", "radius=\"0\"", "shape of link 'tool': 'radius' of the sphere is 0 m"},
       {"lower.STL", "absent.STL", "link 'lower': mesh 'package://made_up/meshes/absent.STL' was not found"}}));
  CAPTURE(damage.by, damage.message);
  write_text(user.robot, arm_text(damage.change, damage.by));
  std::string message;
  try {
    read_urdf(user.robot, false);
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK_THAT(message, Catch::StartsWith(user.robot + ": ") && Catch::Contains(damage.message));
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("meshes are read from STL, binary and text, and from OBJ") {
  const TemporaryFolder folder;
  const auto read = [&](const char* name, const std::string& text) {
    const std::string path = (folder.path() / name).string();
    write_text(path, text);
    return read_mesh_points(path);
  };
  const auto binary = read("a.stl", binary_stl_text());
  REQUIRE(binary.size() == 12);
  CHECK((binary[1] - Vector3(0.0, 0.1, 0.0)).norm() < 1e-8);
  const auto text =
      read("b.STL", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2.5 -3e-1\nvertex 0 0 0\nvertex 1 0 0\nendloop\n");
  REQUIRE(text.size() == 3);
  CHECK(text[0] == Vector3(1.0, 2.5, -0.3));
  const auto obj = read("c.obj", "# made\nv 1 2 3\nvn 0 0 1\nv 4 5 6 1.0\nf 1 2 1\n");
  REQUIRE(obj.size() == 2);
  CHECK(obj[1] == Vector3(4.0, 5.0, 6.0));
  CHECK_THROWS_WITH(read("d.dae", "<COLLADA/>"), Catch::Contains("has the extension '.dae', expected .stl or .obj"));
  CHECK_THROWS_WITH(read("e.stl", binary_stl_text().substr(0, 100)), Catch::Contains("is damaged"));
  CHECK_THROWS_WITH(read("f.obj", "v 1 2\n"), Catch::Contains("line 1 has 'v' without three numbers"));
  CHECK_THROWS_WITH(read("g.obj", "# nothing\n"), Catch::Contains("has no points"));
  CHECK_THROWS_WITH(read_mesh_points((folder.path() / "h.obj").string()), Catch::Contains("no such file"));
  std::filesystem::create_directory(folder.path() / "i.obj");
  CHECK_THROWS_WITH(read_mesh_points((folder.path() / "i.obj").string()), Catch::Contains("is no file"));
}

TEST_CASE("an arm of a URDF file follows its path, and balls roll off it") {
  if (!has_urdf()) return;
  const UserFolder user;
  const auto motion =
      scene_in_time("driven_robot", {{"robot", user.robot.c_str()}, {"balls", "2"}, {"height", "1"}, {"gravity", "0"}});
  const auto& world = dynamic_cast<const ArticulatedWorld&>(*motion);
  const Drive done = drive(*motion, 60, {"proximal_newton", Model::ncp, 1e-8});
  CHECK(done.problems.front().problem.dofs() == 2 + 12);
  // A quarter of the period from the middle to the first turning point: half of the way.
  CHECK(world.time() == Approx(0.25));
  const Vector wanted = world.robots()[0].impedance->path.angles(world.time());
  CHECK(world.robots()[0].pose.joints[0] == Approx(wanted[0]).margin(0.02));
  CHECK(world.robots()[0].pose.joints[1] == Approx(wanted[1]).margin(0.02));
  CHECK(std::abs(wanted[0] - 0.5) > 0.01);
  CHECK(meshes_of(*motion).size() == 2);  // a hull, and the prism of the pedestal
}

TEST_CASE("a scene says what is wrong with its URDF file before it builds") {
  const auto scene = make_scene("driven_robot");
  CHECK_FALSE(scene->check().has_value());
  scene->parameters().set_from_text("robot", "nowhere/arm.urdf");
  CHECK_THAT(scene->check().value_or(""), Catch::StartsWith("nowhere/arm.urdf: "));
  CHECK_THROWS_AS(scene->motion(1), InputError);
  CHECK_THROWS_WITH(scene->parameters().set_from_text("robot", "arm.xml"), Catch::Contains("or a file *.urdf"));
}
