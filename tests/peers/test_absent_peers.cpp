#include <catch2/catch.hpp>
#include <set>

#include "peers/peers.hpp"
#include "solvers/registry.hpp"
#include "support/environment.hpp"

/// What is known of the peers where none is installed. In a process of its own: what a peer once said of itself is kept.
using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;

TEST_CASE("every peer says what it is, of which school, and what it takes; those of one program share its version") {
  const Variable folder("CCPBENCH_PEER_FOLDER", "/nowhere"), python("CCPBENCH_CVXOPT_PYTHON", "/nowhere/python3"),
      other("CCPBENCH_SICONOS_PYTHON", "/nowhere/python3");
  std::set<std::string> schools, names;
  for (const std::string& name : peer_solver_names()) {
    CAPTURE(name);
    const auto peer = make_peer_solver(name);
    REQUIRE(peer != nullptr);
    CHECK(names.insert(name).second);
    CHECK(peer->info().name == name);
    CHECK_FALSE(peer->info().title.empty());
    CHECK_FALSE(peer->info().reference.empty());
    CHECK(peer->info().models.size() == 1);
    CHECK(peer->info().native.front().name == name.substr(0, name.find('/')) + "_error");
    CHECK_THAT(peer->takes(), Contains("contacts of three rows") || Contains("rolling friction"));
    CHECK(peer->version() == "absent");
    schools.insert(peer->school());
    CHECK(school_of(*peer) == peer->school());
  }
  CHECK(schools == std::set<std::string>{"nonsmooth dynamics", "general optimisation", "physics engines"});
  CHECK(school_of(*make_solver("nsgs")) == "ours");
  CHECK(names.size() == 38);
  CHECK(make_peer_solver("dart/lemke") == nullptr);
}
