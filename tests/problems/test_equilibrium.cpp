#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/config/config.hpp"
#include "problem/judge/balance.hpp"
#include "problem/problem_builder.hpp"
#include "problems/registry.hpp"
#include "support/build_scene.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"

using namespace ccp;
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

/// Problems of configs whose bodies do not rest in the step, and why. All others have to be in equilibrium. The words under
/// `where` must stand in the parameters; a scene without them moves whatever they are.
struct Moving {
  std::string scene, why;
  std::function<bool(const std::map<std::string, double>&)> where = nullptr;
};

const std::vector<Moving> moving = {
    {"random_contacts", "thrown at random"},
    {"spinning_contacts", "thrown at random, and spinning"},
    {"sliding_sphere", "thrown"},
    {"rolling_body", "rolls"},
    {"quadrupeds", "legs without motors fold"},
    {"bolt_nut", "wrenches turn the nut within its play"},
    {"odd_mass_stack", "pulled up by more than its weight", [](const auto& p) { return p.at("lift_factor") > 1.0; }},
    {"sphere_press", "not settled", [](const auto& p) { return p.count("packing=thrown") > 0; }},
    {"dish_pile", "pushed out of an overlap", [](const auto& p) { return p.at("overlap") > 0.0; }},
    {"dish_pile", "wrenches overcome friction", [](const auto& p) { return p.at("load") >= 0.5; }},
};

std::map<std::string, double> numbers(const ProblemSpec& spec) {
  std::map<std::string, double> found;
  for (const auto& [name, value] : spec.parameters) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) found[name] = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) found[name] = *real;
    if (const auto* text = std::get_if<std::string>(&value)) found[name + "=" + *text] = 1.0;
  }
  return found;
}

const Moving* why_it_moves(const ProblemSpec& spec) {
  for (const Moving& entry : moving)
    if (entry.scene == spec.scene && (!entry.where || entry.where(numbers(spec)))) return &entry;
  return nullptr;
}

/// The problems of one step of all configs at their small size, each once, with the config that has it. Those of FCLib files
/// are other programs', of unknown weights; scenes in time are judged by the claims of their configs.
std::map<std::string, std::shared_ptr<const ProblemSpec>> problems_of_configs() {
  const Catalog catalog = standard_catalog(scene_registry());
  std::map<std::string, std::shared_ptr<const ProblemSpec>> found;
  std::set<std::string> seen;
  for (const auto& file : fs::directory_iterator(fs::path(source_folder) / "configs")) {
    if (file.path().extension() != ".json") continue;
    const Config config = read_config(file.path().string(), catalog, {"small", {}, false});
    for (const ConfigVariant& variant : config.variants)
      for (const auto& spec : variant.problems) {
        if (!spec->fclib.empty() || spec->sequence) continue;
        std::string key = spec->scene + " " + std::to_string(spec->seed);
        for (const auto& [name, value] : spec->parameters) key += " " + name + "=" + field_text(value);
        if (seen.insert(key).second) found.emplace(config.name + ": " + spec->label + " | " + key, spec);
      }
  }
  return found;
}

ContactProblem built(const ProblemSpec& spec) {
  const auto scene = make_scene(spec.scene);
  for (const auto& [name, value] : spec.parameters) scene->parameters().set(name, value);
  return scene->build(spec.seed);
}

Vector solved(const ContactProblem& problem) {
  RunSpec spec;
  spec.solver = "reference";
  spec.model = Model::ccp;
  spec.stop = {Measure::relative_residual, 1e-13, true, 100000, 1e6};  // iterations end it, on any machine
  return run(problem, spec).impulse;
}

/// The momentum that impulses give to all bodies of 6 dofs together (the ground's share of them, as those between two bodies
/// cancel), and what the contacts with the ground alone give, N·s.
std::pair<Vector3, Vector3> momentum_given(const ContactProblem& problem, const Vector& impulse) {
  const SparseMatrix& D = problem.global().D;
  Vector3 all = Vector3::Zero(), ground = Vector3::Zero();
  for (Index column = 0; column < D.cols(); ++column) {
    Vector3 sum = Vector3::Zero();
    std::set<Index> bodies;
    for (SparseMatrix::InnerIterator entry(D, column); entry; ++entry) {
      bodies.insert(entry.row() / 6);
      if (entry.row() % 6 < 3) sum[entry.row() % 6] += entry.value() * impulse[column];
    }
    all += sum;
    if (bodies.size() == 1) ground += sum;
  }
  return {all, ground};
}

/// The load h f of all bodies together, N·s.
Vector3 load_of(const ContactProblem& problem) {
  Vector3 load = Vector3::Zero();
  for (Index body = 0; body < problem.dofs() / 6; ++body) load += problem.global().k.segment<3>(6 * body);
  return load;
}

}  // namespace

