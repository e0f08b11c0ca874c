#include "problems/articulated/urdf.hpp"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Cholesky>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/articulated/mesh_file.hpp"
#include "problems/distance_field/field_solid.hpp"

namespace ccp {
namespace {

constexpr double largest_number = 1e9;        // SI units
constexpr std::size_t most_elements = 10000;  // urdfdom nests calls as elements are nested

/// Keeps the first error that urdfdom reports, and the terminal clean.
class UrdfMessages final : public console_bridge::OutputHandler {
 public:
  UrdfMessages() { console_bridge::useOutputHandler(this); }
  ~UrdfMessages() override { console_bridge::restorePreviousOutputHandler(); }
  UrdfMessages(const UrdfMessages&) = delete;
  UrdfMessages& operator=(const UrdfMessages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* /*file*/, int /*line*/) override {
    if (first_.empty() && level == console_bridge::CONSOLE_BRIDGE_LOG_ERROR) first_ = text;
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

Vector3 vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Matrix3 matrix_of(const urdf::Rotation& rotation) {
  Quaternion q;
  rotation.getQuaternion(q.x, q.y, q.z, q.w);
  return rotation_matrix(q);
}

class UrdfReader {
 public:
  UrdfReader(std::string path, bool free_base) : path_(std::move(path)), free_base_(free_base) {}

  RobotDescription read() {
    const std::string text = read_bytes(path_);
    if (elements_of(text) > most_elements) refuse(fmt::format("more than {} elements", most_elements));
    urdf::ModelInterfaceSharedPtr model;
    std::string reason;
    {
      static std::mutex one_at_a_time;  // the messages of urdfdom are global
      const std::lock_guard<std::mutex> lock(one_at_a_time);
      const UrdfMessages messages;
      model = urdf::parseURDF(text);
      reason = messages.first();
    }
    if (!model || !model->getRoot()) refuse(reason.empty() ? "no robot" : cut_text(reason, 120));
    add(*model->getRoot(), TreeLink::ground);
    for (const auto& [name, link] : model->links_)
      if (!names_.contains(name)) refuse_part("link", name, "no joint leads from the root to it");
    check_tree();
    return {std::move(links_), std::move(shapes_)};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(path_, "", fmt::format("{}, expected a URDF file of a robot", what));
  }
  [[noreturn]] void refuse_part(const std::string& part, const std::string& name, const std::string& expectation) const {
    throw InputError(path_, fmt::format("{} '{}'", part, name), expectation);
  }

  /// Counts start tags, also in comments.
  static std::size_t elements_of(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
      if (text[i] == '<' && text[i + 1] != '/' && text[i + 1] != '!' && text[i + 1] != '?') ++count;
    return count;
  }

  template <typename Numbers>
  void check_numbers(const std::string& part, const std::string& name, const Numbers& numbers) const {
    const double largest = numbers.cwiseAbs().maxCoeff();
    if (!(largest <= largest_number) || !numbers.allFinite())
      refuse_part(part, name, fmt::format("has the number {}, expected at most {} in SI units", largest, largest_number));
  }

  /// A link and all behind it, parents first.
  void add(const urdf::Link& from, int parent) {
    if (!names_.insert(from.name).second) refuse_part("link", from.name, "is behind two joints, expected a tree of links");
    TreeLink link;
    link.name = from.name;
    link.parent = parent;
    if (from.parent_joint)
      take_joint(*from.parent_joint, link);
    else
      link.joint = free_base_ ? TreeJoint::free : TreeJoint::fixed;
    if (from.inertial) take_inertia(*from.inertial, link);
    check_numbers("link", from.name, (Vector(13) << link.mass, link.centre, link.inertia.reshaped()).finished());
    const auto number = static_cast<int>(links_.size());
    links_.push_back(link);
    for (const urdf::CollisionSharedPtr& collision : from.collision_array)
      if (collision && collision->geometry) {
        const urdf::Pose& origin = collision->origin;
        shapes_.push_back({static_cast<std::size_t>(number), shape_of(*collision->geometry, from.name),
                           vector_of(origin.position), matrix_of(origin.rotation)});
        const Bounds bounds = bounds_of(shapes_.back().shape, {shapes_.back().place, shapes_.back().turn});
        check_numbers("link", from.name, (Vector(6) << bounds.low, bounds.high).finished());
      }
    for (const urdf::LinkSharedPtr& child : from.child_links) add(*child, number);
  }

  void take_joint(const urdf::Joint& from, TreeLink& link) const {
    switch (from.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS: link.joint = TreeJoint::revolute; break;
      case urdf::Joint::PRISMATIC: link.joint = TreeJoint::prismatic; break;
      case urdf::Joint::FIXED: link.joint = TreeJoint::fixed; break;
      default:
        refuse_part("joint", from.name, "is floating, planar or unknown, expected revolute, continuous, prismatic or fixed");
    }
    if (from.mimic)
      refuse_part("joint", from.name, fmt::format("mimics '{}', which is not supported", from.mimic->joint_name));
    link.place = vector_of(from.parent_to_joint_origin_transform.position);
    link.turn = matrix_of(from.parent_to_joint_origin_transform.rotation);
    check_numbers("joint", from.name, link.place);
    if (link.joint == TreeJoint::fixed) return;
    const Vector3 axis = vector_of(from.axis);
    if (!(axis.norm() > 0.0) || !axis.allFinite()) refuse_part("joint", from.name, "has an axis without a direction");
    link.axis = axis.normalized();
    if (from.type != urdf::Joint::CONTINUOUS && from.limits) {
      // Files mean no bound by a number like 1e16.
      if (from.limits->lower > -largest_number) link.lower = from.limits->lower;
      if (from.limits->upper < largest_number) link.upper = from.limits->upper;
      if (!(link.lower < link.upper))
        refuse_part("joint", from.name, fmt::format("goes from {} to {}, expected limits in order", link.lower, link.upper));
    }
    if (from.dynamics) link.damping = from.dynamics->damping;
    if (!(link.damping >= 0.0 && link.damping <= largest_number))
      refuse_part("joint", from.name, fmt::format("has a damping of {}, expected 0 to 1e9", link.damping));
  }

  static void take_inertia(const urdf::Inertial& from, TreeLink& link) {
    link.mass = from.mass;
    link.centre = vector_of(from.origin.position);
    Matrix3 inertia;
    inertia << from.ixx, from.ixy, from.ixz, from.ixy, from.iyy, from.iyz, from.ixz, from.iyz, from.izz;
    const Matrix3 turn = matrix_of(from.origin.rotation);
    inertia = turn * inertia * turn.transpose();
    link.inertia = 0.5 * (inertia + inertia.transpose());
  }

  Shape shape_of(const urdf::Geometry& geometry, const std::string& link) const {
    switch (geometry.type) {
      case urdf::Geometry::SPHERE: return Sphere{dynamic_cast<const urdf::Sphere&>(geometry).radius};
      case urdf::Geometry::BOX: return Box{0.5 * vector_of(dynamic_cast<const urdf::Box&>(geometry).dim)};
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = dynamic_cast<const urdf::Cylinder&>(geometry);
        if (!(cylinder.radius > 0.0 && cylinder.length > 0.0)) refuse_part("link", link, "has a cylinder without extent");
        return hull_of(cylinder_points(cylinder.radius, 0.5 * cylinder.length), path_, fmt::format("link '{}'", link));
      }
      case urdf::Geometry::MESH: break;
    }
    const auto& mesh = dynamic_cast<const urdf::Mesh&>(geometry);
    const std::string file = mesh_path(mesh.filename);
    if (file.empty()) refuse_part("link", link, fmt::format("mesh '{}' was not found", mesh.filename));
    std::vector<Vector3> points = read_mesh_points(file);
    for (Vector3& point : points) point = point.cwiseProduct(vector_of(mesh.scale));
    return hull_of(points, file, "");
  }

  static Shape hull_of(const std::vector<Vector3>& points, const std::string& file, const std::string& place) {
    try {
      return convex_field(points);
    } catch (const InputError& error) {
      throw InputError(file, place, error.message());
    }
  }

  /// Empty: it is nowhere.
  std::string mesh_path(const std::string& name) const {
    namespace fs = std::filesystem;
    constexpr std::string_view package = "package://", file = "file://";
    std::error_code error;
    const fs::path folder = fs::absolute(path_, error).parent_path();
    if (!name.starts_with(package)) {
      const fs::path place = name.starts_with(file) ? fs::path(name.substr(file.size())) : folder / name;
      return fs::exists(place, error) ? place.string() : "";
    }
    const fs::path inside = name.substr(package.size());
    if (inside.empty()) return "";
    fs::path below;  // without the name of the package
    for (auto part = inside.begin(); part != inside.end(); ++part)
      if (part != inside.begin()) below /= *part;
    for (fs::path at = folder;; at = at.parent_path()) {
      if (at.filename() == *inside.begin() && fs::exists(at / below, error)) return (at / below).string();
      if (fs::exists(at / inside, error)) return (at / inside).string();
      if (at == at.parent_path()) break;
    }
    for (fs::path at = folder; at != at.parent_path(); at = at.parent_path())
      if (fs::exists(at / below, error)) return (at / below).string();
    return "";
  }

  /// Finds out what a tree would refuse, to name the file.
  void check_tree() const {
    try {
      const Tree tree(links_);
      if (tree.links().empty()) throw InputError("has no joint that moves");
      const Eigen::LLT<DenseMatrix> inertia(PlacedTree(tree, tree.rest()).joint_inertia());
      if (inertia.info() != Eigen::Success || !DenseMatrix(inertia.matrixL()).allFinite())
        throw InputError("the inertia that its joints move is not positive definite, expected more mass or moments");
      for (const LinkShape& shape : shapes_)
        check_body_shape(shape.shape, fmt::format("shape of link '{}'", links_[shape.link].name));
    } catch (const InputError& error) {
      throw InputError(path_, error.place(), error.message());
    }
  }

  std::string path_;
  bool free_base_;
  std::set<std::string> names_;  ///< of the links so far
  std::vector<TreeLink> links_;
  std::vector<LinkShape> shapes_;
};

}  // namespace

RobotDescription read_urdf(const std::string& path, bool free_base) { return UrdfReader(path, free_base).read(); }

}  // namespace ccp
