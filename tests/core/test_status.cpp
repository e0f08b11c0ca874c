#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/status.hpp"

using namespace ccp;

TEST_CASE("the status table stands in the order of the enum", "[core]") {
  const auto& all = all_statuses();
  REQUIRE(all.size() == static_cast<std::size_t>(Status::interrupted) + 1);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(static_cast<std::size_t>(all[i]) == i);
}

TEST_CASE("status names are unique and lead back to their status", "[core]") {
  std::set<std::string_view> names;
  for (const Status status : all_statuses()) {
    names.insert(status_name(status));
    CHECK(status_from_name(status_name(status)) == status);
    CHECK_FALSE(status_meaning(status).empty());
    CHECK(status_meaning(status).find('\n') == std::string_view::npos);
  }
  CHECK(names.size() == all_statuses().size());
}

TEST_CASE("status names are those written to files", "[core]") {
  CHECK(status_name(Status::solved) == "solved");
  CHECK(status_name(Status::iteration_limit) == "iteration_limit");
  CHECK(status_name(Status::infeasible) == "infeasible");
  CHECK(status_name(Status::false_converged) == "false_converged");
  CHECK(status_name(Status::out_of_memory) == "out_of_memory");
  CHECK(status_name(Status::interrupted) == "interrupted");
}

TEST_CASE("an unknown status name is no status", "[core]") {
  CHECK_FALSE(status_from_name("converged"));
  CHECK_FALSE(status_from_name("Solved"));
  CHECK_FALSE(status_from_name(""));
}
