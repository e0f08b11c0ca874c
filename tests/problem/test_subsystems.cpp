#include <catch2/catch.hpp>
#include <limits>

#include "core/error.hpp"
#include "problem/block_partition.hpp"
#include "problem/perturbation.hpp"
#include "support/small_problems.hpp"
#include "support/trees.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;

namespace {

/// The single defect of a builder with this data in place of that of the tree.
std::string defect_of(const TreeProblem& tree, const Subsystems& data) {
  const auto defects = tree.builder().subsystems(data).defects();
  REQUIRE(defects.size() == 1);
  CHECK_THROWS_AS(tree.builder().subsystems(data).build(), InputError);
  return defects[0];
}

}  // namespace

TEST_CASE("subsystems that fit are kept with the problem, and with its neighbours") {
  const TreeProblem tree = branched_trees(1);
  const ContactProblem problem = tree.problem();
  REQUIRE(problem.subsystems() != nullptr);
  CHECK(problem.subsystems()->start == tree.subsystems.start);
  CHECK(problem.subsystems()->parts() == tree.subsystems.parts());
  CHECK(problem.subsystems()->size(1) == 3);
  CHECK(problem.subsystems()->owner()[8] == 1);
  const ContactProblem neighbour = perturbed(problem, {.noise = 0.1, .seed = 3});
  REQUIRE(neighbour.subsystems() != nullptr);
  CHECK(neighbour.subsystems()->row == problem.subsystems()->row);
  CHECK(tree.builder().build().subsystems() == nullptr);
}

TEST_CASE("subsystems that do not fit are refused by name") {
  const TreeProblem tree = branched_trees(2);
  const Subsystems& good = tree.subsystems;
  REQUIRE(tree.builder().subsystems(good).defects().empty());

  Subsystems data = good;
  data.parent[2] = 4;
  CHECK_THAT(defect_of(tree, data), Contains("dof 2 of subsystem 0 has parent 4") && Contains("cycle"));
  data = good;
  data.parent[3] = 3;
  CHECK_THAT(defect_of(tree, data), Contains("dof 3 of subsystem 0 has parent 3"));
  data = good;
  data.parent[7] = 1;  // of the other subsystem
  CHECK_THAT(defect_of(tree, data), Contains("dof 7 of subsystem 1 has parent 1"));
  data = good;
  data.parent[0] = -2;
  CHECK_THAT(defect_of(tree, data), Contains("parent -2"));
  data = good;
  data.parent.pop_back();
  CHECK_THAT(defect_of(tree, data), Contains("parents of 8 dofs, expected 9"));

  data = good;
  data.start.back() = 8;
  CHECK_THAT(defect_of(tree, data), Contains("ranges of the subsystems are not ascending from 0 to 9"));
  data = good;
  data.start = {0, 6, 6, 9};
  CHECK_THAT(defect_of(tree, data), Contains("not ascending"));
  data = good;
  data.start.clear();
  CHECK_THAT(defect_of(tree, data), Contains("not ascending"));
  data = good;
  data.start = {0, 5, 9};  // dof 5 hangs on dof 4
  data.parent[5] = -1;
  data.parent[6] = -1;
  CHECK_THAT(tree.builder().subsystems(data).defects().at(0), Contains("couples two subsystems"));
  data = good;
  data.parent[5] = 3;  // H couples 4 and 5
  CHECK_THAT(tree.builder().subsystems(data).defects().at(0), Contains("H(4,5) couples two dofs of a subsystem"));
}

TEST_CASE("parts that are not parts of D are refused by name") {
  const TreeProblem tree = branched_trees(3);
  const Subsystems& good = tree.subsystems;

  Subsystems data = good;
  data.row[1][0] += 1e-9;
  CHECK_THAT(defect_of(tree, data), Contains("parts of constraint 0 do not add up"));
  data.row[1][0] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(defect_of(tree, data), Contains("parts of constraint 0 do not add up"));
  data = good;
  data.row[1][0] *= 1.0 + 1e-14;
  CHECK(tree.builder().subsystems(data).defects().empty());
  data = good;
  data.constraint[0] = 1;
  CHECK_THAT(defect_of(tree, data), Contains("part 1 belongs to constraint 0"));
  data = good;
  data.constraint.back() = 99;
  CHECK_THAT(defect_of(tree, data), Contains("belongs to constraint 99"));
  data = good;
  data.last[0] = 9;
  CHECK_THAT(defect_of(tree, data), Contains("part 0 of constraint 0 has last dof 9"));
  data = good;
  data.last[0] = 3;  // the other branch
  CHECK_THAT(defect_of(tree, data), Contains("part 0 of constraint 0 acts on dof 4") && Contains("last dof 3"));

  data = good;
  data.mass[data.last[0]] = 0.0;
  CHECK_THAT(defect_of(tree, data), Contains("constraints and mass 0, expected a positive"));
  data = good;
  data.mass = Vector::Ones(3);
  CHECK_THAT(defect_of(tree, data), Contains("mass has 3 entries, expected 9"));
  data = good;
  data.mass = Vector();
  CHECK(tree.builder().subsystems(data).defects().empty());

  const ContactProblem local = as_local(tree.problem());
  ProblemBuilder builder;
  builder.local(local.local().N, local.local().r).constraints(local.constraints()).subsystems(good);
  CHECK_THROWS_WITH(builder.build(), Contains("subsystems need the global form"));
  CHECK_THROWS_AS(data.add_part(0, 1, {0, 1}, DenseMatrix::Zero(3, 3)), std::logic_error);
}

TEST_CASE("chains have one part for each subsystem that a constraint acts on") {
  const ContactProblem problem = random_problem(4, {3, 5, 1, 1, 1});
  const Subsystems chains = chain_subsystems(problem.constraints(), problem.global().D, problem.mass().blocks().start);
  CHECK(chains.start == std::vector<Index>{0, 6, 12, 18});
  CHECK(chains.parent[6] == -1);
  CHECK(chains.parent[11] == 10);
  CHECK(chains.parts() == 2 * problem.constraints().count());
  CHECK(subsystem_defects(chains, problem.constraints(), problem.global().H, problem.global().D).empty());
  const Subsystems whole = chain_subsystems(problem.constraints(), problem.global().D, {0, 18});
  CHECK(whole.parts() == problem.constraints().count());
  CHECK(whole.last.front() == 17);
  CHECK(subsystem_defects(whole, problem.constraints(), problem.global().H, problem.global().D).empty());
}

TEST_CASE("the finest groups of dofs are of any size") {
  DenseMatrix H = 2.0 * DenseMatrix::Identity(12, 12);
  H(1, 9) = H(9, 1) = 0.5;
  CHECK(finest_groups(sparse(H)).start == std::vector<Index>{0, 1, 10, 11, 12});
  CHECK(find_body_blocks(sparse(H)).empty());
}
