#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problems/registry.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;

namespace {

ContactProblem build_bolt(const std::vector<std::pair<std::string, FieldValue>>& settings, std::uint64_t seed = 1) {
  const auto scene = make_scene("bolt_nut");
  for (const auto& [name, value] : settings) scene->parameters().set(name, value);
  return scene->build(seed);
}

constexpr double bolt_step = 1.0 / 240.0;

/// Φ of each contact, m.
std::vector<double> bolt_gaps(const ContactProblem& problem) {
  std::vector<double> gaps;
  for (Index i = 0; i < problem.rows(); i += 3) gaps.push_back(bolt_step * problem.global().b[i]);
  return gaps;
}

const ContactProblem& default_bolt() {
  static const ContactProblem problem = build_bolt({});
  return problem;
}

/// The normal of a contact: the force on the nut of a unit normal impulse.
Vector3 bolt_normal(const ContactProblem& problem, Index contact) {
  const Vector column = problem.global().D.col(3 * contact);
  return column.head<3>();
}

}  // namespace

TEST_CASE("bolt_nut: one body of 6 dofs, 120 contacts, the deepest first with gap 0") {
  for (const std::int64_t pose : {0, 3, 9}) {
    CAPTURE(pose);
    const ContactProblem problem = build_bolt({{"pose", pose}});
    CHECK(problem.name() == "bolt_nut");
    CHECK(problem.dofs() == 6);
    CHECK(problem.rows() == 360);
    for (Index i = 0; i < 120; ++i) CHECK(problem.constraints().friction(i) == 0.2);
    const std::vector<double> gaps = bolt_gaps(problem);
    CHECK(gaps.front() == 0.0);
    CHECK(std::is_sorted(gaps.begin(), gaps.end()));
    CHECK(gaps.back() > 0.015 * mm);  // the flanks of the other side: (D₂ − d₂)/2 is 0.036 mm, less the chords
    CHECK(gaps.back() < 0.036 * mm);
  }
}

TEST_CASE("bolt_nut: no gap is negative in any pose or fit, and the smallest is 0 exactly") {
  for (std::int64_t pose = 0; pose < 10; ++pose)
    for (const double fit : {0.0, 0.5}) {
      CAPTURE(pose, fit);
      const std::vector<double> gaps = bolt_gaps(build_bolt({{"pose", pose}, {"fit", fit}}));
      CHECK(gaps.size() == 120);
      CHECK(*std::min_element(gaps.begin(), gaps.end()) == 0.0);
      CHECK(gaps.front() == 0.0);
    }
}

TEST_CASE("bolt_nut: the flanks on both sides are in contact, and their normals are those of the thread") {
  const ContactProblem& problem = default_bolt();
  int up = 0, down = 0, flank = 0;
  for (Index i = 0; i < 120; ++i) {
    const Vector3 normal = bolt_normal(problem, i);
    CHECK(normal.norm() == Approx(1.0).epsilon(1e-12));
    ++(normal[2] > 0.0 ? up : down);
    flank += std::abs(std::abs(normal[2]) - std::sqrt(0.75)) < 2e-3 ? 1 : 0;  // 30°, and the lead of 2°
  }
  CHECK(std::min(up, down) >= 10);
  CHECK(flank >= 100);
}

