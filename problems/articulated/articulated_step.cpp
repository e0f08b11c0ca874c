#include "problems/articulated/articulated_step.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "problem/problem_builder.hpp"
#include "problems/rigid/assembly.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// What a constraint does to one link.
struct LinkSide {
  int last = 0;           ///< the last dof of the link, among all
  std::vector<int> dofs;  ///< from the root to it
  DenseMatrix columns;    ///< of D there
};

/// Adds blocks one after the other: their columns of D, their parts, b.
class StepWriter {
 public:
  StepWriter(const ArticulatedView& view, const std::vector<FreeStep>& free)
      : view_(view), free_(free), builder_(view.settings.name) {
    int link = 0;
    std::vector<double> masses;
    for (const Robot& robot : view.robots) {
      const Tree& tree = robot.model->tree;
      const Index start = subsystems_.start.back();
      first_link_.push_back(link);
      link += static_cast<int>(tree.links().size());
      for (const Index parent : tree.dof_parents())
        subsystems_.parent.push_back(parent < 0 ? -1 : static_cast<int>(start + parent));
      masses.resize(static_cast<std::size_t>(start + tree.dofs()), 0.0);
      for (std::size_t i = 0; i < tree.links().size(); ++i) masses[at(last_dof(tree, i, start))] = tree.links()[i].mass;
      subsystems_.start.push_back(start + tree.dofs());
    }
    subsystems_.mass = Eigen::Map<const Vector>(masses.data(), std::ssize(masses));
  }

  void add_contact(const Contact& contact) {
    const Matrix3 frame = contact_frame(contact.normal);
    const bool slides = view_.settings.friction > 0.0;
    const Index rows = slides ? 3 : 1;
    std::vector<LinkSide> sides;
    double reach = view_.settings.envelope;
    for (const bool first : {true, false}) {
      const std::size_t shape = at(first ? contact.id.a : contact.id.b);
      if (shape >= view_.owners.size()) continue;
      const double sign = first ? -1.0 : 1.0;
      sides.push_back(side_of(view_.owners[shape], contact.point, sign * frame.leftCols(rows)));
      const double leaves = sides.back().columns.col(0).dot(free_velocity_of(view_.owners[shape].robot, sides.back().dofs));
      reach += view_.settings.time_step * std::max(0.0, -leaves);
    }
    if (contact.gap > reach) return;
    add(sides, rows, contact.gap);
    if (slides)
      builder_.contact(view_.settings.friction);
    else
      builder_.unilateral();
    const ContactId& id = contact.id;
    keys_.push_back({id.a, id.b, static_cast<int>(id.kind), id.feature_a, id.feature_b});
    frames_.push_back(frame);
    gaps_.push_back(contact.gap);
    points_.push_back(contact.point);
  }

  /// sign: 1 of the lower bound, −1 of the upper one.
  void add_limit(std::size_t robot, std::size_t link, double sign, double gap) {
    const Tree& tree = view_.robots[robot].model->tree;
    const int dof = last_dof(tree, link, subsystems_.start[robot]);
    add({{dof, {dof}, DenseMatrix::Constant(1, 1, sign)}}, 1, gap);
    builder_.unilateral();
    add_joint_key(robot, link, sign > 0.0 ? 0 : 1);
  }

  /// The row of a controller, γ = impulse − resistance v.
  void add_motor(std::size_t robot, std::size_t link, double impulse, double resistance) {
    const int dof = last_dof(view_.robots[robot].model->tree, link, subsystems_.start[robot]);
    add({{dof, {dof}, DenseMatrix::Ones(1, 1)}}, 1, 0.0);
    builder_.soft(1.0, resistance, -impulse);
    add_joint_key(robot, link, 2);
  }

  MotionProblem finish(SparseMatrix H, Vector k) {
    builder_.global(std::move(H), std::move(k), from_triplets(subsystems_.start.back(), std::ssize(b_), entries_),
                    Eigen::Map<const Vector>(b_.data(), std::ssize(b_)));
    builder_.subsystems(std::move(subsystems_));
    keys_.insert(keys_.end(), joint_keys_.begin(), joint_keys_.end());
    return {builder_.build(), std::move(keys_), std::move(frames_), std::move(gaps_), std::move(points_)};
  }

