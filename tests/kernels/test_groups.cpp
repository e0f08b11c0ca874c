#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "cones/friction_cone.hpp"
#include "kernels/group_loops.hpp"
#include "kernels/group_sweep.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr Index largest_group = most_tiles * lane_count;

}  // namespace

TEST_CASE("groups have all contacts in their order, and no body twice", "[kernels]") {
  // With so many bodies that groups share none, with so few that all do, and between them.
  std::array<int, largest_group + 1> sizes{};
  for (const RandomShape& shape : {RandomShape{150, 403}, RandomShape{30, 203}, RandomShape{6, 67}}) {
    const ContactProblem problem = random_problem(31, shape);
    const FactoredDelassus& N = problem.factored();
    const ContactGroups groups(N.paired_contacts());
    Index place = 0, tile = 0;
    for (std::size_t g = 0; g < groups.count(); ++g) {
      REQUIRE(groups.place(g) == place);
      REQUIRE(groups.tile(g) == tile);
      REQUIRE(groups.size(g) <= largest_group);
      ++sizes[static_cast<std::size_t>(groups.size(g))];
      std::multiset<int> bodies;
      groups.for_contacts(g, [&](Index contact, Index lane) {
        CHECK(contact == N.order()[static_cast<std::size_t>(place)]);
        CHECK(lane == lane_count * tile + place - groups.place(g));
        for (const int body : N.bodies_of(contact))
          if (body != N.bodies()) bodies.insert(body);
        ++place;
      });
      for (const int body : bodies) CHECK(bodies.count(body) == 1);
      tile += groups.tiles(g);
      CHECK(groups.tiles(g) == (groups.size(g) + lane_count - 1) / lane_count);
    }
    CHECK(place == problem.constraints().count());
  }
  CHECK(sizes[0] == 0);
  CHECK(sizes[1] > 10);
  CHECK(sizes[largest_group / 2] > 0);
  CHECK(sizes[largest_group] > 10);
}

TEST_CASE("packed vectors come back, with zeros between them", "[kernels]") {
  const int rows = GENERATE(3, 2);
  const ContactProblem problem = random_problem(32, rows == 3 ? RandomShape{30, 203} : RandomShape{30, 0, 203});
  const ContactGroups groups(problem.factored().paired_contacts());
  REQUIRE(groups.rows() == rows);
  const Vector gamma = Vector::LinSpaced(rows * 203, 1.0, 2.0), step = Vector::LinSpaced(203, 3.0, 4.0);
  Vector packed, back = Vector::Zero(gamma.size());
  groups.pack(gamma, packed);
  groups.unpack(packed, back);
  CHECK(back == gamma);
  CHECK(packed.size() % (rows * lane_count) == 0);
  CHECK((packed.array() != 0.0).count() == gamma.size());
  Vector steps;
  groups.pack(step, 1, steps);
  CHECK(rows * steps.size() == packed.size());
  groups.for_contacts(0, [&](Index contact, Index lane) { CHECK(steps[lane] == step[contact]); });
  CHECK((steps.array() != 0.0).count() == step.size());
}

TEST_CASE("a contact outside the safe range leaves its group the bits of single contacts", "[kernels]") {
  const ContactProblem problem = random_problem(33, {60, 150});
  const FactoredDelassus& N = problem.factored();
  const ContactGroups groups(N.paired_contacts());
  Vector gamma = Vector::LinSpaced(3 * 150, 0.1, 1.0);
  gamma.segment<3>(3 * 11) *= 1e160;
  const Vector r = Vector::LinSpaced(gamma.size(), -1.0, 1.0), step = Vector::LinSpaced(150, 0.5, 1.5);
  const Eigen::Map<const Vector> friction(problem.constraints().frictions().data(), 150);
  const auto update = [&](Index i, const Vector3& u, const Vector3& old) {
    return project_friction_cone(Vector3(old - step[i] * u), friction[i]);
  };
  for (const bool symmetric : {false, true}) {
    const auto swept = [&](bool at_once) {
      GroupSweep sweep(groups, N.paired_contacts(), 0.75);
      if (at_once) sweep.set_projected_step(step, friction);
      sweep.set_impulse(gamma);
      sweep.set_free_velocity(r);
      Vector w = Vector::Zero(N.padded_size());
      const Largest largest = sweep.sweep<3>(symmetric, w.data(), update);
      CHECK(largest.impulse == sweep.impulse().cwiseAbs().maxCoeff());
      return sweep.impulse();
    };
    CHECK(swept(true) == swept(false));
  }
}
