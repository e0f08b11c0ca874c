#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double driven_step = 1.0 / 240.0;

ArticulatedWorldSettings driven_settings() {
  ArticulatedWorldSettings settings;
  settings.name = "test";
  settings.friction = 0.5;
  return settings;
}

std::shared_ptr<const RobotModel> model_of(const RobotDescription& description) {
  return std::make_shared<const RobotModel>(merged_robot(description).model);
}

/// The Panda at a pose where no joint is near a bound, held there.
Robot held_panda(double stiffness) {
  const auto model = model_of({panda(), {}});
  Robot robot{model, model->tree.rest(), Vector::Zero(7)};
  const Vector angles = (Vector(7) << 0.0, -0.25 * pi, 0.0, -0.75 * pi, 0.0, 0.5 * pi, 0.25 * pi).finished();
  for (std::size_t i = 0; i < 7; ++i) robot.pose.joints[i] = angles[static_cast<Index>(i)];
  robot.impedance = std::make_shared<const JointImpedance>(JointImpedance{
      Vector::Constant(7, stiffness), Vector::Constant(7, 0.1 * stiffness), JointPath<Vector>({{0.0, angles}})});
  return robot;
}

}  // namespace

TEST_CASE("the tables of hands and arms have their joints and masses") {
  const Tree hand(allegro_hand().links), body(g1_upper_body().links);
  CHECK(hand.dofs() == 16);
  CHECK(body.dofs() == 28);
  CHECK(hand.mass() == Approx(0.26762).epsilon(1e-4));  // without the palm, which is fixed to the ground
  CHECK(body.mass() == Approx(2.0 * 4.0456).epsilon(1e-4));
  // The right side of the G1 is the mirror image of the left one.
  TreePose pose = body.rest();
  for (std::size_t i = 0; i < 14; ++i) {
    const TreeLink& left = body.links()[i];
    const TreeLink& right = body.links()[14 + i];
    CHECK(right.name == "right" + left.name.substr(4));
    const double angle = 0.3 * left.lower + 0.7 * left.upper;
    pose.joints[i] = angle;
    pose.joints[14 + i] = left.axis[1] == 1.0 ? angle : -angle;
    CHECK(pose.joints[14 + i] >= right.lower);
    CHECK(pose.joints[14 + i] <= right.upper);
  }
  const PlacedTree placed(body, pose);
  const Vector3 mirror(1.0, -1.0, 1.0);
  for (std::size_t i = 0; i < 14; ++i) CHECK((placed.centre(14 + i) - mirror.cwiseProduct(placed.centre(i))).norm() < 1e-12);
  const DenseMatrix M = placed.joint_inertia();
  CHECK(M.diagonal().head(14).isApprox(M.diagonal().tail(14), 1e-12));
  CHECK(M.topRightCorner(14, 14).isZero(0.0));
}

TEST_CASE("an impedance enters H and k as its equation says") {
  Robot robot = held_panda(300.0);
  robot.velocity = Vector::LinSpaced(7, -0.3, 0.4);
  robot.pose.joints[3] += 0.1;
  const PlacedTree placed(robot.model->tree, robot.pose);
  const DenseMatrix M = placed.joint_inertia();
  const ArticulatedWorldSettings settings = driven_settings();
  const ArticulatedWorld world(settings, {robot}, {});
  const ContactProblem problem = world.problem().problem;
  DenseMatrix H = M;
  H.diagonal().array() += driven_step * 30.0 + driven_step * driven_step * 300.0;
  CHECK(DenseMatrix(problem.global().H).isApprox(H, 1e-14));
  Vector k = M * robot.velocity;  // the controller carries the bias
  k[3] -= driven_step * 300.0 * 0.1;
  CHECK(problem.global().k.isApprox(k, 1e-13));
}

