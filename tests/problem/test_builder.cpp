#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;

namespace {

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

struct Parts {
  DenseMatrix H = DenseMatrix::Identity(3, 3), D = DenseMatrix::Identity(3, 3);
  Vector k = Vector3::Zero(), b = Vector3::Zero();
  double mu = 0.5;

  ProblemBuilder builder() const {
    ProblemBuilder builder;
    builder.global(sparse(H), k, sparse(D), b).contact(mu);
    return builder;
  }
};

/// The single defect of a builder.
std::string only_defect(const ProblemBuilder& builder) {
  const auto defects = builder.defects();
  REQUIRE(defects.size() == 1);
  CHECK_THROWS_WITH(builder.build(), Contains(defects[0]));
  return defects[0];
}

}  // namespace

TEST_CASE("every defect has a message of its own") {
  CHECK(Parts().builder().defects().empty());
  Parts parts;
  parts.H(2, 2) = quiet_nan;
  CHECK_THAT(only_defect(parts.builder()), Contains("H(2,2) is nan"));
  parts = Parts();
  parts.H(1, 1) = -1.0;
  CHECK_THAT(only_defect(parts.builder()), Contains("H(1,1) is -1"));
  parts = Parts();
  parts.D.resize(3, 2);
  parts.D.setZero();
  CHECK_THAT(only_defect(parts.builder()), Contains("D is 3×2, expected 3×3"));
  parts = Parts();
  parts.D(1, 0) = std::numeric_limits<double>::infinity();
  CHECK_THAT(only_defect(parts.builder()), Contains("D(1,0) is inf"));
  parts = Parts();
  parts.k = Vector::Zero(4);
  CHECK_THAT(only_defect(parts.builder()), Contains("k has 4 entries, expected 3"));
  parts = Parts();
  parts.b[1] = quiet_nan;
  CHECK_THAT(only_defect(parts.builder()), Contains("b(1) is nan"));
  for (const double mu : {-0.1, quiet_nan, std::numeric_limits<double>::infinity()}) {
    parts = Parts();
    parts.mu = mu;
    CHECK_THAT(only_defect(parts.builder()), Contains("friction coefficient 0"));
  }
  CHECK_THAT(only_defect(ProblemBuilder().contact(0.5)), Contains("no matrices"));
  CHECK_THAT(only_defect(Parts().builder().local(sparse(DenseMatrix::Identity(3, 3)), Vector3::Zero())), Contains("both"));
  CHECK_THAT(only_defect(ProblemBuilder().local(sparse(DenseMatrix::Identity(2, 2)), Vector3::Zero()).contact(0.5)),
             Contains("N is 2×2"));
  CHECK_THAT(only_defect(ProblemBuilder().local(sparse(DenseMatrix::Identity(3, 3)), Vector2::Zero()).contact(0.5)),
             Contains("r has 2 entries"));
}

TEST_CASE("defects of compliance, cohesion and soft rows") {
  DenseMatrix C = DenseMatrix::Zero(3, 3);
  C(0, 0) = -1.0;
  CHECK_THAT(only_defect(Parts().builder().compliance(sparse(C))), Contains("positive semidefinite"));
  ProblemBuilder two;
  two.global(sparse(DenseMatrix::Identity(2, 2)), Vector2::Zero(), sparse(DenseMatrix::Identity(2, 2)), Vector2::Zero());
  two.unilateral().unilateral().compliance(sparse(DenseMatrix::Ones(2, 2)));
  CHECK_THAT(only_defect(two), Contains("couples two constraints"));
  ProblemBuilder cohesive;
  cohesive.global(sparse(DenseMatrix::Identity(3, 3)), Vector3::Zero(), sparse(DenseMatrix::Identity(3, 3)),
                  Vector3::Zero());
  CHECK_THAT(only_defect(cohesive.cohesive_contact(0.5, -1.0)), Contains("cohesion of row 0 is -1"));
  ProblemBuilder soft;
  soft.global(sparse(DenseMatrix::Identity(1, 1)), Vector::Zero(1), sparse(DenseMatrix::Identity(1, 1)), Vector::Zero(1));
  CHECK_THAT(only_defect(soft.soft(1.0, 0.0, 0.0)), Contains("damping of soft row 0"));
}

