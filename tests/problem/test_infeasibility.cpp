#include <catch2/catch.hpp>
#include <limits>

#include "problem/judge/infeasibility.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

namespace {

constexpr Model models[] = {Model::ccp, Model::ncp};

/// Constraints on bodies of 1 kg per degree of freedom: D, b, k = 0.
ProblemBuilder with(const DenseMatrix& D, const Vector& b) {
  ProblemBuilder builder("infeasible");
  builder.global(diagonal(Vector::Ones(D.rows())), Vector::Zero(D.rows()), sparse(D), b);
  return builder;
}

std::string found(const ContactProblem& problem, Model model) {
  const auto proof = find_infeasibility(problem, model);
  if (!proof) return "";
  CHECK(check_infeasibility(problem, model, proof->y));
  return infeasibility_text(problem, *proof);
}

/// A body between two walls that approach it: the first at 0.1 m/s, the second with a normal turned by `angle`.
ContactProblem between_walls(double angle, double first, double second) {
  DenseMatrix D = DenseMatrix::Zero(3, 6);
  D.leftCols(3) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  D.rightCols(3) << -1, 0, 0, angle, -1, 0, 0, 0, 1;
  Vector b = Vector::Zero(6);
  b[0] = first;
  b[3] = second;
  return with(D, b).contact(0.3).contact(0.3).build();
}

/// A body on a vertical guide between two belts that run at `belt` m/s; the walls close at `closing` m/s each.
ContactProblem between_belts(double belt, double closing) {
  DenseMatrix D = DenseMatrix::Zero(1, 6);
  D(0, 0) = 1.0;
  D(0, 3) = -1.0;
  Vector b = Vector::Zero(6);
  b[0] = b[3] = -closing;
  b[1] = b[4] = belt;
  return with(D, b).contact(0.3).contact(0.3).build();
}

}  // namespace

TEST_CASE("a contact that no impulse moves and that closes is named", "[infeasibility]") {
  const auto problem = [](double normal, double free) {
    DenseMatrix D = DenseMatrix::Zero(3, 6);
    D.leftCols(3).setIdentity();
    D(0, 3) = normal;
    D(1, 4) = D(2, 5) = 1.0;
    Vector b = Vector::Zero(6);
    b << -0.2, 0.1, 0.0, free, 0.1, 0.0;
    return with(D, b).contact(0.3).contact(0.3).build();
  };
  for (const Model model : models) {
    CAPTURE(model_name(model));
    const std::string text = "contact 1: no impulse changes its velocity, and it closes at 0.1 m/s";
    CHECK_THAT(found(problem(0.0, -0.1), model), Equals(text));
    CHECK_THAT(found(as_local(problem(0.0, -0.1)), model), Equals(text));
    CHECK_THAT(found(problem(0.0, 0.1), model), Equals(""));     // it separates
    CHECK_THAT(found(problem(1e-14, -0.1), model), Equals(""));  // a huge impulse moves it
    CHECK_THAT(found(problem(1e-150, -0.1), model), Equals(""));
    CHECK_THAT(found(as_local(problem(1e-7, -0.1)), model), Equals(""));
  }
}

TEST_CASE("opposing contacts are named, and those that leave room are not", "[infeasibility]") {
  for (const Model model : models) {
    CAPTURE(model_name(model));
    const std::string text =
        "contacts 0 and 1 exclude each other: whatever the impulses, one is violated by at least 0.1 m/s";
    CHECK_THAT(found(between_walls(0.0, -0.1, -0.1), model), Equals(text));
    CHECK_THAT(found(as_local(between_walls(0.0, -0.1, -0.1)), model), Equals(text));
    CHECK_THAT(found(between_walls(0.0, -0.1, 0.1), model), Equals(""));   // the walls move together
    CHECK_THAT(found(between_walls(0.0, -0.1, 0.11), model), Equals(""));  // they give way
    // Walls that are not parallel: the body escapes, if only at 2e11 m/s.
    for (const double angle : {1e-3, 1e-12}) CHECK_THAT(found(between_walls(angle, -0.1, -0.1), Model::ncp), Equals(""));
  }
}

