#include <catch2/catch.hpp>
#include <string>

#include "bench/config/claim_source.hpp"
#include "bench/config/config.hpp"
#include "bench/fake_catalog.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;

TEST_CASE("A claim is ours, or states a paper and the place in it") {
  for (const char* own : {"ours", "ours, the aim", "ours: v = 0", "ours; (K.1)", "ours (lib/README.md, J.9)"})
    CHECK(is_ours(own));
  for (const char* other : {"Ours", "oursuite, sec. 1", "our own, p. 2", "Lee 2025, Table II; the bound is ours", ""})
    CHECK_FALSE(is_ours(other));
  for (const char* source : {"ours", "Lee 2025, Table II", "Mangoni's thesis, Tab. 5.1, of sums"})
    CHECK(is_claim_source(source));
  for (const char* none : {"Fig. 1", "Lee 2025", "Lee 2025, ", " , Fig. 1", ",", ",,", "Ours"})
    CHECK_FALSE(is_claim_source(none));
}

TEST_CASE("A config with a claim that states no place in a paper is refused; without a source the claim is ours") {
  const auto read = [](const std::string& keys) {
    return parse_config(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good", "label": "A"}],
      "claims": [{"id": "c", "says": "s", "metric": "iterations", "of": "A", "at_most": 1)" +
                            keys + "}]}",
                        "c.json", fake_catalog())
        .claims.at(0);
  };
  CHECK(read("").where == "ours");
  CHECK_FALSE(read("").set_afterwards);
  CHECK(read(R"(, "set_afterwards": true)").set_afterwards);
  CHECK(read(R"(, "where": "P, Fig. 1")").where == "P, Fig. 1");
  CHECK_THROWS_WITH(read(R"(, "where": "Fig. 1")"),
                    "c.json: /claims/0/where: 'where' is 'Fig. 1', expected \"ours\", or a paper and "
                    "the place in it with a comma between, such as \"Tasora 2021, sec. 8.1\"");
  CHECK_THROWS_WITH(read(R"(, "set_afterwards": "yes")"),
                    Catch::Contains("'set_afterwards'") && Catch::Contains("expected true or false"));
}