TEST_CASE("the static problems of every config are in equilibrium, all others are named with their reason", "[slow]") {
  std::set<const Moving*> needed;
  int at_rest = 0;
  for (const auto& [name, spec] : problems_of_configs()) {
    CAPTURE(name);
    const ContactProblem problem = built(*spec);
    const Moving* const moves = why_it_moves(*spec);
    if (moves != nullptr && needed.count(moves) > 0) continue;
    const Vector impulse = solved(problem);
    const auto [all, ground] = momentum_given(problem, impulse);
    const Vector3 load = load_of(problem);
    // actio est reactio; a robot is no row of bodies with 6 dofs
    if (spec->scene != "quadrupeds") CHECK((all - ground).norm() < 1e-9 * load.norm());
    const Balance balance = balance_of(problem, impulse);
    if (moves != nullptr) {
      // An exception has to be one for some problem.
      if (!(std::abs(balance.load_carried - 1.0) < 1e-6 && balance.speed_left < 1e-6)) needed.insert(moves);
      continue;
    }
    ++at_rest;
    CHECK((ground + load).norm() < 1e-6 * load.norm());
    CHECK(balance.load_carried == Approx(1.0).margin(1e-6));
    CHECK(balance.speed_left < 1e-6);
  }
  CHECK(at_rest >= 40);
  for (const Moving& entry : moving) {
    CAPTURE(entry.scene, entry.why);
    CHECK(needed.count(&entry) == 1);
  }
}

TEST_CASE("random packings bear their slab at all sizes, with and without a slab") {
  using Settings = std::vector<std::pair<const char*, const char*>>;
  const std::vector<Settings> packings = {{{"spheres", "28"}, {"per_side", "3"}},
                                          {{"spheres", "100"}, {"per_side", "6"}},
                                          {{"spheres", "100"}, {"per_side", "6"}, {"slab_mass", "0"}},
                                          {{"spheres", "280"}, {"per_side", "6"}},
                                          {{"spheres", "5"}, {"per_side", "1"}}};
  for (const Settings& settings : packings)
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto scene = make_scene("sphere_press");
      scene->parameters().set_from_text("packing", "random");
      for (const auto& [name, value] : settings) scene->parameters().set_from_text(name, value);
      const ContactProblem problem = scene->build(seed);
      CAPTURE(problem.dofs(), seed);
      const Balance balance = balance_of(problem, solved(problem));
      CHECK(balance.load_carried == Approx(1.0).margin(1e-6));
      CHECK(balance.speed_left < 1e-6);
    }
}

TEST_CASE("packed spheres lie in the drum, whose facets and walls bear them") {
  for (const char* particles : {"30", "51", "100", "240"}) {
    CAPTURE(particles);
    const ContactProblem problem =
        build_scene("drum", {{"particles", particles}, {"shape", "sphere"}, {"filling", "packed"}});
    const Vector impulse = solved(problem);
    const Balance balance = balance_of(problem, impulse);
    CHECK(balance.load_carried == Approx(1.0).margin(1e-9));
    CHECK(balance.speed_left < 1e-9);
    CHECK(balance.moving_bodies == 0.0);
    const Vector3 load = load_of(problem);
    CHECK(load[2] == Approx(-1e-3 * 10.0 * 100.0 * 4.0 / 3.0 * std::numbers::pi * 0.512 * 0.1).epsilon(1e-9));
    CHECK((momentum_given(problem, impulse).second + load).norm() < 1e-9 * load.norm());
  }
}

TEST_CASE("the balance of a mass on the floor, by hand") {
  // 2 kg that would fall with 0.5 m/s, held by a half of its weight.
  DenseMatrix H = DenseMatrix::Identity(3, 3) * 2.0;
  ProblemBuilder builder;
  builder.global(SparseMatrix(H.sparseView()), Vector3(-1.0, 0.0, 0.0),
                 SparseMatrix(DenseMatrix::Identity(3, 3).sparseView()), Vector3::Zero());
  const ContactProblem problem = builder.contact(0.4).build();
  for (const double part : {0.0, 0.5, 1.0}) {
    const Balance balance = balance_of(problem, Vector3(part, 0.0, 0.0));
    CHECK(balance.load_carried == Approx(part).margin(1e-15));
    CHECK(balance.speed_left == Approx(1.0 - part).margin(1e-15));
    CHECK(balance.moving_bodies == (part < 1.0 ? 1.0 : 0.0));
  }
  ProblemBuilder local;
  local.local(SparseMatrix(H.sparseView()), Vector3::Ones());
  CHECK(std::isnan(balance_of(local.contact(0.4).build(), Vector3::Zero()).load_carried));
}