TEST_CASE("joints that contradict each other are named, and redundant ones are not", "[infeasibility]") {
  const auto loop = [](double mismatch) {
    DenseMatrix D(2, 3);
    D << 1.0, 0.6, 0.1, 0.3, 0.7, 0.0;
    D.col(2) = 2.0 * D.col(0) - 3.0 * D.col(1);
    Vector b(3);
    b << 0.4, 0.3, 2.0 * 0.4 - 3.0 * 0.3 + mismatch;
    return with(D, b).bilateral().bilateral().bilateral().build();
  };
  for (const Model model : models) {
    CHECK_THAT(found(loop(0.6), model),
               Equals("bilateral rows 0, 1 and 2 contradict each other: whatever the impulses, one is violated by at least "
                      "0.1 m/s"));
    CHECK_THAT(found(as_local(loop(0.6)), model), StartsWith("bilateral rows 0, 1 and 2 contradict each other"));
    CHECK_THAT(found(loop(0.0), model), Equals(""));
    CHECK_THAT(found(loop(1e-12), model), Equals(""));  // rounding of a loop
  }
  // A stop against a motor that is told to go through it.
  const ContactProblem stop =
      with((DenseMatrix(1, 2) << 1.0, 1.0).finished(), (Vector(2) << -0.2, 0.2).finished()).unilateral().bilateral().build();
  CHECK_THAT(found(stop, Model::ncp), StartsWith("unilateral row 0, bilateral row 0 exclude each other"));
}

TEST_CASE("between moving belts the convex model has no solution, and Coulomb's law has one", "[infeasibility]") {
  CHECK_THAT(found(between_belts(1.0, 0.0), Model::ccp), StartsWith("contacts 0 and 1 exclude each other"));
  CHECK_THAT(found(between_belts(1.0, 0.0), Model::ncp), Equals(""));  // v = 0, both slip
  CHECK_THAT(found(between_belts(0.0, 0.0), Model::ccp), Equals(""));
  CHECK_THAT(found(between_belts(1.0, 0.1), Model::ncp), StartsWith("contacts 0 and 1 exclude each other"));
}

TEST_CASE("a certificate is refused unless all of it holds", "[infeasibility]") {
  const ContactProblem walls = between_walls(0.0, -0.1, -0.1);
  Vector y = Vector::Zero(6);
  y[0] = y[3] = 2.0;
  for (const Model model : models) {
    const auto proof = check_infeasibility(walls, model, y);
    REQUIRE(proof);
    CHECK(proof->speed == Approx(0.1));
    CHECK(proof->blocks == std::vector<Index>{0, 1});
    CHECK_FALSE(check_infeasibility(walls, model, -y));         // pulls
    CHECK_FALSE(check_infeasibility(walls, model, 0.0 * y));    // nothing
    CHECK_FALSE(check_infeasibility(walls, model, y.head(3)));  // of another size
    Vector off = y;
    off[3] *= 1.0 + 1e-14;
    CHECK_FALSE(check_infeasibility(walls, model, off));  // moves the body
    off[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(check_infeasibility(walls, model, off));
  }
  Vector tangents = y;  // within the cones and moving nothing, but of no use where û is not u
  tangents[1] = tangents[4] = 0.5;
  CHECK(check_infeasibility(walls, Model::ccp, tangents));
  CHECK_FALSE(check_infeasibility(walls, Model::ncp, tangents));
  tangents[1] = tangents[4] = 0.7;
  CHECK_FALSE(check_infeasibility(walls, Model::ccp, tangents));
}

TEST_CASE("random problems that have a solution are never called infeasible", "[infeasibility]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    RandomShape shape{3, 6, 2, 2, 3};
    shape.coupled_mass = seed % 2 == 0;
    for (const ContactProblem& problem : {random_problem(seed, shape), as_local(random_problem(seed, shape))})
      for (const Model model : models) {
        CAPTURE(seed, model_name(model));
        CHECK_THAT(found(problem, model), Equals(""));
      }
  }
}
