#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/fields.hpp"

using namespace ccp;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

enum class Policy { fixed, balanced };

struct Settings {
  double rho = 0.1;
  double share = 0.5;
  int interval = 5;
  int any_integer = 0;
  bool restart = true;
  Policy policy = Policy::balanced;
};

struct Bound {
  Settings settings;
  FieldTable table;
  Bound() {
    table.add("rho", &settings.rho, Range::positive(), "kg", "penalty", "Tasora 2021, eq. 42")
        .add("share", &settings.share, Range::open_closed(0.0, 1.0), "", "weight", "ours")
        .add("interval", &settings.interval, Range::at_least(1), "iterations between updates", "ours")
        .add("any_integer", &settings.any_integer, {}, "any", "ours")
        .add("restart", &settings.restart, "restart the acceleration", "ours")
        .add("policy", &settings.policy, {{"fixed", Policy::fixed}, {"balanced", Policy::balanced}}, "step policy", "ours");
  }
  std::string complaint(const std::string& name, const FieldValue& value) const {
    return table.check(name, value).value_or("");
  }
};

}  // namespace

TEST_CASE("a field of each type is stored where it belongs", "[core]") {
  Bound bound;
  bound.table.set("rho", 2.5);
  bound.table.set("interval", std::int64_t{7});
  bound.table.set("restart", false);
  bound.table.set("policy", std::string("fixed"));
  CHECK(bound.settings.rho == 2.5);
  CHECK(bound.settings.interval == 7);
  CHECK_FALSE(bound.settings.restart);
  CHECK(bound.settings.policy == Policy::fixed);
  CHECK(bound.settings.share == 0.5);
}

TEST_CASE("a whole number is accepted where a real one is expected", "[core]") {
  Bound bound;
  bound.table.set("rho", std::int64_t{3});
  CHECK(bound.settings.rho == 3.0);
  CHECK(bound.table.find("rho")->get() == FieldValue(3.0));
  CHECK_THAT(bound.complaint("rho", std::int64_t{0}), Equals("'rho' is 0, expected a value > 0 kg"));
}

TEST_CASE("a value of the wrong type is refused", "[core]") {
  const Bound bound;
  CHECK_THAT(bound.complaint("rho", std::string("big")), Equals("'rho' is 'big' (a text), expected a number"));
  CHECK_THAT(bound.complaint("rho", true), Equals("'rho' is true (a flag), expected a number"));
  CHECK_THAT(bound.complaint("interval", 2.5), Equals("'interval' is 2.5 (a number), expected a whole number"));
  CHECK_THAT(bound.complaint("interval", false), Contains("expected a whole number"));
  CHECK_THAT(bound.complaint("restart", std::int64_t{1}), Equals("'restart' is 1 (a whole number), expected true or false"));
  CHECK_THAT(bound.complaint("restart", std::string("yes")), Contains("expected true or false"));
  CHECK_THAT(bound.complaint("policy", 1.5), Equals("'policy' is 1.5 (a number), expected one of fixed, balanced"));
}

TEST_CASE("a value out of range is refused and nothing is stored", "[core]") {
  Bound bound;
  CHECK_THAT(bound.complaint("rho", 0.0), Equals("'rho' is 0, expected a value > 0 kg"));
  CHECK_THAT(bound.complaint("share", 0.0), Equals("'share' is 0, expected a value in (0, 1]"));
  CHECK_THAT(bound.complaint("share", 1.5), Contains("in (0, 1]"));
  CHECK(bound.complaint("share", 1.0).empty());
  CHECK_THAT(bound.complaint("interval", std::int64_t{0}), Equals("'interval' is 0, expected a value >= 1"));
  CHECK_THAT(bound.complaint("policy", std::string("fixd")),
             Equals("'policy' is 'fixd', expected one of fixed, balanced; did you mean 'fixed'?"));
  CHECK_THROWS_AS(bound.table.set("rho", -1.0), InputError);
  CHECK(bound.settings.rho == 0.1);
}

TEST_CASE("numbers that are not finite are refused", "[core]") {
  const Bound bound;
  CHECK_THAT(bound.complaint("rho", std::numeric_limits<double>::infinity()), Contains("is inf"));
  CHECK_THAT(bound.complaint("rho", std::numeric_limits<double>::quiet_NaN()), Contains("is nan"));
}