 private:
  static int last_dof(const Tree& tree, std::size_t link, Index start) {
    return static_cast<int>(start + tree.first_dof(link) + tree.dof_count(link) - 1);
  }

  void add_joint_key(std::size_t robot, std::size_t link, int row) {
    const int parent = view_.robots[robot].model->tree.links()[link].parent, number = static_cast<int>(link);
    joint_keys_.push_back({parent == TreeLink::ground ? -1 : first_link_[robot] + parent, first_link_[robot] + number,
                           ContactKey::joint_row, number, row});
  }

  /// directions: 3×rows, what the point of the link is pushed along.
  LinkSide side_of(const ShapeOwner& owner, const Vector3& point, const Eigen::Ref<const DenseMatrix>& directions) const {
    const Index start = subsystems_.start[owner.robot];
    LinkSide side;
    side.last = last_dof(view_.robots[owner.robot].model->tree, owner.link, start);
    for (int dof = side.last; dof >= 0; dof = subsystems_.parent[at(dof)]) side.dofs.push_back(dof);
    std::reverse(side.dofs.begin(), side.dofs.end());
    const DenseMatrix J = view_.placed[owner.robot].body_jacobian(owner.link, point);
    side.columns.resize(std::ssize(side.dofs), directions.cols());
    for (Index i = 0; i < side.columns.rows(); ++i)
      side.columns.row(i) = J.col(side.dofs[static_cast<std::size_t>(i)] - start).head<3>().transpose() * directions;
    return side;
  }

  Vector free_velocity_of(std::size_t robot, const std::vector<int>& dofs) const {
    Vector v(std::ssize(dofs));
    for (Index i = 0; i < v.size(); ++i)
      v[i] = free_[robot].velocity[dofs[static_cast<std::size_t>(i)] - subsystems_.start[robot]];
    return v;
  }

  void add(const std::vector<LinkSide>& sides, Index rows, double gap) {
    const auto first_row = static_cast<int>(b_.size());
    for (const LinkSide& side : sides) {
      subsystems_.add_part(block_, side.last, side.dofs, side.columns);
      for (Index i = 0; i < side.columns.rows(); ++i)
        for (Index c = 0; c < rows; ++c)
          if (side.columns(i, c) != 0.0)
            entries_.emplace_back(side.dofs[static_cast<std::size_t>(i)], first_row + static_cast<int>(c),
                                  side.columns(i, c));
    }
    b_.push_back(gap / view_.settings.time_step);
    b_.resize(b_.size() + static_cast<std::size_t>(rows) - 1, 0.0);
    ++block_;
  }

  const ArticulatedView& view_;
  const std::vector<FreeStep>& free_;
  ProblemBuilder builder_;
  Subsystems subsystems_;
  std::vector<int> first_link_;  ///< of each robot, among all links
  std::vector<Triplet> entries_;
  std::vector<double> b_;
  Index block_ = 0;
  std::vector<ContactKey> keys_, joint_keys_;
  std::vector<Matrix3> frames_;
  std::vector<double> gaps_;
  std::vector<Vector3> points_;
};

void add_limits(const ArticulatedView& view, const std::vector<FreeStep>& free, StepWriter& writer) {
  for (std::size_t robot = 0; robot < view.robots.size(); ++robot) {
    const Tree& tree = view.robots[robot].model->tree;
    for (std::size_t link = 0; link < tree.links().size(); ++link) {
      const TreeLink& joint = tree.links()[link];
      if (joint.joint == TreeJoint::free) continue;
      const double q = view.robots[robot].pose.joints[link], margin = view.settings.limit_margin;
      const double way = view.settings.time_step * free[robot].velocity[tree.first_dof(link)];
      if (q - joint.lower < margin + std::max(0.0, -way)) writer.add_limit(robot, link, 1.0, q - joint.lower);
      if (joint.upper - q < margin + std::max(0.0, way)) writer.add_limit(robot, link, -1.0, joint.upper - q);
    }
  }
}

