#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/product_cone.hpp"
#include "kernels/kernels.hpp"
#include "kernels/planar_contact.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

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

/// The sum of terms as ApgdLoops take it: for each place in parts of 64 blocks its own, and these in halves.
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

BlockRows rows_of(const ConstraintSet& set) { return {set.count(), set.all_contacts_3d() ? nullptr : set.offsets().data()}; }

void project_part(const void* set, Index begin, Index end, const double* from, double* to) {
  project_blocks(*static_cast<const ConstraintSet*>(set), begin, end, from, to);
}

Vector projected(const ConstraintSet& set, Vector x) {
  project_product(set, x);
  return x;
}

}  // namespace

TEST_CASE("the loops of APGD have the bits of its formulas, with every instruction set", "[kernels]") {
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
      const ApgdLoops& loops = kernels(version).apgd;
      Vector found(rows);
      const ApgdVectors at{rows_of(set),   {&set, project_part},    beta,     step,         gamma.data(), previous.data(),
                           product.data(), previous_product.data(), r.data(), scale.data(), found.data()};
      const auto [square, slope] = loops.project(at, 0, set.count());
      CHECK(same_bits(found, next));
      CHECK(square == part_sum(set, d.cwiseAbs2()));
      CHECK(slope == part_sum(set, g.cwiseProduct(next - gamma)));
      CHECK(loops.curvature(at, next_product.data(), 0, set.count()) == part_sum(set, d.cwiseProduct(e)));
      CHECK(loops.residual(at, 0, set.count()) == part_sum(set, apart.cwiseAbs2()));
      const ConstraintSet plain = contacts_3d(static_cast<int>(rows / 3), 68);
      const Index size = plain.rows();
      CHECK(loops.distance(size, beta, next.data(), gamma.data(), previous.data()) ==
            part_sum(plain, d.head(size).cwiseAbs2()));
    });
  });
}

double all(const double (&lanes)[lane_count]) { return *std::max_element(lanes, lanes + lane_count); }

/// So many numbers of each contact, as a group has them in lanes.
Vector in_lanes(const Vector& numbers, Index each) {
  const Index count = numbers.size() / each;
  Vector lanes = Vector::Zero((count + lane_count - 1) / lane_count * lane_count * each);
  for (Index k = 0; k < count; ++k)
    for (Index c = 0; c < each; ++c) lanes[lane_place(k, each) + c * lane_count] = numbers[each * k + c];
  return lanes;
}

/// N_ii of contacts in the plane, four numbers each.
Vector planar_matrices(Index count, Uniform& uniform) {
  Vector matrices(4 * count);
  for (Index k = 0; k < count; ++k) {
    const Matrix2 root = uniform.matrix(2, 2);
    matrices.segment<4>(4 * k) = Matrix2(root * root.transpose() + 0.1 * Matrix2::Identity()).reshaped();
  }
  return matrices;
}

/// The loops on contacts of a kind, with all instruction sets: a projected step, a list of new impulses, or in the plane,
/// where matrices are given, solutions. expected: γ before averages. out_of_range: whether it says so.
struct GroupSample {
  const ConstraintSet& set;
  Vector gamma, product, r, step, matrices, expected;
  bool out_of_range = false;

  enum class Loop { relax, solve, accept };
  void check(double lambda, Loop loop) const {
    const Index count = set.count(), rows = set.rows(0);
    const Vector next = lambda == 1.0 ? expected : Vector(lambda * expected + (1.0 - lambda) * gamma);
    const Vector lane_r = in_lanes(r, rows), lane_product = in_lanes(product, rows), lane_step = in_lanes(step, 1),
                 lane_matrices = in_lanes(matrices, 4), updated = in_lanes(expected, rows), before = in_lanes(gamma, rows),
                 friction = in_lanes(Eigen::Map<const Vector>(set.frictions().data(), count), 1);
    for_each_version([&](InstructionSet version) {
      const GroupLoops& groups = kernels(version).groups;
      const RowGroupLoops& loops = rows == 2 ? groups.plane : groups.space;
      Vector found = before, delta = before;
      LaneLargest largest;
      largest.change[5] = 0.125;
      largest.impulse[6] = 0.25;
      const GroupVectors at{(count + 7) / 8, lambda,           found.data(),    delta.data(),        lane_product.data(),
                            lane_r.data(),   lane_step.data(), friction.data(), lane_matrices.data()};
      const GroupChange change = loop == Loop::relax   ? loops.relax(at, largest)
                                 : loop == Loop::solve ? groups.solve(at, largest)
                                                       : loops.accept(at, updated.data(), largest);
      if (loop != Loop::accept && out_of_range) {
        CHECK(change == GroupChange::out_of_range);
        CHECK(same_bits(found, before));
        CHECK(all(largest.change) == 0.125);
        CHECK(all(largest.impulse) == 0.25);
        return;
      }
      CHECK(change == GroupChange::some);
      CHECK(same_bits(found, in_lanes(next, rows)));
      CHECK(same_bits(delta, in_lanes(next - gamma, rows)));
      CHECK(all(largest.change) == std::max(0.125, (next - gamma).cwiseAbs().maxCoeff()));
      CHECK(all(largest.impulse) == std::max(0.25, next.cwiseAbs().maxCoeff()));
    });
  }
};