TEST_CASE("integers that do not fit are refused in both directions", "[core]") {
  Bound bound;
  const std::int64_t low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
  CHECK(bound.complaint("any_integer", low).empty());
  CHECK(bound.complaint("any_integer", high).empty());
  CHECK_THAT(bound.complaint("any_integer", low - 1), Contains("expected a value in [-2147483648, 2147483647]"));
  CHECK_THAT(bound.complaint("any_integer", high + 1), Contains("'any_integer' is 2147483648"));
  CHECK_THAT(bound.complaint("interval", std::numeric_limits<std::int64_t>::max()), Contains("9223372036854775807"));
  bound.table.set("any_integer", low);
  CHECK(bound.settings.any_integer == std::numeric_limits<int>::min());
}

TEST_CASE("an unknown field is answered with the nearest name", "[core]") {
  Bound bound;
  CHECK_THAT(bound.complaint("intervall", std::int64_t{1}),
             Equals("unknown parameter 'intervall' (did you mean 'interval'?)"));
  CHECK_THAT(bound.complaint("temperature", 1.0),
             Equals("unknown parameter 'temperature' (known: rho, share, interval, any_integer, restart, policy)"));
  CHECK(bound.table.find("intervall") == nullptr);
  CHECK_THROWS_WITH(bound.table.set("intervall", std::int64_t{1}), Contains("did you mean 'interval'?"));
}

