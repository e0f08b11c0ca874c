#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const ccp::testing::Driver newton{"proximal_newton", Model::ccp, 1e-6};

std::unique_ptr<Motion> little_wall(const char* bond = "1.5", const char* columns = "3") {
  return scene_in_time("wrecking_ball",
                       {{"walls", "1"}, {"rows", "3"}, {"columns", columns}, {"ball_height", "5"}, {"bond", bond}});
}

/// Velocity of the last body, the ball, m/s.
Vector3 ball_velocity(const Motion& motion) {
  const Vector values = motion.state().values;
  return values.segment<3>(values.size() - 6);
}

int contacts_of(const MotionProblem& step, int body) {
  return static_cast<int>(std::count_if(step.keys.begin(), step.keys.end(), [&](const ContactKey& key) {
    return key.kind != ContactKey::joint_row && (key.body_a == body || key.body_b == body);
  }));
}

}  // namespace

TEST_CASE("TEST 2 has 600 bricks, a ball that is held and 6656 contacts at rest") {
  const MotionProblem first = scene_in_time("wrecking_ball")->problem();
  CHECK(first.problem.dofs() == 6 * 601);
  // A wall: 10 · 14 neighbours in a row, 9 · 29 bricks on bricks, 15 on the floor, four points each.
  CHECK(first.problem.constraints().count(ConstraintKind::contact) == 4 * 4 * (10 * 14 + 9 * 29 + 15));
  CHECK(first.problem.constraints().count(ConstraintKind::bilateral) == 6);
  CHECK(contacts_of(first, 600) == 0);
  const SparseMatrix& H = first.problem.global().H;
  CHECK(H.coeff(0, 0) == Approx(3168.0).epsilon(1e-14));
  CHECK(H.coeff(3600, 3600) == Approx(2.1446605848e6).epsilon(1e-9));
  CHECK(first.problem.global().C.nonZeros() == 0);
}

TEST_CASE("the wall stands until the ball is let go, which then runs into it") {
  const auto motion = little_wall();
  const Drive held = drive(*motion, 49, newton);
  CHECK(fact(*motion, "drift") < 1e-6);
  CHECK(fact(*motion, "joint_error") < 1e-9);
  CHECK(ball_velocity(*motion).norm() < 1e-6);
  drive(*motion, 1, newton);
  CHECK(ball_velocity(*motion) == Vector3(0.0, 16.0, 0.0));
  CHECK(motion->state().values[13 * 9 + 1] == Approx(-6.4).epsilon(1e-9));
  const Drive fall = drive(*motion, 25, newton);
  CHECK(contacts_of(fall.problems[0], 9) == 0);  // step 50: 0.4 m away, more than the envelope
  CHECK(contacts_of(fall.problems[1], 9) == 3);  // step 51: a brick of the third row and two of the second
  CHECK(fall.problems[0].problem.constraints().count(ConstraintKind::bilateral) == 0);
  const auto force = [&](std::size_t step, int ball) {
    double sum = 0.0;
    Index row = 0;
    for (const ContactKey& key : fall.problems[step].keys) {
      if (key.body_b == ball) sum += fall.impulses[step][row];
      row += 3;
    }
    return sum;
  };
  CHECK(force(1, 9) > 1e4);
  CHECK(fact(*motion, "drift") > 5.0);
  CHECK(fact(*motion, "potential_J") + fact(*motion, "kinetic_J") <
        2.145e6 * (9.8 * 5.0 + 128.0) + 9 * 3168 * 9.8 * 3.0 + 1e6);
  CHECK(fall.missed == 0.0);
  CHECK(held.missed == 0.0);
}

TEST_CASE("with the bond of the paper's program the bricks at the ends tip over before the ball comes") {
  const auto motion = little_wall("2");
  drive(*motion, 50, newton);
  CHECK(fact(*motion, "drift") > 0.01);
}

TEST_CASE("a brick on compliant contacts sinks by its weight over their stiffness") {
  const auto motion = scene_in_time(
      "wrecking_ball", {{"walls", "1"}, {"rows", "1"}, {"columns", "1"}, {"hold", "100"}, {"compliance", "1e-6"}});
  const MotionProblem first = motion->problem();
  CHECK(first.problem.global().C.nonZeros() == 12);  // four contacts; the joint stays rigid
  CHECK(first.problem.global().C.coeff(0, 0) == Approx(1e-6 / (0.02 * 0.02)).epsilon(1e-14));
  drive(*motion, 300, {"proximal_newton", Model::ccp, 1e-10});
  CHECK(fact(*motion, "drift") == Approx(3168.0 * 9.8 / 4.0 * 1e-6).epsilon(1e-6));
}

TEST_CASE("a wrecking ball is the same bytes in a second run, and from a state after it was let go") {
  const auto motion = little_wall(), again = little_wall();
  drive(*motion, 53, newton);
  const MotionState middle = motion->state();
  drive(*again, 53, newton);
  CHECK(middle.values == again->state().values);
  const auto other = little_wall();
  other->restore(middle);
  CHECK(same_bytes(other->problem().problem, motion->problem().problem));
  CHECK(other->problem().keys == motion->problem().keys);
  drive(*motion, 2, newton);
  drive(*other, 2, newton);
  CHECK(motion->state().values == other->state().values);
}

TEST_CASE("a wrecking ball that cannot be is refused by name") {
  const auto refused = [](const char* name, const char* value, const char* text) {
    CAPTURE(name, value);
    CHECK_THROWS_AS(build_scene("wrecking_ball", {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene("wrecking_ball", {{name, value}}), Catch::Contains(text));
  };
  refused("rows", "0", "rows");
  refused("brick_density", "0", "brick_density");
  refused("compliance", "-1", "compliance");
  refused("pitch", "3.9", "bricks of a row would overlap: 'pitch' is 3.9 m, expected at least 'length', which is 3.96 m");
  refused("spacing", "3", "walls would overlap: 'spacing' is 3 m, expected at least 'width', which is 4 m");
  refused("bond", "4", "the last brick of a row would lie on nothing: 'bond' is 4 m, expected less than 'length', 3.96 m");
  refused("ball_height", "3", "the ball would be in the floor: 'ball_height' is 3 m");
  refused("envelope", "0.3",
          "the ball would run into a wall unseen: 'envelope' is 0.3 m, expected at least its way in a step, 0.32 m");
}

TEST_CASE("a ball that is held for ever is made at once") {
  CHECK_NOTHROW(scene_in_time("wrecking_ball", {{"walls", "1"}, {"rows", "1"}, {"columns", "1"}, {"hold", "1e20"}}));
}
