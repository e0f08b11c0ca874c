#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problems/distance_field/dish.hpp"
#include "problems/registry.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;

namespace {

ContactProblem build_dishes(const std::vector<std::pair<std::string, FieldValue>>& settings, std::uint64_t seed = 1) {
  const auto scene = make_scene("dish_pile");
  for (const auto& [name, value] : settings) scene->parameters().set(name, value);
  return scene->build(seed);
}

constexpr double dish_step = 1.0 / 240.0;

}  // namespace

TEST_CASE("dish_pile: 4 bodies, 40 contacts to each neighbour, no gap below zero") {
  const ContactProblem problem = build_dishes({});
  CHECK(problem.name() == "dish_pile");
  CHECK(problem.dofs() == 24);
  CHECK(problem.rows() == 480);
  const GlobalForm& form = problem.global();
  double deepest = 1.0, widest = 0.0;
  for (Index contact = 0; contact < 160; ++contact) {
    CHECK(problem.constraints().friction(contact) == 0.4);
    const double gap = dish_step * form.b[3 * contact];
    CHECK(gap >= 0.0);
    deepest = std::min(deepest, gap);
    widest = std::max(widest, gap);
    if (contact % 40 > 0) CHECK(form.b[3 * contact] >= form.b[3 * (contact - 1)]);
    // The first 40 are those of the floor and body 0, the next 40 those of bodies 0 and 1, and so on.
    const Index upper = contact / 40;
    for (Index body = 0; body < 4; ++body) {
      const Vector column = form.D.col(3 * contact);
      const bool touched = column.segment<6>(6 * body).cwiseAbs().maxCoeff() > 0.0;
      CHECK(touched == (body == upper || body + 1 == upper));
    }
    CHECK(form.D.coeff(6 * upper + 2, 3 * contact) > 0.3);  // every normal has the upper dish above
  }
  CHECK(deepest == 0.0);
  CHECK(widest < 0.2 * mm);
}

TEST_CASE("dish_pile: masses, moments and weights are those of the shells") {
  const ContactProblem problem = build_dishes({{"load", 0.0}});
  const GlobalForm& form = problem.global();
  const double masses[4] = {0.1, 0.1, 0.1, 5.0};
  for (Index body = 0; body < 4; ++body) {
    CHECK(form.H.coeff(6 * body, 6 * body) == masses[body]);
    CHECK(form.k[6 * body + 2] == Approx(-masses[body] * g * dish_step).epsilon(1e-14));
    CHECK(form.k.segment<3>(6 * body + 3) == Vector3::Zero());
  }
  CHECK(form.H.coeff(23, 23) == Approx(5.0 * shell_inertia(DishProfile::pot()).axial).epsilon(1e-14));
  // Each dish loaded in proportion to its weight.
  const Vector k = build_dishes({{"load", 0.5}}).global().k - form.k;
  for (Index body = 0; body < 4; ++body) {
    const double most = 0.5 * masses[body] * g * dish_step;
    CHECK(k.segment<3>(6 * body).norm() <= most);
    CHECK(k.segment<3>(6 * body).norm() > 0.0);
    CHECK(k.segment<3>(6 * body + 3).norm() <= 0.05 * most);
  }
}

TEST_CASE("dish_pile: an overlap is the depth of the deepest contact of each pair") {
  const ContactProblem problem = build_dishes({{"overlap", 1e-5}});
  for (Index pair = 0; pair < 4; ++pair) CHECK(std::abs(dish_step * problem.global().b[120 * pair] + 1e-5) < 1e-12);
  for (Index row = 0; row < problem.rows(); row += 3) CHECK(dish_step * problem.global().b[row] >= -1e-5 * (1.0 + 1e-15));
}

TEST_CASE("dish_pile: wrenches and seeds differ, the same ones give the same bytes") {
  const ContactProblem first = build_dishes({});
  CHECK(same_bytes(first, build_dishes({})));
  CHECK(build_dishes({{"wrench", std::int64_t{99}}}).global().k != first.global().k);
  CHECK(build_dishes({}, 2).global().k != first.global().k);
  CHECK(build_dishes({}, 2).global().b == first.global().b);  // the pile itself is not random
  CHECK(build_dishes({{"contacts", std::int64_t{5}}}).rows() == 60);
}

TEST_CASE("dish_pile: what is out of range is refused by name") {
  CHECK_THROWS_WITH(build_dishes({{"wrench", std::int64_t{100}}}),
                    Catch::Contains("'wrench' is 100, expected a value in [0, 99]"));
  CHECK_THROWS_WITH(build_dishes({{"load", -0.1}}), Catch::Contains("'load' is -0.1"));
  CHECK_THROWS_WITH(build_dishes({{"overlap", 0.01}}), Catch::Contains("'overlap' is 0.01"));
  CHECK_THROWS_WITH(build_dishes({{"pot_mass", 0.0}}), Catch::Contains("'pot_mass' is 0"));
  CHECK_THROWS_AS(build_dishes({{"margin", -1.0}}), InputError);
}
