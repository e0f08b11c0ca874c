#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "bench/analysis/tuning.hpp"
#include "core/error.hpp"

using namespace ccp;

namespace {

enum class Colour { red, green, blue };

struct SomeSettings {
  double rho = 0.1, share = 0.999, weight = 0.0;
  int interval = 10, level = 2;
  bool on = false;
  Colour colour = Colour::red;
  std::string name = "x";
};

FieldTable fields_of(SomeSettings& s) {
  FieldTable table;
  table.add("rho", &s.rho, Range::positive(), "", "a factor")
      .add("share", &s.share, Range::closed(0.0, 1.0), "", "a share")
      .add("weight", &s.weight, Range::non_negative(), "", "a weight")
      .add("interval", &s.interval, Range::at_least(1.0), "iterations")
      .add("level", &s.level, Range::closed(0.0, 3.0), "a level")
      .add("on", &s.on, "whether")
      .add("colour", &s.colour, in_order<Colour>({"red", "green", "blue"}), "which")
      .add("name", &s.name, "a text");
  return table;
}

SearchAxis axis_of(const std::string& name, const std::string& range = "") {
  SomeSettings settings;
  return search_axis(*fields_of(settings).find(name), range);
}

}  // namespace

TEST_CASE("a setting is searched in the range that it declares, over decades where it is positive") {
  CHECK(axis_of("rho").text() == "1e-05 to 1000, over decades");
  CHECK(axis_of("share").text() == "0 to 1");
  CHECK(axis_of("interval").text() == "1 to 1000, over decades");
  CHECK(axis_of("level").text() == "0 to 3");
  CHECK(axis_of("on").text() == "false, true");
  CHECK(axis_of("colour").text() == "red, green, blue");
  CHECK(axis_of("rho", "1e-3:1e3").text() == "0.001 to 1000, over decades");
  CHECK(axis_of("rho", "1:2").text() == "1 to 2");
  CHECK(axis_of("colour", "blue|red").text() == "blue, red");
  for (const auto& [name, range] :
       {std::pair("weight", ""), std::pair("name", ""), std::pair("rho", "0:1"), std::pair("rho", "2:1"),
        std::pair("rho", "1"), std::pair("rho", "1:x"), std::pair("interval", "1:2.5"), std::pair("level", "0:4"),
        std::pair("colour", "pink")}) {
    CAPTURE(name, range);
    CHECK_THROWS_AS(axis_of(name, range), InputError);
  }
}

TEST_CASE("an axis gives values inside of it, and each whole number and choice its part") {
  const SearchAxis rho = axis_of("rho");
  CHECK(std::get<double>(rho.at(0.0)) == 1e-5);
  CHECK(std::get<double>(rho.at(0.5)) == Approx(0.1));
  CHECK(std::get<double>(rho.at(0.123)) == Approx(9.64e-5).epsilon(1e-12));  // of three digits
  CHECK(std::get<double>(rho.at(1.0 - 1e-16)) <= 1e3);
  for (int level = 0; level < 4; ++level) {
    CHECK(std::get<std::int64_t>(axis_of("level").at(0.25 * level)) == level);
    CHECK(std::get<std::int64_t>(axis_of("level").at(0.25 * level + 0.2499)) == level);
  }
  CHECK(std::get<std::int64_t>(axis_of("interval").at(1.0 - 1e-16)) == 1000);
  CHECK(std::get<std::string>(axis_of("colour").at(0.34)) == "green");
  CHECK(std::get<bool>(axis_of("on").at(0.5)));
}

TEST_CASE("candidates of a Latin hypercube have one value in each part of an axis, and the seed decides which") {
  const std::vector<SearchAxis> axes = {axis_of("rho"), axis_of("share")};
  const auto candidates = latin_candidates(axes, 20, 7);
  REQUIRE(candidates.size() == 20);
  std::set<int> decades, shares;
  for (const Candidate& candidate : candidates) {
    decades.insert(static_cast<int>(std::floor(20.0 / 8.0 * (std::log10(std::get<double>(candidate[0])) + 5.0) + 1e-3)));
    shares.insert(static_cast<int>(20.0 * std::get<double>(candidate[1])));
  }
  CHECK(decades.size() >= 19);  // three digits may carry one across
  CHECK(shares.size() >= 19);
  CHECK(latin_candidates(axes, 20, 7) == candidates);
  CHECK(latin_candidates(axes, 20, 8) != candidates);
  CHECK(latin_candidates({axis_of("colour"), axis_of("on")}, 50, 1).size() == 6);  // no more than there are
}

TEST_CASE("problems are split in two by the seed, each at least one") {
  const ProblemSplit split = split_problems(10, 0.3, 1);
  CHECK(split.held_out.size() == 3);
  std::vector<std::size_t> all = split.training;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> expected(10);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  CHECK(all == expected);
  CHECK(split_problems(10, 0.3, 1).training == split.training);
  CHECK(split_problems(10, 0.3, 2).training != split.training);
  CHECK(split_problems(2, 0.01, 1).held_out.size() == 1);
  CHECK(split_problems(2, 0.99, 1).training.size() == 1);
}

TEST_CASE("rounds of halving lead from many candidates on few problems to few on all") {
  const auto sizes = [](std::size_t candidates, std::size_t problems) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const HalvingRound& round : halving_rounds(candidates, problems))
      pairs.emplace_back(round.candidates, round.problems);
    return pairs;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  CHECK(sizes(27, 16) == Pairs{{27, 2}, {9, 6}, {3, 16}});
  CHECK(sizes(27, 2) == Pairs{{27, 2}});
  CHECK(sizes(27, 1) == Pairs{{27, 1}});
  CHECK(sizes(1, 50) == Pairs{{1, 50}});
  CHECK(sizes(4, 100) == Pairs{{4, 12}, {2, 34}, {1, 100}});
}

TEST_CASE("who costs less is better, and what is not solved counts ten times the dearest") {
  const auto scores = trial_scores({{{true, 100.0}, {true, 100.0}},
                                    {{true, 2.0}, {false, 1.0}},
                                    {{true, 10.0}, {true, 250.0}},
                                    {{false, NAN}, {false, NAN}},
                                    {{true, 100.0}, {true, 16.0}}});
  CHECK(scores[0].cost == Approx(100.0));
  CHECK(scores[1].cost == Approx(std::sqrt(2.0 * 2500.0)));
  CHECK(scores[3].cost == Approx(std::sqrt(1000.0 * 2500.0)));
  CHECK(scores[3].solved == 0);
  CHECK(trial_scores({{{true, 9.0}, {false, NAN}}})[0].cost == Approx(9.0));  // nobody solves the second
  CHECK(std::isnan(trial_scores({{{false, NAN}}})[0].cost));
  CHECK(best_first(scores) == std::vector<std::size_t>{4, 2, 1, 0, 3});
}
