#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <limits>

#include "kernels/kernels.hpp"
#include "linalg/block/block_lu.hpp"
#include "linalg/block/frontal_lu.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// A block matrix with the graph of random contacts, and the scalings of a Newton step.
struct Sample {
  ConstraintSet constraints;
  DenseMatrix scalar;
  BlockMatrix blocks;
  std::vector<Matrix3> scale, diagonal;
  std::vector<char> identity;

  Sample(std::uint64_t seed, int count, bool mixed, double density, int identity_every) {
    Uniform uniform(seed);
    for (int i = 0; i < count; ++i) {
      const int kind = mixed ? i % 4 : 0;
      constraints.add(static_cast<ConstraintKind>(kind), 0.5);
    }
    const Index m = constraints.rows();
    scalar = DenseMatrix::Zero(m, m);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < count; ++j)
        if (i == j || uniform() < 2.0 * density - 1.0)
          scalar.block(constraints.offset(i), constraints.offset(j), constraints.rows(i), constraints.rows(j)) =
              uniform.matrix(constraints.rows(i), constraints.rows(j));
    blocks = block_matrix(constraints, sparse(scalar));
    for (int i = 0; i < count; ++i) {
      scale.push_back(Matrix3(uniform.matrix(3, 3)));
      // Large enough that no pivot block is near singular: the LU does not pivot between blocks.
      diagonal.push_back(Matrix3(uniform.matrix(3, 3)) + 8.0 * count * density * Matrix3::Identity());
      identity.push_back(identity_every > 0 && i % identity_every == 0 ? 1 : 0);
    }
  }

  /// The padded matrix the factorisation is of.
  DenseMatrix padded() const {
    const Index n = constraints.count();
    DenseMatrix A = DenseMatrix::Zero(3 * n, 3 * n);
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (identity[row] != 0) {
        A.block<3, 3>(3 * i, 3 * i).setIdentity();
        continue;
      }
      for (Index j = 0; j < n; ++j) {
        Matrix3 block = Matrix3::Zero();
        block.topLeftCorner(constraints.rows(i), constraints.rows(j)) =
            scalar.block(constraints.offset(i), constraints.offset(j), constraints.rows(i), constraints.rows(j));
        A.block<3, 3>(3 * i, 3 * j) = scale[row] * block;
      }
      A.block<3, 3>(3 * i, 3 * i) += diagonal[row];
    }
    return A;
  }
};

}  // namespace

TEST_CASE("padded block products are those of the scalar matrix", "[linalg]") {
  const Sample sample(1, 23, true, 0.3, 0);
  const Vector x = Uniform(2).vector(sample.constraints.rows());
  Vector padded(3 * sample.constraints.count()), product(padded.size()), y(x.size());
  pad(sample.constraints, x, padded);
  sample.blocks.multiply(padded, product);
  unpad(sample.constraints, product, y);
  CHECK((y - sample.scalar * x).cwiseAbs().maxCoeff() <= 1e-14);
  pad(sample.constraints, y, padded);
  CHECK(padded == product);  // nothing in the padding
}

TEST_CASE("the block LU solves what it factorised", "[linalg]") {
  struct Case {
    int count;
    bool mixed;
    double density;
    int identity_every;
  };
  for (const Case& c : {Case{1, false, 0.0, 0}, Case{1, false, 0.0, 1}, Case{40, false, 0.1, 0}, Case{40, false, 0.1, 3},
                        Case{40, true, 0.15, 2}, Case{25, false, 1.0, 0}, Case{25, false, 1.0, 4}, Case{60, false, 0.0, 0},
                        Case{30, true, 0.2, 1}}) {
    CAPTURE(c.count, c.mixed, c.density, c.identity_every);
    const Sample sample(7, c.count, c.mixed, c.density, c.identity_every);
    const DenseMatrix A = sample.padded();
    const Vector rhs = Uniform(3).vector(A.rows());
    BlockLu lu(sample.blocks);
    REQUIRE(lu.factorize(sample.blocks, sample.scale, sample.diagonal, sample.identity));
    Vector x(rhs.size());
    lu.solve(rhs, x);
    const double scale = A.cwiseAbs().rowwise().sum().maxCoeff() * x.cwiseAbs().maxCoeff();
    CHECK((A * x - rhs).cwiseAbs().maxCoeff() <= 1e-14 * scale);
    Vector in_place = rhs;
    lu.solve(in_place, in_place);
    CHECK(in_place == x);
  }
}