void add_motors(const ArticulatedView& view, const std::vector<FreeStep>& free, StepWriter& writer) {
  for (std::size_t robot = 0; robot < view.robots.size(); ++robot) {
    if (free[robot].resistance.size() == 0) continue;
    const Tree& tree = view.robots[robot].model->tree;
    for (std::size_t link = 0; link < tree.links().size(); ++link)
      if (const Index dof = tree.first_dof(link); free[robot].resistance[dof] > 0.0)
        writer.add_motor(robot, link, free[robot].impulse[dof], free[robot].resistance[dof]);
  }
}

/// K (q_d − q − h v⁺) + D (q̇_d − v⁺) with q_d and q̇_d at the end of the step, and what carries the weight.
void add_impedance(const ArticulatedWorldSettings& settings, const Robot& robot, const PlacedTree& placed, double time,
                   FreeStep& step) {
  const JointImpedance& control = *robot.impedance;
  const Tree& tree = robot.model->tree;
  const double h = settings.time_step;
  Vector strain = control.path.angles(time + h);
  for (std::size_t link = 0; link < tree.links().size(); ++link)
    if (tree.links()[link].joint != TreeJoint::free) strain[tree.first_dof(link)] -= robot.pose.joints[link];
  const Vector impulse =
      h * (control.stiffness.cwiseProduct(strain) + control.damping.cwiseProduct(control.path.rates(time + h)));
  const Vector resistance = h * control.damping + h * h * control.stiffness;
  if (settings.impedance == ImpedanceForm::rows) {
    step.impulse = impulse;
    step.resistance = resistance;
  } else {
    step.k += impulse;
    step.H.diagonal() += resistance;
  }
  if (control.carries == JointImpedance::Carries::nothing) return;
  const bool all = control.carries == JointImpedance::Carries::bias;
  const Vector velocity = all ? robot.velocity : Vector(Vector::Zero(tree.dofs()));
  Vector carried = placed.bias_force(velocity, settings.gravity);
  if (!tree.links().empty() && tree.links()[0].joint == TreeJoint::free) carried.head<6>().setZero();
  step.k += h * carried;
}

}  // namespace

FreeStep free_step(const ArticulatedWorldSettings& settings, const Robot& robot, const PlacedTree& placed, double time) {
  const double h = settings.time_step;
  FreeStep step{placed.joint_inertia(), {}, {}, {}, {}};
  step.k = step.H * robot.velocity - h * placed.bias_force(robot.velocity, settings.gravity);
  if (robot.impedance) add_impedance(settings, robot, placed, time, step);
  const Tree& tree = robot.model->tree;
  for (std::size_t link = 0; link < tree.links().size(); ++link)
    if (tree.links()[link].joint != TreeJoint::free)
      step.H(tree.first_dof(link), tree.first_dof(link)) += h * (settings.joint_damping + tree.links()[link].damping);
  if (step.resistance.size() > 0)
    step.velocity = DenseMatrix(step.H + DenseMatrix(step.resistance.asDiagonal())).llt().solve(step.k + step.impulse);
  else
    step.velocity = step.H.llt().solve(step.k);
  return step;
}

MotionProblem articulated_step(const ArticulatedView& view, const std::vector<FreeStep>& free, const Contacts& contacts) {
  Index size = 0, entries = 0;
  for (const FreeStep& step : free) {
    size += step.k.size();
    entries += step.H.size();
  }
  MassWriter H(size, entries);
  Vector k(size);
  Index start = 0;
  for (const FreeStep& step : free) {
    H.add_block(step.H);
    k.segment(start, step.k.size()) = step.k;
    start += step.k.size();
  }
  StepWriter writer(view, free);
  for (const Contact& contact : contacts) writer.add_contact(contact);
  add_limits(view, free, writer);
  add_motors(view, free, writer);
  return writer.finish(H.finish(), std::move(k));
}

}  // namespace ccp
