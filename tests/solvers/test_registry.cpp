#include <catch2/catch.hpp>
#include <set>

#include "core/error.hpp"
#include "problem/judge/measure.hpp"
#include "solvers/registry.hpp"

using namespace ccp;
using Catch::Matchers::Contains;

TEST_CASE("every registered solver describes itself completely") {
  std::set<std::string> names;
  for (const std::string& name : solver_names()) {
    CAPTURE(name);
    CHECK(names.insert(name).second);
    const auto solver = make_solver(name);
    CHECK(solver->info().name == name);
    CHECK_FALSE(solver->info().title.empty());
    CHECK_FALSE(solver->info().reference.empty());
    CHECK_FALSE(solver->info().models.empty());
    for (const NativeColumn& column : solver->info().native) {
      CHECK_FALSE(column.name.empty());
      CHECK_FALSE(column.meaning.empty());
      CAPTURE(column.name);  // a trace has room for one column of a name
      CHECK_FALSE(measure_from_name(column.name));
    }
    for (const Field& field : solver->settings().fields()) {
      CAPTURE(field.name);
      CHECK_FALSE(field.meaning.empty());
      CHECK_FALSE(field.source.empty());
      // Defaults are inside their own range.
      CHECK_FALSE(solver->settings().check(field.name, field.default_value).has_value());
      CHECK(field.get() == field.default_value);
    }
  }
}

TEST_CASE("an unknown solver is answered with the nearest name") {
  CHECK_THROWS_WITH(make_solver("admn"), Contains("unknown solver 'admn'") && Contains("'admm'"));
  CHECK_THROWS_AS(make_solver(""), InputError);
}
