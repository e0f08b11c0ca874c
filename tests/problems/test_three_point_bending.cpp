#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <optional>

#include "problems/finite_elements/penalty_contact.hpp"
#include "problems/random.hpp"
#include "problems/scenes/three_point_bending.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

using Settings = std::vector<std::pair<const char*, const char*>>;

/// A beam of 27 × 2 × 3 nodes.
std::unique_ptr<Motion> thin_mesh(const Settings& settings = {}) {
  const auto made = make_scene("three_point_bending");
  made->parameters().set_from_text("cells_across", "1");
  made->parameters().set_from_text("cells_up", "2");
  for (const auto& [name, value] : settings) made->parameters().set_from_text(name, value);
  return made->motion(1);
}

struct Bent {
  double fastest = 0.0, deepest = 0.0;
  std::optional<MotionProblem> last;
  Vector impulse;  ///< of the last step
};

/// Steps that ipm_qp solves to 1e-9 of the natural map.
Bent bend(Motion& motion, int steps) {
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.tolerance = 1e-9;
  stop.max_iterations = 400;
  Bent bent;
  for (int n = 0; n < steps; ++n) {
    bent.last.emplace(motion.problem());
    bent.impulse.resize(0);
    if (bent.last->problem.rows() > 0) {
      const Result result = run(bent.last->problem, RunSpec{"ipm_qp", Model::ccp, stop});
      INFO("step " << n << ' ' << result.reason);
      REQUIRE(result.measures[measure_index(Measure::natural_map)] <= stop.tolerance);
      bent.impulse = result.impulse;
    }
    motion.advance(end_velocity(bent.last->problem, bent.impulse), bent.impulse);
    bent.deepest = std::min(bent.deepest, fact(motion, "deepest_gap"));
  }
  bent.fastest = fact(motion, "fastest");
  return bent;
}

}  // namespace

TEST_CASE("the beam has the mesh of the thesis, and six rows hold the punch") {
  const auto motion = scene_in_time("three_point_bending");
  CHECK(motion->velocity().size() == 4212 + 6);
  CHECK(motion->velocity()[2] == -1.0);
  const MotionProblem first = motion->problem();
  const auto contacts = std::ssize(first.gaps);
  CHECK(contacts > 3 * 13);
  CHECK(first.problem.rows() == contacts + 6);
  REQUIRE(std::ssize(first.keys) == contacts + 6);
  CHECK(first.keys.back() == ContactKey{3, 3, ContactKey::joint_row, 2, 5});
  CHECK(scene_in_time("three_point_bending", {{"punch_mass", "0"}})->velocity().size() == 4212);
}

TEST_CASE("hard contact is stable with steps of 0.06 s, and springs only with smaller ones", "[slow]") {
  const Bent hard = bend(*thin_mesh({{"time_step", "0.06"}}), 4);
  CHECK(hard.fastest < 2.0);
  CHECK(hard.deepest > -0.01);
  CHECK(bend(*thin_mesh({{"time_step", "0.06"}, {"contact", "linearised_penalty"}}), 4).fastest < 4.0);
  CHECK(bend(*thin_mesh({{"time_step", "0.01"}, {"contact", "penalty"}}), 24).fastest > 10.0);
  CHECK(bend(*thin_mesh({{"time_step", "0.0025"}, {"contact", "penalty"}}), 48).fastest < 4.0);
}

TEST_CASE("a punch with a mass moves the beam as an obstacle does, and its rows say the force") {
  const double h = 0.02, mass = 10.0;
  const auto body = thin_mesh({{"time_step", "0.02"}}), obstacle = thin_mesh({{"time_step", "0.02"}, {"punch_mass", "0"}});
  const Bent driven = bend(*body, 3), told = bend(*obstacle, 3);
  const Vector with = body->velocity(), without = obstacle->velocity();
  CHECK((with.tail(without.size()) - without).norm() < 1e-7 * without.norm());
  // What presses on the punch, along z.
  double pressed = 0.0;
  for (std::size_t c = 0; c < driven.last->gaps.size(); ++c)
    if (driven.last->keys[c].body_b == 3) pressed += driven.last->frames[c](2, 0) * driven.impulse[static_cast<Index>(c)];
  CHECK(pressed > 100.0 * h);
  const double held = driven.impulse[std::ssize(driven.last->gaps) + 2];
  CHECK(held == Approx(mass * 9.8 * h - pressed).epsilon(1e-7));
}