TEST_CASE("bolt_nut: mass and weight are those of the nut, forces and torques within their balls") {
  const ContactProblem heavy = build_bolt({{"force", 0.0}});
  const GlobalForm& form = heavy.global();
  for (Index i = 0; i < 3; ++i) CHECK(form.H.coeff(i, i) == 0.983);
  const Vector3 diagonal(form.H.coeff(3, 3), form.H.coeff(4, 4), form.H.coeff(5, 5));
  CHECK(diagonal[0] == Approx(6.23e-4).epsilon(1e-6));
  CHECK(diagonal[2] == Approx(10.09e-4).epsilon(1e-6));
  CHECK(form.k.head<2>() == Vector2::Zero());
  CHECK(form.k[2] == Approx(-0.983 * g * bolt_step).epsilon(1e-14));
  CHECK(form.k.tail<3>() == Vector3::Zero());
  double largest = 0.0;
  for (const std::int64_t wrench : {0, 1, 9}) {
    const ContactProblem problem = build_bolt({{"force", 30.0}, {"wrench", wrench}});
    const Vector3 force = (problem.global().k - form.k).head<3>() / bolt_step,
                  torque = problem.global().k.tail<3>() / bolt_step;
    CHECK(force.norm() <= 30.0 * (1.0 + 1e-12));
    CHECK(torque.norm() <= 1.5 * (1.0 + 1e-12));
    CHECK(torque.norm() > 0.0);
    largest = std::max(largest, force.norm());
    CHECK(problem.global().D.nonZeros() == heavy.global().D.nonZeros());  // the pose is the same
    CHECK(problem.global().b == form.b);
  }
  CHECK(largest > 10.0);
}

TEST_CASE("bolt_nut: poses, wrenches and seeds differ, the same ones give the same bytes") {
  const ContactProblem& first = default_bolt();
  CHECK(same_bytes(first, build_bolt({})));
  const ContactProblem seeded = build_bolt({}, 2);
  CHECK(seeded.global().b != first.global().b);
  CHECK(seeded.global().k != first.global().k);
  // A wrench is the same whatever the pose.
  const ContactProblem other = build_bolt({{"pose", std::int64_t{4}}});
  CHECK(other.global().b != first.global().b);
  CHECK(other.global().k == first.global().k);
}

TEST_CASE("bolt_nut: an overlap shifts every gap, a limit and a margin bound the contacts") {
  const ContactProblem &plain = default_bolt(), deep = build_bolt({{"overlap", 1e-5}});
  for (Index i = 0; i < plain.rows(); i += 3)
    CHECK(bolt_step * deep.global().b[i] == Approx(bolt_step * plain.global().b[i] - 1e-5).margin(1e-18));
  const ContactProblem near = build_bolt({{"margin", 1e-5}, {"contacts", std::int64_t{7}}});
  CHECK(near.rows() == 21);
  CHECK(bolt_gaps(near).back() < 1e-5);
}

TEST_CASE("bolt_nut: a looser fit leaves a larger gap on the other flanks") {
  const ContactProblem loose = build_bolt({{"fit", 0.5}, {"margin", 3e-4}});
  double widest = 0.0;  // on flanks alone
  for (Index i = 0; i < 120; ++i)
    if (std::abs(std::abs(bolt_normal(loose, i)[2]) - std::sqrt(0.75)) < 2e-3)
      widest = std::max(widest, bolt_gaps(loose)[static_cast<std::size_t>(i)]);
  // (D₂ − d₂)/2 = 0.182 mm across both flanks together, less chords and tilt; of a cluster the deepest is left.
  CHECK(widest > 0.1 * mm);
  CHECK(widest < 0.19 * mm);
}

TEST_CASE("bolt_nut: what is out of range is refused by name") {
  CHECK_THROWS_WITH(build_bolt({{"pose", std::int64_t{10}}}), Catch::Contains("'pose' is 10, expected a value in [0, 9]"));
  CHECK_THROWS_WITH(build_bolt({{"wrench", std::int64_t{-1}}}), Catch::Contains("'wrench' is -1"));
  CHECK_THROWS_WITH(build_bolt({{"force", -1.0}}), Catch::Contains("'force' is -1"));
  CHECK_THROWS_WITH(build_bolt({{"fit", 1.5}}), Catch::Contains("'fit' is 1.5"));
  CHECK_THROWS_WITH(build_bolt({{"margin", 0.0}}), Catch::Contains("'margin' is 0"));
  CHECK_THROWS_WITH(build_bolt({{"overlap", -1e-6}}), Catch::Contains("'overlap' is"));
  CHECK_THROWS_AS(build_bolt({{"contacts", std::int64_t{0}}}), InputError);
}