TEST_CASE("motors as soft rows move a robot as motors in its inertia do") {
  using Settings = std::initializer_list<std::pair<const char*, const char*>>;
  const auto check_both = [](const char* scene, int steps, Settings inertia, Settings rows) {
    CAPTURE(scene);
    const auto stiff = scene_in_time(scene, inertia), soft = scene_in_time(scene, rows);
    const Driver exact{"proximal_newton", Model::ncp, 1e-12};
    const MotionProblem with = drive(*stiff, steps, exact).problems.back(),
                        without = drive(*soft, steps, exact).problems.back();
    CHECK((stiff->state().values - soft->state().values).cwiseAbs().maxCoeff() < 1e-8);
    CHECK(with.problem.rows() > 2);  // in contact
    const Index motors = dynamic_cast<const ArticulatedWorld&>(*stiff).robots()[0].model->tree.dofs();
    CHECK(without.problem.rows() == with.problem.rows() + motors);
    CHECK(std::count_if(without.keys.begin(), without.keys.end(), [](const ContactKey& key) {
            return key.kind == ContactKey::joint_row && key.feature_b == 2;
          }) == motors);
  };
  check_both("driven_robot", 24, {{"balls", "2"}}, {{"balls", "2"}, {"impedance", "rows"}});
  check_both("pouring", 12, {{"balls", "2"}}, {{"balls", "2"}, {"impedance", "rows"}});
  check_both("bolt_nut_assembly", 3, {{"engaged", "3.5"}}, {{"engaged", "3.5"}, {"impedance", "rows"}});
  check_both("dish_piling", 12, {{"dishes", "1"}}, {{"dishes", "1"}, {"impedance", "rows"}});
}

TEST_CASE("an arm whose controller carries its weight stays where it is held, and falls without") {
  Robot robot = held_panda(300.0);
  ArticulatedWorld held(driven_settings(), {robot}, {});
  robot.impedance = nullptr;
  ArticulatedWorld loose(driven_settings(), {robot}, {});
  for (int n = 0; n < 240; ++n) {
    take_step(held);
    take_step(loose);
  }
  for (std::size_t i = 0; i < 7; ++i) CHECK(std::abs(held.robots()[0].pose.joints[i] - robot.pose.joints[i]) < 1e-12);
  CHECK(std::abs(loose.robots()[0].pose.joints[1] - robot.pose.joints[1]) > 0.1);
}

TEST_CASE("free fall keeps momentum, and a swing its energy to the order of the step") {
  Robot ball = free_body(0.5, Vector3(1e-3, 2e-3, 3e-3).asDiagonal(), Sphere{0.05}, {0.0, 0.0, 3.0});
  ball.velocity << 0.3, 0.0, 0.0, 1.0, 2.0, -1.0;
  ArticulatedWorldSettings settings = driven_settings();
  ArticulatedWorld falling(settings, {ball}, {});
  for (int n = 0; n < 120; ++n) take_step(falling);
  const Vector& v = falling.robots()[0].velocity;
  CHECK(v[0] == Approx(0.3).epsilon(1e-13));
  CHECK(v[2] == Approx(-9.81 * 0.5).epsilon(1e-13));

  const auto drift = [&](double h) {
    settings.time_step = h;
    Robot arm = held_panda(0.0);
    arm.impedance = nullptr;
    ArticulatedWorld swinging(settings, {arm}, {});
    const double energy = swinging.kinetic_energy() + swinging.potential_energy();
    for (int n = 0; n < static_cast<int>(0.25 / h + 0.5); ++n) take_step(swinging);
    CHECK(swinging.kinetic_energy() > 1.0);
    return std::abs(swinging.kinetic_energy() + swinging.potential_energy() - energy) / swinging.kinetic_energy();
  };
  const double coarse = drift(1e-3), fine = drift(5e-4), finest = drift(2.5e-4);
  CHECK(fine / coarse == Approx(0.5).epsilon(0.05));
  CHECK(finest / fine == Approx(0.5).epsilon(0.05));
  CHECK(finest < 1e-3);
}

