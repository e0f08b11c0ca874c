#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/product_cone.hpp"
#include "solvers/fixed_point/jacobi_loop.hpp"
#include "solvers/gradient/apgd_loops.hpp"

using namespace ccp;
using namespace ccp::test;

namespace {

void for_each_set(const std::function<void(const ConstraintSet&)>& check) {
  for (const int count : {1, 9, 64, 65, 256}) {
    CAPTURE(count);
    check(contacts_3d(count, 61));
    check(mixed_constraints(count, 62));
  }
}

void for_each_version(const std::function<void(InstructionSet)>& check) {
  for (const InstructionSet version : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!can_run(version)) continue;
    CAPTURE(static_cast<int>(version));
    check(version);
  }
}

Vector random_vector(Index size, Uniform& uniform, double low = -2.0) {
  Vector x(size);
  for (double& entry : x) entry = uniform(low, 2.0);
  return x;
}

/// One number of a block for all its rows.
Vector by_rows(const ConstraintSet& set, const Vector& of_blocks) {
  Vector rows(set.rows());
  for (Index i = 0; i < set.count(); ++i) rows.segment(set.offset(i), set.rows(i)).setConstant(of_blocks[i]);
  return rows;
}

/// Σ over the blocks of the sums of their rows, divided by `divisor` of the block, in order.
double block_sum(const ConstraintSet& set, const Vector& rows, const Vector& divisor) {
  double total = 0.0;
  for (Index i = 0; i < set.count(); ++i) {
    double sum = rows[set.offset(i)];
    for (Index k = 1; k < set.rows(i); ++k) sum += rows[set.offset(i) + k];
    total += sum / divisor[i];
  }
  return total;
}

Vector projected(const ConstraintSet& set, Vector x) {
  project_product(set, x);
  return x;
}

}  // namespace

TEST_CASE("the loops of APGD have the bits of its formulas, with every instruction set", "[solvers][gradient]") {
  for_each_set([](const ConstraintSet& set) {
    Uniform uniform(63);
    const Index rows = set.rows();
    const double beta = 0.37, step = 0.21;
    const Vector gamma = random_vector(rows, uniform), previous = random_vector(rows, uniform),
                 product = random_vector(rows, uniform), previous_product = random_vector(rows, uniform),
                 r = random_vector(rows, uniform), next_product = random_vector(rows, uniform),
                 scale = random_vector(set.count(), uniform, 0.1), ones = Vector::Ones(set.count());
    const Vector y = gamma + beta * (gamma - previous), g = product + beta * (product - previous_product) + r;
    const Vector next = projected(set, y - step * g), d = next - y;
    const Vector by = product + beta * (product - previous_product), e = next_product - by;
    const Vector s = by_rows(set, scale), u = next_product + r, apart = next - projected(set, next - s.cwiseProduct(u));
    for_each_version([&](InstructionSet version) {
      Vector found(rows);
      const ApgdVectors at{
          set,      beta,         step,         gamma.data(),       previous.data(), product.data(), previous_product.data(),
          r.data(), scale.data(), found.data(), next_product.data()};
      const auto [square, slope] = apgd_loops(version).project(at, 0, set.count());
      CHECK(same_bits(found, next));
      CHECK(square == block_sum(set, d.cwiseAbs2(), ones));
      CHECK(slope == block_sum(set, g.cwiseProduct(next - gamma), ones));
      const auto [curvature, size, residual] = apgd_loops(version).examine(at, 0, set.count());
      CHECK(curvature == block_sum(set, d.cwiseProduct(e), ones));
      CHECK(size == block_sum(set, next.cwiseAbs2(), ones));
      CHECK(residual == block_sum(set, apart.cwiseAbs2(), scale.cwiseAbs2()));
    });
  });
}

TEST_CASE("the loop of Jacobi has the bits of its formula, with every instruction set", "[solvers][fixed_point]") {
  for_each_set([](const ConstraintSet& set) {
    Uniform uniform(64);
    const Index rows = set.rows();
    const double lambda = 0.83;
    Vector gamma = random_vector(rows, uniform);
    const Vector r = random_vector(rows, uniform), product = random_vector(rows, uniform),
                 step = random_vector(set.count(), uniform, 0.1);
    const Vector moved = gamma - by_rows(set, step).cwiseProduct(product + r);
    const Vector next = lambda * projected(set, moved) + (1.0 - lambda) * gamma;
    for_each_version([&](InstructionSet version) {
      Vector found = product;
      const Largest largest =
          jacobi_loop(version)({set, lambda, gamma.data(), r.data(), step.data(), found.data()}, 0, set.count());
      CHECK(same_bits(found, next));
      CHECK(largest.change == (next - gamma).cwiseAbs().maxCoeff());
      CHECK(largest.impulse == next.cwiseAbs().maxCoeff());
    });
  });
}

TEST_CASE("a NaN is none of the largest components of Jacobi", "[solvers][fixed_point]") {
  const ConstraintSet set = contacts_3d(20, 65);
  Vector gamma = Vector::Zero(set.rows()), r = gamma;
  const Vector step = Vector::Ones(set.count());
  r.segment<3>(0).setConstant(std::numeric_limits<double>::quiet_NaN());
  r[3 * 7] = -4.0;  // pushes contact 7 to γ_n = 4
  for_each_version([&](InstructionSet version) {
    Vector found = Vector::Zero(set.rows());
    const Largest largest = jacobi_loop(version)({set, 1.0, gamma.data(), r.data(), step.data(), found.data()}, 0, 20);
    CHECK(std::isnan(found[0]));
    CHECK(largest.change == 4.0);
    CHECK(largest.impulse == 4.0);
  });
}
