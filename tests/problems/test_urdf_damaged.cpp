// Files of robots and meshes that were damaged: each is a sound robot, or refused in one line that names the file.
#include <Eigen/Cholesky>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <vector>

#include "problems/articulated/articulated_world.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/urdf_files.hpp"

using namespace ccp;
using namespace ccp::testing;

// Those of the leak checker, where there is one.
extern "C" void __lsan_disable() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
extern "C" void __lsan_enable() __attribute__((weak));   // NOLINT(bugprone-reserved-identifier)

namespace {

/// urdfdom itself loses links that are on each other: what is allocated in such a scope is no leak.
struct MayLeak {
  MayLeak() {
    if (__lsan_disable != nullptr) __lsan_disable();
  }
  ~MayLeak() {
    if (__lsan_enable != nullptr) __lsan_enable();
  }
  MayLeak(const MayLeak&) = delete;
  MayLeak& operator=(const MayLeak&) = delete;
};

using Damage = std::function<void(std::string&, std::mt19937&)>;

const std::vector<std::string> strange_numbers{"nan",   "-inf",    "1e308", "-1e308", "1e400", "1e-320",
                                               "0",     "-1.5",    "1e18",  "",       "x",     "1,5",
                                               "0x1p3", "1 2 3 4", "7e9",   "-0.001", "+-1",   "1e5"};

std::size_t below(std::mt19937& random, std::size_t count) { return random() % count; }

/// All places of one of these characters.
std::vector<std::size_t> places_of(const std::string& text, const std::string& characters) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; (at = text.find_first_of(characters, at)) != std::string::npos; ++at) places.push_back(at);
  return places;
}

/// An element with all in it, or an end tag: its place and length.
std::pair<std::size_t, std::size_t> random_element(const std::string& text, std::mt19937& random) {
  const std::vector<std::size_t> starts = places_of(text, "<");
  if (starts.empty()) return {0, 0};
  const std::size_t start = starts[below(random, starts.size())], close = text.find('>', start);
  if (close == std::string::npos) return {start, text.size() - start};
  const std::string name = text.substr(start + 1, text.find_first_of(" />", start + 1) - start - 1);
  const std::size_t end = text[close - 1] == '/' ? close : text.find('>', text.find("</" + name + ">", start));
  return {start, (end == std::string::npos ? close : end) + 1 - start};
}

/// Replaces a word between quotes.
void change_word(std::string& text, std::mt19937& random, const char* first_letters, const std::string& by) {
  std::vector<std::size_t> words;
  for (const std::size_t at : places_of(text, first_letters))
    if (at > 0 && (text[at - 1] == '"' || text[at - 1] == ' ')) words.push_back(at);
  if (words.empty()) return;
  const std::size_t at = words[below(random, words.size())];
  text.replace(at, text.find_first_of("\" ", at) - at, by);
}

const std::vector<Damage> damages{
    [](auto& text, auto& random) { text.resize(below(random, text.size() + 1)); },
    [](auto& text, auto& random) {
      for (std::size_t flips = 1 + below(random, 4); flips > 0 && !text.empty(); --flips)
        text[below(random, text.size())] = static_cast<char>(random() % 256);
    },
    [](auto& text, auto& random) {
      const auto [start, length] = random_element(text, random);
      text.erase(start, length);
    },
    [](auto& text, auto& random) {
      const auto [start, length] = random_element(text, random);
      text.insert(start, text.substr(start, length));
    },
    [](auto& text, auto& random) {
      change_word(text, random, "0123456789-", strange_numbers[below(random, strange_numbers.size())]);
    },
    // Links and joints lead to others, kinds of joints change.
    [](auto& text, auto& random) {
      const std::vector<std::string> words{"pedestal", "upper",    "lower", "tool",      "shoulder", "elbow",
                                           "flange",   "revolute", "fixed", "prismatic", "file://",  "a&#10;b"};
      change_word(text, random, "pultserfc", words[below(random, words.size())]);
    }};

void check_sound(const UserFolder& user, const RobotDescription& description) {
  const MergedRobot robot = merged_robot(description);
  const Tree& tree = robot.model.tree;
  TreePose pose = tree.rest();
  CHECK(PlacedTree(tree, pose).joint_inertia().llt().info() == Eigen::Success);
  for (std::size_t i = 0; i < pose.joints.size(); ++i)
    pose.joints[i] = std::clamp(0.7, tree.links()[i].lower, tree.links()[i].upper);
  const PlacedTree placed(tree, pose);
  CHECK(placed.joint_inertia().allFinite());
  CHECK(placed.bias_force(Vector::Ones(tree.dofs()), {0.0, 0.0, -9.81}).allFinite());
  for (const Solid& solid : placed_shapes(robot.model, placed, 0))
    CHECK(bounds_of(solid.shape, solid.pose).high.allFinite());
  const auto motion = scene_in_time("driven_robot", {{"robot", user.robot.c_str()}, {"balls", "0"}});
  const ContactProblem problem = motion->problem().problem;
  CHECK(end_velocity(problem, Vector::Zero(problem.rows())).allFinite());
}

/// Whether the robot is read and sound; else it is refused. All else fails.
bool read_or_refused(const UserFolder& user) {
  const MayLeak scope;
  std::string message;
  try {
    check_sound(user, read_urdf(user.robot, false));
    return true;
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK_THAT(message, Catch::StartsWith(user.folder.path().string()));
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.size() < 300);
  return false;
}