TEST_CASE("one analysis serves any values and any set of identity rows", "[linalg]") {
  const Sample first(11, 40, false, 0.1, 0), second(11, 40, false, 0.1, 5);
  BlockLu lu(first.blocks);
  Vector x(120), y(120);
  const Vector rhs = Uniform(4).vector(120);
  REQUIRE(lu.factorize(second.blocks, second.scale, second.diagonal, second.identity));
  REQUIRE(lu.factorize(first.blocks, first.scale, first.diagonal, first.identity));
  lu.solve(rhs, x);
  BlockLu fresh(first.blocks);
  REQUIRE(fresh.factorize(first.blocks, first.scale, first.diagonal, first.identity));
  fresh.solve(rhs, y);
  CHECK(x == y);
}

TEST_CASE("a singular or infinite pivot is noticed", "[linalg]") {
  Sample sample(5, 10, false, 0.2, 0);
  BlockLu lu(sample.blocks);
  sample.scale[4].setZero();
  sample.diagonal[4].setZero();
  CHECK_FALSE(lu.factorize(sample.blocks, sample.scale, sample.diagonal, sample.identity));
  sample.diagonal[4].setConstant(std::numeric_limits<double>::quiet_NaN());
  CHECK_FALSE(lu.factorize(sample.blocks, sample.scale, sample.diagonal, sample.identity));
  sample.identity[4] = 1;
  CHECK(lu.factorize(sample.blocks, sample.scale, sample.diagonal, sample.identity));
}

TEST_CASE("without its padding a matrix of contacts in the plane has the same LU, with fewer operations", "[linalg]") {
  Uniform uniform(13);
  const Index count = 60;
  ConstraintSet planar;
  DenseMatrix scalar = DenseMatrix::Zero(2 * count, 2 * count);
  std::vector<Matrix3> scale, diagonal;
  std::vector<char> identity;
  for (Index i = 0; i < count; ++i) {
    planar.add(ConstraintKind::contact2d, 0.5);
    for (Index j = 0; j < count; ++j)
      if (i == j || uniform() < -0.8) scalar.block<2, 2>(2 * i, 2 * j) = uniform.matrix(2, 2);
    scale.push_back(Matrix3::Zero());
    scale.back().topLeftCorner<2, 2>() = uniform.matrix(2, 2);
    diagonal.push_back(Matrix3::Identity());
    diagonal.back().topLeftCorner<2, 2>() += uniform.matrix(2, 2) + 50.0 * DenseMatrix::Identity(2, 2);
    identity.push_back(i % 7 == 3 ? 1 : 0);
  }
  const BlockMatrix narrow = block_matrix(planar, sparse(scalar));
  BlockMatrix wide = narrow;
  wide.width = 3;
  REQUIRE(narrow.width == 2);
  Vector rhs(3 * count), x(3 * count), y(3 * count), fronts(3 * count);
  pad(planar, uniform.vector(2 * count), rhs);
  narrow.multiply(rhs, x);
  wide.multiply(rhs, y);
  CHECK(x == y);
  BlockLu lu(narrow), padded(wide);
  CHECK(27 * lu.flops() == 8 * padded.flops());
  REQUIRE(lu.factorize(narrow, scale, diagonal, identity));
  REQUIRE(padded.factorize(wide, scale, diagonal, identity));
  lu.solve(rhs, x);
  padded.solve(rhs, y);
  CHECK(x == y);
  FrontalLu frontal(narrow, best_ordering(narrow)), padded_fronts(wide, best_ordering(wide));
  CHECK(frontal.flops() == 8 * padded_fronts.flops() / 27);
  CHECK(frontal.bytes() < padded_fronts.bytes());
  for (const bool left_out : {false, true}) {
    if (!left_out) std::fill(identity.begin(), identity.end(), char{0});
    REQUIRE(frontal.factorize(narrow, scale, diagonal, identity));
    REQUIRE(padded_fronts.factorize(wide, scale, diagonal, identity));
    frontal.solve(rhs, fronts);
    padded_fronts.solve(rhs, y);
    CHECK((fronts - y).cwiseAbs().maxCoeff() <= 1e-14 * y.cwiseAbs().maxCoeff());
    for (Index i = 0; i < count; ++i) CHECK(fronts[3 * i + 2] == 0.0);
  }
}