TEST_CASE("a beam without a punch rests on its supports") {
  const auto motion = thin_mesh({{"speed", "0"}, {"punch_mass", "0"}, {"damping", "0.1"}});
  const Bent rest = bend(*motion, 20);
  double carried = 0.0;
  for (std::size_t c = 0; c < rest.last->gaps.size(); ++c)
    carried -= rest.last->frames[c](2, 0) * rest.impulse[static_cast<Index>(c)];
  CHECK(carried == Approx(1.3 * 0.6 * 0.15 * 1000.0 * 9.8 * 0.06).epsilon(1e-4));
}

TEST_CASE("springs are those of the gaps at the start of a step, or at its end") {
  Random random(5);
  const Index n = 9, m = 4;
  DenseMatrix D = DenseMatrix::Zero(n, m), H = DenseMatrix::Identity(n, n);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < n; ++i) D(i, j) = (i + j) % 3 == 0 ? 0.0 : random.uniform() - 0.5;
  Vector gaps(m), b(m), k(n);
  for (Index i = 0; i < n; ++i) k[i] = random.uniform();
  gaps << -0.01, 0.0, -0.003, 0.002;
  const double h = 0.01;
  const Vector stiffness = Vector::LinSpaced(m, 1e4, 2e4);
  const Vector obstacle = Vector::LinSpaced(m, -0.1, 0.1);
  b = obstacle + gaps / h;
  SparseMatrix joined = H.sparseView();
  Vector pushed = k;
  SECTION("at the start") {
    add_penalty(PenaltyLaw::Kind::at_start, h, D.sparseView(), stiffness, gaps, b, joined, pushed);
    CHECK((DenseMatrix(joined) - H).norm() == 0.0);
    CHECK((pushed - k - h * (0.01 * stiffness[0] * D.col(0) + 0.003 * stiffness[2] * D.col(2))).norm() < 1e-12);
  }
  SECTION("at the end") {
    add_penalty(PenaltyLaw::Kind::linearised, h, D.sparseView(), stiffness, gaps, b, joined, pushed);
    const DenseMatrix sum = joined;
    CHECK((sum - sum.transpose()).cwiseAbs().maxCoeff() == 0.0);
    const Vector v = sum.lu().solve(pushed);
    const Vector after = gaps + h * (D.transpose() * v + obstacle);
    CHECK((H * v - k + h * D * stiffness.cwiseProduct(after)).norm() < 1e-10);
  }
  CHECK_THROWS_WITH(check_penalty({PenaltyLaw::Kind::linearised, 0.0}), Catch::Contains("stiffness of a penalty spring"));
}

TEST_CASE("a beam goes on from a state to the last bit, with the speed it has had") {
  for (const char* contact : {"hard", "penalty"}) {
    const Settings settings{{"time_step", "0.01"}, {"contact", contact}};
    const auto motion = thin_mesh(settings), other = thin_mesh(settings);
    bend(*motion, 3);
    CHECK(fact(*motion, "fastest") > 0.0);
    CHECK(motion->state().values.size() == 6 * 162 + 1);
    other->restore(motion->state());
    CHECK(fact(*other, "fastest") == fact(*motion, "fastest"));
    CHECK(same_bytes(motion->problem().problem, other->problem().problem));
    CHECK(motion->velocity() == other->velocity());
  }
  MotionState state = thin_mesh()->state();
  state.values.conservativeResize(6 * 162);
  CHECK_THROWS_WITH(thin_mesh()->restore(state), Catch::Contains("expected 973 (6 for each of 162 nodes and one more)"));
}

TEST_CASE("beams that cannot be are refused by name") {
  const auto refused = [](const char* name, const char* value) { scene_in_time("three_point_bending", {{name, value}}); };
  using Catch::Contains;
  CHECK_THROWS_WITH(refused("span", "1.3"), Contains("the beam would lie beside its supports: 'span' is 1.3 m"));
  CHECK_THROWS_WITH(refused("span", "0.09"), Contains("no room between the supports: 'span' is 0.09 m"));
  CHECK_THROWS_WITH(refused("poisson", "0.5"), Contains("poisson"));
  CHECK_THROWS_WITH(refused("penalty_stiffness", "0"), Contains("penalty_stiffness"));
  CHECK_THROWS_WITH(refused("punch_mass", "-1"), Contains("punch_mass"));
  CHECK_THROWS_WITH(refused("contact", "soft"), Contains("linearised_penalty"));
}