TEST_CASE("the loops of groups have the bits of their formulas, with every instruction set", "[kernels]") {
  for (const ConstraintKind kind : {ConstraintKind::contact, ConstraintKind::contact2d})
    for (const int count : {1, 3, 8, 9, 15, 16})
      // The same with one contact whose squares overflow: that is left to others.
      for (const double scale : {1.0, 1e160}) {
        CAPTURE(static_cast<int>(kind), count, scale);
        const ConstraintSet set = contacts_of(kind, count, 66);
        Uniform uniform(67);
        GroupSample sample{set, {}, {}, {}, {}, Vector::Zero(4 * count), {}, scale > 1.0};
        sample.r = random_vector(set.rows(), uniform);
        sample.product = random_vector(set.rows(), uniform);
        sample.step = random_vector(count, uniform, 0.1);
        sample.gamma = random_vector(set.rows(), uniform);
        sample.gamma.tail(set.rows(0)) *= scale;
        sample.expected = projected(set, sample.gamma - by_rows(set, sample.step).cwiseProduct(sample.product + sample.r));
        for (const double lambda : {1.0, 0.7}) {
          sample.check(lambda, GroupSample::Loop::relax);
          sample.check(lambda, GroupSample::Loop::accept);
        }
      }
}

TEST_CASE("the closed form of contacts in the plane in lanes has the bits of single contacts", "[kernels]") {
  int open = 0, stick = 0, slip = 0;
  for (const int count : {1, 3, 8, 9, 15, 16})
    for (const bool singular : {false, true}) {
      CAPTURE(count, singular);
      const ConstraintSet set = contacts_of(ConstraintKind::contact2d, count, 70);
      Uniform uniform(71);
      GroupSample sample{set, {}, {}, {}, Vector::Zero(count), planar_matrices(count, uniform), {}, singular};
      if (singular) sample.matrices.tail<4>() << 1.0, 0.5, 0.5, 0.25;
      sample.r = random_vector(2 * count, uniform);
      sample.product = random_vector(2 * count, uniform);
      sample.gamma = random_vector(2 * count, uniform, 0.0);
      if (singular) sample.r[2 * count - 2] = -50.0;  // presses
      sample.expected.resize(2 * count);
      for (Index k = 0; k < count; ++k) {
        const Matrix2 N = sample.matrices.segment<4>(4 * k).reshaped(2, 2);
        const Vector2 w = sample.product.segment<2>(2 * k) + sample.r.segment<2>(2 * k) - N * sample.gamma.segment<2>(2 * k);
        const double mu = set.friction(k);
        PlanarImpulse next{};
        const bool solved = solve_planar({N(0, 0), N(1, 0), N(0, 1), N(1, 1), mu, w[0], w[1]}, next);
        CHECK(solved == (!singular || k + 1 < count));
        sample.expected.segment<2>(2 * k) << next.n, next.t;
        ++(next.n == 0.0 ? open : std::abs(next.t) < mu * next.n * (1.0 - 1e-9) ? stick : slip);
      }
      sample.check(1.0, GroupSample::Loop::solve);
      sample.check(0.7, GroupSample::Loop::solve);
    }
  CHECK(open > 10);
  CHECK(stick > 10);
  CHECK(slip > 10);
}

TEST_CASE("a group knows whether it has changed, and a NaN is a change", "[kernels]") {
  for_each_version([](InstructionSet version) {
    for (const double entry : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Vector gamma = Vector::Ones(48), updated = gamma, delta(48);
      updated[40] = entry;
      LaneLargest largest;
      const GroupVectors at{2, 1.0, gamma.data(), delta.data(), nullptr, nullptr, nullptr, nullptr};
      CHECK(kernels(version).groups.space.accept(at, updated.data(), largest) ==
            (std::isnan(entry) ? GroupChange::some : GroupChange::none));
      CHECK(all(largest.change) == 0.0);
      CHECK(all(largest.impulse) == 1.0);
    }
  });
}