TEST_CASE("a chain of contacts has no fill", "[linalg]") {
  ConstraintSet chain;
  const int n = 50;
  DenseMatrix scalar = DenseMatrix::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i) {
    chain.add(ConstraintKind::contact, 0.3);
    scalar.block<3, 3>(3 * i, 3 * i).setIdentity();
    if (i > 0) scalar.block<3, 3>(3 * i, 3 * i - 3).setConstant(0.1);
  }
  const BlockMatrix blocks = block_matrix(chain, sparse(scalar));
  CHECK(blocks.column.size() == 3 * n - 2);  // the missing half of the pattern is there
  CHECK(BlockLu(blocks).flops() == 108 * (n - 1));
}

namespace {

/// Rounded after each operation.
WideBlock times(const WideBlock& a, const WideBlock& b) {
  WideBlock c{};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) {
      volatile double p0 = a.column[0][i] * b.column[k][0], p1 = a.column[1][i] * b.column[k][1],
                      p2 = a.column[2][i] * b.column[k][2];
      volatile double sum = p0 + p1;
      sum = sum + p2;
      c.column[k][i] = sum;
    }
  return c;
}

WideBlock plus(const WideBlock& a, double factor, const WideBlock& b) {
  WideBlock c{};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) c.column[k][i] = a.column[k][i] + factor * b.column[k][i];
  return c;
}

bool same(const WideBlock& a, const WideBlock& b) {
  bool all = true;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) all = all && a.column[k][i] == b.column[k][i];
  return all;
}

}  // namespace

TEST_CASE("every version of the loops of the block LU has the bits of its formula", "[linalg]") {
  Uniform uniform(9);
  const auto random_block = [&] {
    WideBlock block{};
    for (auto& column : block.column)
      for (int i = 0; i < 3; ++i) column[i] = uniform();
    return block;
  };
  // Three rows, all coupled: U has (0,1), (0,2), (1,2), the lower part (1,0), (2,0), (2,1).
  const std::vector<int> row_start{0, 2, 4, 6}, upper{0, 3, 6}, column{1, 2, 0, 2, 0, 1}, position{4, 5, -1};
  const WideBlock scale = random_block(), diagonal = random_block(), left = random_block(), own = random_block();
  const std::vector<WideBlock> u{random_block(), random_block(), {}, random_block(), random_block(), random_block()};
  const std::vector<WideBlock> pivots{random_block(), random_block(), random_block()};
  std::vector<double> loaded;  // (2,0) and (2,2) without their fourth numbers; (2,1) fills in
  for (const WideBlock& block : {left, own})
    for (const auto& numbers : block.column) loaded.insert(loaded.end(), numbers, numbers + 3);
  const std::vector<int> place{4, -1};
  for (const InstructionSet version : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!can_run(version)) continue;
    for (const char second : {char{0}, char{1}}) {
      CAPTURE(static_cast<int>(version), static_cast<int>(second));
      const std::vector<char> skip{0, second, 0};
      std::vector<WideBlock> data = u, pivot = pivots;
      const BlockRowsOfLu lu{row_start.data(), upper.data(), column.data(), skip.data(),
                             position.data(),  data.data(),  pivot.data()};
      const BlockRowLoops& loops = kernels(version).block_rows;
      loops.load({loaded.data(), place.data(), 2}, scale, diagonal, 2, lu);
      CHECK(same(data[4], times(scale, left)));
      CHECK(same(data[5], WideBlock{}));
      const WideBlock last = plus(times(scale, own), 1.0, diagonal);
      CHECK(same(pivot[2], last));
      loops.eliminate(2, 3, lu);
      const WideBlock first = times(times(scale, left), pivots[0]);
      CHECK(same(data[4], first));
      const WideBlock once = plus(last, -1.0, times(first, u[1]));
      if (second != 0) {  // its column keeps what the matrix has
        CHECK(same(data[5], WideBlock{}));
        CHECK(same(pivot[2], once));
        continue;
      }
      const WideBlock next = times(plus(WideBlock{}, -1.0, times(first, u[0])), pivots[1]);
      CHECK(same(data[5], next));
      CHECK(same(pivot[2], plus(once, -1.0, times(next, u[3]))));
    }
  }
}
