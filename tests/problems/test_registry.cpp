#include <catch2/catch.hpp>
#include <set>

#include "core/error.hpp"
#include "problems/registry.hpp"

using namespace ccp;

TEST_CASE("every listed scene can be made, carries its own name and builds with its defaults") {
  const auto names = scene_names();
  REQUIRE_FALSE(names.empty());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto scene = make_scene(name);
    CHECK(scene->info().name == name);
    CHECK_FALSE(scene->info().title.empty());
    CHECK_FALSE(scene->info().reference.empty());
    // A scene in time may begin before anything touches.
    CHECK((scene->build(1).rows() > 0 || scene->motion(1) != nullptr));
    for (const Field& field : scene->parameters().fields()) {
      CAPTURE(field.name);
      CHECK_FALSE(field.meaning.empty());
      CHECK_FALSE(field.source.empty());
      CHECK_FALSE(scene->parameters().check(field.name, field.default_value).has_value());
    }
  }
}

TEST_CASE("an unknown scene is refused with the nearest name") {
  CHECK_THROWS_AS(make_scene("odd_mas_stack"), InputError);
  CHECK_THROWS_WITH(make_scene("odd_mas_stack"), Catch::Contains("did you mean 'odd_mass_stack'?"));
  CHECK_THROWS_WITH(make_scene(""), Catch::Contains("unknown scene ''"));
}

TEST_CASE("the registry handed to the engine is the same list") {
  const SceneRegistry registry = scene_registry();
  CHECK(registry.names == scene_names());
  CHECK(registry.make("odd_mass_stack")->info().name == "odd_mass_stack");
  CHECK_THROWS_AS(registry.make("no such scene"), InputError);
}
