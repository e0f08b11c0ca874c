#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/product_cone.hpp"
#include "solvers/fixed_point/group_loops.hpp"
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

/// The sum of terms as ApgdLoops takes it: for each place in parts of 64 blocks its own, and these in halves.
double part_sum(const ConstraintSet& set, const Vector& rows) {
  Vector sums = Vector::Zero(192);
  for (Index begin = 0; begin < set.count(); begin += 64) {
    const Index first = set.offset(begin), last = set.offsets()[static_cast<std::size_t>(std::min(begin + 64, set.count()))];
    sums.head(last - first) += rows.segment(first, last - first);
  }
  for (const Index half : {96, 48, 24}) sums.head(half) = (sums.head(half) + sums.segment(half, half)).eval();
  const Vector eight = sums.head(8) + (sums.segment(8, 8) + sums.segment(16, 8));
  return ((eight[0] + eight[4]) + (eight[2] + eight[6])) + ((eight[1] + eight[5]) + (eight[3] + eight[7]));
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
                 scale = random_vector(set.count(), uniform, 0.1);
    const Vector y = gamma + beta * (gamma - previous), g = product + beta * (product - previous_product) + r;
    const Vector next = projected(set, y - step * g), d = next - y;
    const Vector e = next_product - (product + beta * (product - previous_product));
    const Vector s = by_rows(set, scale), inverse = by_rows(set, scale.cwiseInverse()), u = product + r;
    const Vector apart = (gamma - projected(set, gamma - s.cwiseProduct(u))).cwiseProduct(inverse);
    for_each_version([&](InstructionSet version) {
      const ApgdLoops& loops = apgd_loops(version);
      const bool far = version == InstructionSet::avx2;  // only a hint
      Vector found(rows);
      const ApgdVectors at{
          set,      beta,         step,         gamma.data(), previous.data(), product.data(), previous_product.data(),
          r.data(), scale.data(), found.data(), far};
      const auto [square, slope] = loops.project(at, 0, set.count());
      CHECK(same_bits(found, next));
      CHECK(square == part_sum(set, d.cwiseAbs2()));
      CHECK(slope == part_sum(set, g.cwiseProduct(next - gamma)));
      CHECK(loops.curvature(at, next_product.data(), 0, set.count())[0] == part_sum(set, d.cwiseProduct(e)));
      CHECK(loops.residual(at, 0, set.count())[0] == part_sum(set, apart.cwiseAbs2()));
      const ConstraintSet plain = contacts_3d(static_cast<int>(rows / 3), 68);
      const Index size = plain.rows();
      CHECK(loops.distance(size, beta, next.data(), gamma.data(), previous.data()) ==
            part_sum(plain, d.head(size).cwiseAbs2()));
    });
  });
}

/// Three numbers of each contact, or one, as a group has them in lanes.
Vector in_lanes(const Vector& numbers, Index each) {
  const Index count = numbers.size() / each;
  Vector lanes = Vector::Zero((count + lane_count - 1) / lane_count * lane_count * each);
  for (Index k = 0; k < count; ++k)
    for (Index c = 0; c < each; ++c) lanes[each == 3 ? lane_place(k) + c * lane_count : k] = numbers[each * k + c];
  return lanes;
}

TEST_CASE("the loops of groups have the bits of their formulas, with every instruction set", "[solvers][fixed_point]") {
  for (const Index count : {1, 3, 8, 9, 15, 16}) {
    // The same with one contact whose squares overflow: it takes the projection that all take alone.
    for (const double scale : {1.0, 1e160}) {
      CAPTURE(count, scale);
      const ConstraintSet set = contacts_3d(static_cast<int>(count), 66);
      Uniform uniform(67);
      const Vector r = random_vector(3 * count, uniform), product = random_vector(3 * count, uniform),
                   step = random_vector(count, uniform, 0.1);
      Vector gamma = random_vector(3 * count, uniform);
      gamma.tail<3>() *= scale;
      const Vector nearest = projected(set, gamma - by_rows(set, step).cwiseProduct(product + r));
      const Vector lane_r = in_lanes(r, 3), lane_product = in_lanes(product, 3), lane_step = in_lanes(step, 1),
                   friction = in_lanes(Eigen::Map<const Vector>(set.frictions().data(), count), 1);
      for (const double lambda : {1.0, 0.7}) {
        const Vector next = lambda == 1.0 ? nearest : Vector(lambda * nearest + (1.0 - lambda) * gamma);
        for_each_version([&](InstructionSet version) {
          for (const bool relax : {true, false}) {
            Vector found = in_lanes(gamma, 3), delta = found;
            const Vector updated = in_lanes(nearest, 3);
            LaneLargest largest;
            largest.change[5] = 0.125;
            largest.impulse[6] = 0.25;
            const GroupVectors at{(count + 7) / 8, lambda, found.data(), lane_product.data(), lane_r.data(), delta.data()};
            const bool changed = relax ? group_loops(version).relax(at, lane_step.data(), friction.data(), largest)
                                       : group_loops(version).accept(at, updated.data(), largest);
            CHECK(changed);
            CHECK(same_bits(found, in_lanes(next, 3)));
            CHECK(same_bits(delta, in_lanes(next - gamma, 3)));
            CHECK(largest.all().change == std::max(0.125, (next - gamma).cwiseAbs().maxCoeff()));
            CHECK(largest.all().impulse == std::max(0.25, next.cwiseAbs().maxCoeff()));
          }
        });
      }
    }
  }
}

TEST_CASE("a group knows whether it has changed, and a NaN is a change", "[solvers][fixed_point]") {
  for_each_version([](InstructionSet version) {
    for (const double entry : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Vector gamma = Vector::Ones(48), updated = gamma, delta(48);
      updated[40] = entry;
      LaneLargest largest;
      const GroupVectors at{2, 1.0, gamma.data(), nullptr, nullptr, delta.data()};
      CHECK(group_loops(version).accept(at, updated.data(), largest) == std::isnan(entry));
      CHECK(largest.all().change == 0.0);
      CHECK(largest.all().impulse == 1.0);
    }
  });
}

TEST_CASE("a NaN in a velocity reaches its impulse, in its contact alone", "[solvers][fixed_point]") {
  for_each_version([](InstructionSet version) {
    const ConstraintSet set = contacts_3d(16, 66);
    Vector gamma = Vector::Ones(48), delta(48), product = Vector::Zero(48);
    const Vector r = Vector::Zero(48), step = Vector::Ones(16);
    product[lane_place(11)] = std::numeric_limits<double>::quiet_NaN();
    LaneLargest largest;
    const GroupVectors at{2, 1.0, gamma.data(), product.data(), r.data(), delta.data()};
    CHECK(group_loops(version).relax(at, step.data(), set.frictions().data(), largest));
    for (Index k = 0; k < 16; ++k) CHECK(std::isnan(gamma[lane_place(k)]) == (k == 11));
    CHECK(std::isfinite(largest.all().impulse));
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