TEST_CASE("unsorted and repeated entries are put in order") {
  // Filled by hand, because Eigen's own ways of filling check the order.
  const auto raw = [](const std::vector<int>& starts, const std::vector<int>& rows, const std::vector<double>& values) {
    SparseMatrix matrix(3, 3);
    matrix.resizeNonZeros(static_cast<Index>(values.size()));
    std::copy(starts.begin(), starts.end(), matrix.outerIndexPtr());
    std::copy(rows.begin(), rows.end(), matrix.innerIndexPtr());
    std::copy(values.begin(), values.end(), matrix.valuePtr());
    return matrix;
  };
  const SparseMatrix D = raw({0, 2, 3, 4}, {0, 0, 1, 2}, {0.25, 0.75, 1.0, 1.0});
  ProblemBuilder builder;
  builder.global(diagonal(Vector3::Constant(2.0)), Vector3(-2.0, 0.0, 0.0), D, Vector3::Zero()).contact(0.5);
  const ContactProblem problem = builder.build();
  CHECK(DenseMatrix(problem.global().D) == DenseMatrix::Identity(3, 3));
  CHECK(problem.assembled().diagonal_block(0)(0, 0) == 0.5);
  const SparseMatrix N = raw({0, 2, 4, 5}, {1, 0, 1, 0, 2}, {0.5, 2.0, 2.0, 0.5, 2.0});
  ProblemBuilder local;
  CHECK(local.local(N, Vector3(-1, 0, 0)).contact(0.5).build().symmetry_defect() == 0.0);
}

TEST_CASE("H is compared with its transpose entry by entry, whatever its largest entry is") {
  Parts parts;
  parts.H = Vector3(1e12, 10.0, 10.0).asDiagonal();
  parts.H(1, 2) = 5.0;
  CHECK(parts.builder().build().mass_asymmetry() == 0.5);
}

TEST_CASE("a soft row that overflows is a defect") {
  ProblemBuilder soft;
  soft.global(sparse(DenseMatrix::Identity(1, 1)), Vector::Zero(1), sparse(DenseMatrix::Identity(1, 1)), Vector::Zero(1));
  CHECK_THAT(only_defect(soft.soft(1e300, 1e-300, 1.0)), Contains("no finite"));
}

TEST_CASE("many defects make one line") {
  Parts parts;
  parts.mu = -1.0;
  parts.H(0, 0) = parts.D(0, 0) = parts.k[0] = parts.b[0] = quiet_nan;
  const auto builder = parts.builder();
  CHECK(builder.defects().size() == 5);
  try {
    builder.build();
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("and 2 more defects"));
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
  }
}

TEST_CASE("a cohesive contact holds up to its cohesion") {
  // Pulled up with free velocity 1 m/s on 2 kg: 2 N·s hold it. With c = 3 it sticks at γ = −2, with c = 1 it leaves with −1.
  for (const double cohesion : {3.0, 1.0}) {
    ProblemBuilder builder;
    builder.global(diagonal(Vector3::Constant(2.0)), Vector3(2.0, 0, 0), sparse(DenseMatrix::Identity(3, 3)),
                   Vector3::Zero());
    const ContactProblem problem = builder.cohesive_contact(0.5, cohesion).build();
    const double expected = cohesion == 3.0 ? -2.0 : -1.0;
    const Vector shifted = Vector3(expected, 0, 0) + problem.impulse_shift();
    for (const Model model : {Model::ccp, Model::ncp}) {
      Judge judge(problem, model);
      CHECK(judge.evaluate(Measure::velocity_residual, {&shifted, nullptr}) <= 1e-15);
      CHECK(judge.local_velocity()[0] == Approx(cohesion == 3.0 ? 0.0 : 0.5).margin(1e-15));
    }
  }
  // The same in local form.
  ProblemBuilder builder;
  const ContactProblem local =
      builder.local(diagonal(Vector3::Constant(0.5)), Vector3(1.0, 0, 0)).cohesive_contact(0.5, 1.0).build();
  const Vector at_limit = Vector3::Zero();
  CHECK(Judge(local, Model::ncp).evaluate(Measure::velocity_residual, {&at_limit, nullptr}) <= 1e-15);
}

TEST_CASE("a soft row is a spring and a damper") {
  // γ = −k e − c v with m v = p + γ: v = (p − k e)/(m + c).
  const double m = 2.0, p = 3.0, k = 10.0, c = 4.0, e = 0.1;
  ProblemBuilder builder;
  builder.global(diagonal(Vector::Constant(1, m)), Vector::Constant(1, p), diagonal(Vector::Ones(1)), Vector::Zero(1));
  const ContactProblem problem = builder.soft(k, c, e).build();
  const double v = (p - k * e) / (m + c);
  const Vector gamma = Vector::Constant(1, -k * e - c * v);
  Judge judge(problem, Model::ccp);
  CHECK(judge.evaluate(Measure::velocity_residual, {&gamma, nullptr}) <= 1e-15);
}