TEST_CASE("set_from_text reads by the type of the field", "[core]") {
  Bound bound;
  bound.table.set_from_text("rho", "1e-3");
  CHECK(bound.settings.rho == 1e-3);
  bound.table.set_from_text("rho", "5");
  CHECK(bound.settings.rho == 5.0);
  bound.table.set_from_text("interval", "12");
  CHECK(bound.settings.interval == 12);
  bound.table.set_from_text("any_integer", "-3");
  CHECK(bound.settings.any_integer == -3);
  bound.table.set_from_text("restart", "false");
  CHECK_FALSE(bound.settings.restart);
  bound.table.set_from_text("restart", "true");
  CHECK(bound.settings.restart);
  bound.table.set_from_text("policy", "fixed");
  CHECK(bound.settings.policy == Policy::fixed);

  for (const char* text : {"", "1e-3x", "abc", "true", "1e999", "nan", "inf", " 1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(bound.table.set_from_text("rho", text), InputError);
  }
  for (const char* text : {"", "1.5", "3000000000", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(bound.table.set_from_text("any_integer", text), InputError);
  }
  CHECK_THROWS_AS(bound.table.set_from_text("restart", "1"), InputError);
  CHECK_THROWS_AS(bound.table.set_from_text("policy", "true"), InputError);
  CHECK_THROWS_AS(bound.table.set_from_text("rhoo", "1"), InputError);
  CHECK(bound.settings.rho == 5.0);
}

TEST_CASE("a choice may be called like a number", "[core]") {
  Policy order = Policy::fixed;
  FieldTable table;
  table.add("order", &order, {{"1", Policy::fixed}, {"2", Policy::balanced}}, "order", "ours");
  table.set_from_text("order", "2");
  CHECK(order == Policy::balanced);
}

TEST_CASE("defaults are the values at the time of binding", "[core]") {
  Bound bound;
  bound.table.set("rho", 9.0);
  bound.table.set("policy", std::string("fixed"));
  CHECK(bound.table.find("rho")->default_value == FieldValue(0.1));
  CHECK(bound.table.find("interval")->default_value == FieldValue(std::int64_t{5}));
  CHECK(bound.table.find("restart")->default_value == FieldValue(true));
  CHECK(bound.table.find("policy")->default_value == FieldValue(std::string("balanced")));
}

TEST_CASE("the table describes its fields in order", "[core]") {
  Bound bound;
  CHECK(bound.table.names() == std::vector<std::string>{"rho", "share", "interval", "any_integer", "restart", "policy"});
  const Field& rho = bound.table.fields()[0];
  CHECK(rho.type == FieldType::real);
  CHECK(rho.unit == "kg");
  CHECK(rho.meaning == "penalty");
  CHECK(rho.source == "Tasora 2021, eq. 42");
  CHECK(bound.table.find("interval")->type == FieldType::integer);
  CHECK(bound.table.find("interval")->range.text() == ">= 1");
  CHECK(bound.table.find("restart")->type == FieldType::flag);
  CHECK(bound.table.find("policy")->type == FieldType::choice);
  CHECK(bound.table.find("policy")->choices == std::vector<std::string>{"fixed", "balanced"});

  bound.table.set("interval", std::int64_t{8});
  const auto values = bound.table.values();
  REQUIRE(values.size() == 6);
  CHECK(values[2].first == "interval");
  CHECK(values[2].second == FieldValue(std::int64_t{8}));
  CHECK(values[5].second == FieldValue(std::string("balanced")));
}

TEST_CASE("values have a text", "[core]") {
  CHECK(field_text(true) == "true");
  CHECK(field_text(false) == "false");
  CHECK(field_text(std::int64_t{-5}) == "-5");
  CHECK(field_text(0.1) == "0.1");
  CHECK(field_text(std::string("balanced")) == "balanced");
}

TEST_CASE("ranges know their ends", "[core]") {
  CHECK(Range{}.contains(-1e300));
  CHECK(Range{}.text().empty());
  CHECK_FALSE(Range::positive().contains(0.0));
  CHECK(Range::positive().contains(5e-324));
  CHECK(Range::non_negative().contains(0.0));
  CHECK_FALSE(Range::non_negative().contains(-5e-324));
  CHECK(Range::closed(0.0, 1.0).contains(1.0));
  CHECK_FALSE((Range{0.0, 1.0, false, true}).contains(1.0));
  CHECK_FALSE(Range::closed(0.0, 1.0).contains(std::numeric_limits<double>::quiet_NaN()));
  CHECK(Range::positive().text() == "> 0");
  CHECK(Range::non_negative().text() == ">= 0");
  CHECK(Range::closed(0.0, 1.0).text() == "in [0, 1]");
  CHECK((Range{0.0, 1.0, false, true}).text() == "in [0, 1)");
  CHECK((Range{-std::numeric_limits<double>::infinity(), 2.0, false, false}).text() == "<= 2");
  CHECK((Range{-std::numeric_limits<double>::infinity(), 2.0, false, true}).text() == "< 2");
}

TEST_CASE("a table holds texts, lists, names and what is not given", "[core]") {
  const TextForm short_form = {"short", "^.{1,3}$", [](const std::string& text) -> std::optional<std::string> {
                                 return text.size() > 3 ? std::optional<std::string>("three letters") : std::nullopt;
                               }};
  std::string name = "abc", place;
  std::vector<int> steps;
  std::vector<Policy> policies = {Policy::fixed};
  std::optional<int> limit;
  std::uint64_t seed = 7;
  FieldTable table("key");
  table.add("name", &name, "default {}", &short_form)
      .add("place", &place, "any text")
      .add("steps", &steps, Range::non_negative(), "numbers")
      .add("policies", &policies, {{"fixed", Policy::fixed}, {"balanced", Policy::balanced}}, "default {}")
      .of("policy")
      .add("limit", &limit, Range::at_least(1), "no default")
      .add("seed", &seed, Range::closed(0.0, 9e15), "of random numbers")
      .required();
  CHECK(table.find("name")->meaning == "default abc");
  CHECK(table.find("policies")->meaning == "default fixed");
  CHECK(table.find("name")->has_default);
  for (const char* without : {"place", "steps", "limit", "seed"}) CHECK_FALSE(table.find(without)->has_default);

  CHECK_THAT(*table.check("name", std::string("abcd")), Equals("'name' is 'abcd', expected three letters"));
  CHECK_THAT(*table.check("place", std::string()), Equals("'place' is empty"));
  CHECK_THAT(*table.check("place", std::string("a\nb")), Contains("control character"));
  CHECK_THAT(*table.check("steps", std::int64_t{-1}), Equals("'steps' is -1, expected a value >= 0"));
  CHECK_THAT(*table.check("policies", std::string("fixd")), Equals("unknown policy 'fixd' (did you mean 'fixed'?)"));
  CHECK_THAT(*table.check("seed", std::int64_t{9100000000000000}), Contains("expected a value in [0, 9000000000000000]"));
  CHECK_THAT(*table.check("nam", std::string("a")), Equals("unknown key 'nam' (did you mean 'name'?)"));

  table.set("limit", std::int64_t{3});
  table.find("steps")->take(std::vector<std::int64_t>{2, 1});
  table.find("policies")->take(std::vector<std::string>{"balanced", "fixed"});
  table.set("seed", std::int64_t{5000000000});
  CHECK(limit == 3);
  CHECK(steps == std::vector<int>{2, 1});
  CHECK(policies == std::vector<Policy>{Policy::balanced, Policy::fixed});
  CHECK(seed == 5000000000);
}