/// A link of a kilogram on each letter, a joint for each pair of them.
std::string chain_text(const std::string& links, const std::vector<std::string>& joints) {
  std::string text = "<robot name=\"r\">";
  for (const char name : links)
    text += std::string("<link name=\"") + name +
            "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
            "izz=\"1\"/></inertial></link>";
  for (const std::string& joint : joints)
    text += "<joint name=\"" + joint + "\" type=\"continuous\"><parent link=\"" + joint[0] + "\"/><child link=\"" +
            joint[1] + "\"/></joint>";
  return text + "</robot>";
}

std::string message_of(const UserFolder& user, const std::string& text) {
  const MayLeak scope;
  write_text(user.robot, text);
  try {
    read_urdf(user.robot, false);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a damaged URDF file is a sound robot or gets one line") {
  if (!has_urdf()) return;
  const UserFolder user;
  std::mt19937 random(44);
  constexpr int count = 300;
  int sound = 0;
  for (int i = 0; i < count; ++i) {
    std::string text = arm_text();
    for (std::size_t harms = 1 + below(random, 2); harms > 0; --harms) damages[below(random, damages.size())](text, random);
    write_text(user.robot, text);
    CAPTURE(i, text);
    sound += read_or_refused(user) ? 1 : 0;
  }
  CHECK(sound > count / 10);
  CHECK(sound < count * 9 / 10);
}

TEST_CASE("a damaged mesh is a part of a sound robot or gets one line") {
  if (!has_urdf()) return;
  const UserFolder user;
  const std::string stl_text =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0.1 0\nendloop\nendfacet\n"
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0.1\nvertex 0.1 0 0\nvertex 0 0.1 0\nendloop\nendfacet\nendsolid a\n";
  const std::string obj_text = "# a\nv 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 2 3\nf 1 2 4\n";
  const auto [name, whole] = GENERATE_COPY(
      table<std::string, std::string>({{"lower.STL", binary_stl_text()}, {"lower.STL", stl_text}, {"lower.obj", obj_text}}));
  write_text(user.robot, arm_text("lower.STL", name));
  const std::filesystem::path mesh = user.folder.path() / "made_up/meshes" / name;
  write_text(mesh, whole);
  REQUIRE(read_or_refused(user));
  std::mt19937 random(45);
  int sound = 0;
  for (int i = 0; i < 60; ++i) {
    std::string text = whole;
    if (const std::size_t kind = below(random, 3); kind < 2)
      damages[kind](text, random);
    else
      change_word(text, random, "0123456789", strange_numbers[below(random, strange_numbers.size())]);
    write_text(mesh, text);
    CAPTURE(i, text);
    sound += read_or_refused(user) ? 1 : 0;
  }
  CHECK(sound > 6);
  CHECK(sound < 54);
}

TEST_CASE("links of a URDF file that are no tree are refused") {
  if (!has_urdf()) return;
  const UserFolder user;
  CHECK(message_of(user, chain_text("rabc", {"ra", "ab", "bc"})).empty());
  CHECK_THAT(message_of(user, chain_text("rabc", {"ra", "ab", "bc", "ca"})),
             Catch::EndsWith("is behind two joints, expected a tree of links"));
  CHECK_THAT(message_of(user, chain_text("rab", {"ra", "rb", "ab"})),
             Catch::Contains("arm.urdf: link 'b': is behind two joints"));
  CHECK_THAT(message_of(user, chain_text("rabc", {"ra", "bc", "cb"})),
             Catch::Contains("arm.urdf: link 'b': no joint leads from the root to it"));
  CHECK_THAT(message_of(user, chain_text("ab", {"ab", "ba"})), Catch::Contains("expected a URDF file of a robot"));
  CHECK_THAT(message_of(user, chain_text("rab", {"ra"})), Catch::Contains("expected a URDF file of a robot"));
}

TEST_CASE("URDF files that are deep, have entities or numbers without sense are refused") {
  if (!has_urdf()) return;
  const UserFolder user;
  std::string deep = "<robot name=\"r\">";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  CHECK_THAT(message_of(user, deep), Catch::Contains("arm.urdf: more than 10000 elements"));
  CHECK_THAT(message_of(user, "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY a \"b\"><!ENTITY b \"&a;&a;\">]>" +
                                  chain_text("ra", {"ra"})),
             Catch::Contains("expected a URDF file of a robot"));
  const auto changed = [&](const std::string& change, const std::string& by) {
    return message_of(user, arm_text(change, by));
  };
  CHECK_THAT(changed("<mass value=\"2\"/>", "<mass value=\"1e12\"/>"),
             Catch::Contains("link 'upper': has the number 1000000000000"));
  CHECK_THAT(changed("0.8 0.1 0.12", "0.8 1e200 0.12"), Catch::Contains("link 'upper': has the number 5e+199"));
  CHECK_THAT(changed("xyz=\"0.4 0 0\"", "xyz=\"0.4 1e300 0\""), Catch::Contains("joint 'flange': has the number 1e+300"));
  CHECK_THAT(changed("damping=\"0.4\"", "damping=\"1e10\""), Catch::Contains("has a damping of 10000000000"));
  CHECK_THAT(changed("package://made_up/meshes/lower.STL", "package://"),
             Catch::Contains("mesh 'package://' was not found"));
  std::string flat = chain_text("ra", {"ra"});
  for (std::size_t at; (at = flat.find("=\"1\" ix")) != std::string::npos;) flat[at + 2] = '0';
  CHECK_THAT(message_of(user, flat), Catch::Contains("arm.urdf: the inertia that its joints move is not positive definite"));
  // Numbers that stand for no bound.
  CHECK(changed("lower=\"-1\" upper=\"2\"", "lower=\"-1e16\" upper=\"1e16\"").empty());
  CHECK(read_urdf(user.robot, false).links[1].upper == infinite);
}