TEST_CASE("a NaN in a velocity leaves its group to the projection of single contacts", "[kernels]") {
  for_each_version([](InstructionSet version) {
    const ConstraintSet set = contacts_3d(16, 66);
    Vector gamma = Vector::Ones(48), delta(48), product = Vector::Zero(48);
    const Vector r = Vector::Zero(48), step = Vector::Ones(16);
    product[lane_place(11)] = std::numeric_limits<double>::quiet_NaN();
    LaneLargest largest;
    const GroupVectors at{2, 1.0, gamma.data(), delta.data(), product.data(), r.data(), step.data(), set.frictions().data()};
    CHECK(kernels(version).groups.space.relax(at, largest) == GroupChange::out_of_range);
    CHECK(gamma == Vector::Ones(48));
  });
}

TEST_CASE("the loops of Jacobi have the bits of its formula, with every instruction set", "[kernels]") {
  for_each_set([](const ConstraintSet& set) {
    Uniform uniform(64);
    const Index rows = set.rows();
    const double lambda = 0.83;
    const Vector gamma = random_vector(rows, uniform), r = random_vector(rows, uniform),
                 product = random_vector(rows, uniform), step = random_vector(set.count(), uniform, 0.1);
    const Vector moved = gamma - by_rows(set, step).cwiseProduct(product + r);
    const Vector nearest = projected(set, moved), next = lambda * nearest + (1.0 - lambda) * gamma;
    for_each_version([&](InstructionSet version) {
      const JacobiLoops& loops = kernels(version).jacobi;
      Vector found(rows), averaged = nearest;
      loops.step(rows_of(set), {gamma.data(), product.data(), r.data(), step.data(), found.data()});
      CHECK(same_bits(found, moved));
      const Largest largest = loops.average(rows, lambda, gamma.data(), averaged.data());
      CHECK(same_bits(averaged, next));
      CHECK(largest.change == (next - gamma).cwiseAbs().maxCoeff());
      CHECK(largest.impulse == next.cwiseAbs().maxCoeff());
    });
  });
}

TEST_CASE("Gram–Schmidt has the bits of its four sums, with every instruction set", "[kernels]") {
  const auto four_sums = [](const Vector& x, const Vector& y) {
    const Vector terms = x.cwiseProduct(y);
    Vector sums = Vector::Zero(4);
    const Index whole = terms.size() / 4 * 4;
    for (Index k = 0; k < whole; ++k) sums[k % 4] += terms[k];
    double even = sums[0] + sums[2], odd = sums[1] + sums[3];
    const bool pair = terms.size() - whole >= 2;
    if (pair) {
      even += terms[whole];
      odd += terms[whole + 1];
    }
    return terms.size() % 2 == 1 ? (even + odd) + terms[terms.size() - 1] : even + odd;
  };
  for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 803}) {
    CAPTURE(n);
    Uniform uniform(67);
    const Vector x = random_vector(n, uniform), y = random_vector(n, uniform), next = random_vector(n, uniform);
    const double factor = 0.37;
    const Vector less = y - factor * x;
    for_each_version([&](InstructionSet version) {
      const KrylovLoops& loops = kernels(version).krylov;
      CHECK(loops.dot(n, x.data(), y.data()) == four_sums(x, y));
      Vector found = y;
      CHECK(loops.subtract(n, factor, x.data(), found.data(), next.data()) == four_sums(next, less));
      CHECK(same_bits(found, less));
      found = y;
      CHECK(loops.subtract(n, factor, x.data(), found.data(), nullptr) == four_sums(less, less));
    });
  }
}

TEST_CASE("a NaN is none of the largest components of Jacobi", "[kernels]") {
  Vector gamma = Vector::Zero(60), nearest = gamma;
  nearest.head<3>().setConstant(std::numeric_limits<double>::quiet_NaN());
  nearest[3 * 7] = 4.0;
  for_each_version([&](InstructionSet version) {
    Vector next = nearest;
    const Largest largest = kernels(version).jacobi.average(60, 1.0, gamma.data(), next.data());
    CHECK(std::isnan(next[0]));
    CHECK(largest.change == 4.0);
    CHECK(largest.impulse == 4.0);
  });
}