TEST_CASE("a robot whose legs swing in free fall keeps its momentum to the order of the step") {
  std::vector<TreeLink> links = laikago();
  for (TreeLink& link : links) {
    link.lower = -infinite;
    link.upper = infinite;
  }
  const Tree tree(links);
  const auto model = std::make_shared<const RobotModel>(RobotModel{tree, {}});
  const auto momentum = [&](const Robot& robot) {
    const PlacedTree placed(tree, robot.pose);
    Vector3 middle = Vector3::Zero();
    for (std::size_t i = 0; i < tree.links().size(); ++i) middle += tree.links()[i].mass / tree.mass() * placed.centre(i);
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();  // and about the centre of mass
    for (std::size_t i = 0; i < tree.links().size(); ++i) {
      const Vector twist = placed.body_jacobian(i, placed.centre(i)) * robot.velocity;
      const Vector3 linear = tree.links()[i].mass * twist.head<3>(), spin = twist.tail<3>();
      const Matrix3& R = placed.links()[i].rotation;
      sum.head<3>() += linear;
      sum.tail<3>() += (placed.centre(i) - middle).cross(linear) + R * (tree.links()[i].inertia * (R.transpose() * spin));
    }
    return sum;
  };
  const double duration = 0.2;
  Eigen::Matrix<double, 6, 1> expected;
  const auto errors = [&](double h) {
    Robot robot{model, tree.rest(), Vector::LinSpaced(tree.dofs(), -2.0, 3.0)};
    for (std::size_t i = 1; i < robot.pose.joints.size(); ++i) robot.pose.joints[i] = 0.1 * static_cast<double>(i) - 0.6;
    expected = momentum(robot);
    expected[2] -= 9.81 * tree.mass() * duration;
    ArticulatedWorldSettings settings = driven_settings();
    settings.time_step = h;
    ArticulatedWorld falling(settings, {robot}, {});
    for (int n = 0; n < static_cast<int>(duration / h + 0.5); ++n) take_step(falling);
    const Eigen::Matrix<double, 6, 1> error = momentum(falling.robots()[0]) - expected;
    return Vector2(error.head<3>().norm(), error.tail<3>().norm());
  };
  const Vector2 coarse = errors(1e-3), fine = errors(5e-4), finest = errors(2.5e-4);
  for (const Index part : {0, 1}) {
    CAPTURE(part, coarse[part], fine[part], finest[part]);
    CHECK(fine[part] / coarse[part] == Approx(0.5).epsilon(0.05));
    CHECK(finest[part] / fine[part] == Approx(0.5).epsilon(0.05));
    CHECK(finest[part] < 0.01 * (part == 0 ? expected.head<3>() : expected.tail<3>()).norm());
  }
}

TEST_CASE("an Allegro hand catches balls, the same bytes twice") {
  const auto motion = scene_in_time("driven_robot", {{"balls", "3"}});
  const Drive done = drive(*motion, 60, {"proximal_newton", Model::ncp, 1e-6});
  CHECK(done.problems.front().problem.dofs() == 16 + 18);
  CHECK(done.problems.back().problem.rows() > 0);
  CHECK(done.deepest_gap > -1e-3);
  const auto again = scene_in_time("driven_robot", {{"balls", "3"}});
  CHECK((motion->problem().problem.global().k.size() == again->problem().problem.global().k.size()));
  again->restore(motion->state());
  CHECK(motion->problem().problem.global().k == again->problem().problem.global().k);
}

TEST_CASE("a controller that does not fit its robot is refused") {
  Robot robot = held_panda(300.0);
  const auto with = [&](JointImpedance impedance) {
    robot.impedance = std::make_shared<const JointImpedance>(std::move(impedance));
    return ArticulatedWorld(driven_settings(), {robot}, {});
  };
  JointImpedance impedance = *robot.impedance;
  impedance.stiffness.conservativeResize(6);
  CHECK_THROWS_WITH(with(impedance), Catch::Contains("impedance of robot 0 has 6 numbers, expected 7"));
  impedance = *held_panda(1.0).impedance;
  impedance.damping[2] = -1.0;
  CHECK_THROWS_AS(with(impedance), InputError);
  impedance = *held_panda(1.0).impedance;
  impedance.path = JointPath<Vector>({{0.0, Vector::Zero(3)}});
  CHECK_THROWS_WITH(with(impedance), Catch::Contains("path of robot 0 has 3 numbers, expected 7"));
}
