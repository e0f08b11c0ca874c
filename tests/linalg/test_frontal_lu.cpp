#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "kernels/kernels.hpp"
#include "linalg/block/frontal_lu.hpp"
#include "linalg/block/panels.hpp"
#include "linalg/matrices.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

ConstraintSet contacts(Index count) {
  ConstraintSet set;
  for (Index i = 0; i < count; ++i) set.add(ConstraintKind::contact, 0.5);
  return set;
}

/// Random unsymmetric values on a graph of blocks given by its edges, with heavy pivots.
DenseMatrix on_graph(Index blocks, const std::vector<std::pair<int, int>>& edges, std::uint64_t seed) {
  Uniform uniform(seed);
  DenseMatrix A = DenseMatrix::Zero(3 * blocks, 3 * blocks);
  for (Index i = 0; i < blocks; ++i) A.block<3, 3>(3 * i, 3 * i) = uniform.matrix(3, 3) + 40.0 * Matrix3::Identity();
  for (const auto& [i, j] : edges) {
    A.block<3, 3>(3 * i, 3 * j) = uniform.matrix(3, 3);
    A.block<3, 3>(3 * j, 3 * i) = uniform.matrix(3, 3);
  }
  return A;
}

/// The graph of a side × side × side grid of blocks: fronts of many sizes.
DenseMatrix grid(int side, std::uint64_t seed) {
  std::vector<std::pair<int, int>> edges;
  const auto at = [side](int x, int y, int z) { return x + side * (y + side * z); };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        if (x + 1 < side) edges.emplace_back(at(x, y, z), at(x + 1, y, z));
        if (y + 1 < side) edges.emplace_back(at(x, y, z), at(x, y + 1, z));
        if (z + 1 < side) edges.emplace_back(at(x, y, z), at(x, y, z + 1));
      }
  return on_graph(side * side * side, edges, seed);
}

DenseMatrix random_graph(Index blocks, double density, std::uint64_t seed) {
  Uniform uniform(seed + 100);
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < i; ++j)
      if (uniform() < 2.0 * density - 1.0) edges.emplace_back(i, j);
  return on_graph(blocks, edges, seed);
}

BlockMatrix blocks_of(const DenseMatrix& A) { return block_matrix(contacts(A.rows() / 3), sparse(A)); }

double relative_error(const DenseMatrix& A, const Vector& x, const Vector& rhs) {
  return (A * x - rhs).cwiseAbs().maxCoeff() / (A.cwiseAbs().rowwise().sum().maxCoeff() * x.cwiseAbs().maxCoeff());
}

std::vector<InstructionSet> versions() {
  std::vector<InstructionSet> runnable;
  for (const InstructionSet version : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512})
    if (can_run(version)) runnable.push_back(version);
  return runnable;
}

}  // namespace

TEST_CASE("the multifrontal LU solves what it factorised", "[linalg]") {
  std::vector<DenseMatrix> matrices{grid(1, 1), grid(3, 2), grid(6, 3), random_graph(30, 0.0, 4), random_graph(40, 0.1, 5)};
  for (const int blocks : {2, 8, 9, 17, 40}) matrices.push_back(random_graph(blocks, 1.0, 6));
  for (const DenseMatrix& A : matrices) {
    CAPTURE(A.rows());
    const BlockMatrix blocks = blocks_of(A);
    FrontalLu lu(blocks, best_ordering(blocks));
    REQUIRE(lu.factorize(blocks));
    const Vector rhs = Uniform(3).vector(A.rows());
    Vector x(rhs.size());
    lu.solve(rhs, x);
    CHECK(relative_error(A, x, rhs) <= 1e-14);
    Vector in_place = rhs;
    lu.solve(in_place, in_place);
    CHECK(in_place == x);
  }
}

TEST_CASE("one analysis of the multifrontal LU serves any values of the pattern", "[linalg]") {
  const DenseMatrix first = grid(5, 11), second = grid(5, 12);
  FrontalLu lu(blocks_of(first), best_ordering(blocks_of(first)));
  const Vector rhs = Uniform(4).vector(first.rows());
  Vector x(rhs.size()), y(rhs.size());
  REQUIRE(lu.factorize(blocks_of(first)));
  REQUIRE(lu.factorize(blocks_of(second)));
  lu.solve(rhs, x);
  FrontalLu fresh(blocks_of(second), best_ordering(blocks_of(second)));
  REQUIRE(fresh.factorize(blocks_of(second)));
  fresh.solve(rhs, y);
  CHECK(x == y);
  CHECK(relative_error(second, x, rhs) <= 1e-14);
}

TEST_CASE("the multifrontal LU scales rows and leaves rows out, any set of them after any other", "[linalg]") {
  const DenseMatrix A = grid(5, 13);
  const BlockMatrix blocks = blocks_of(A);
  const auto count = static_cast<std::size_t>(blocks.rows());
  const BlockOrdering ordering = best_ordering(blocks);
  FrontalLu lu(blocks, ordering);
  const Vector rhs = Uniform(6).vector(A.rows());
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    Uniform uniform(seed);
    std::vector<Matrix3> scale, diagonal;
    std::vector<char> left_out;
    for (std::size_t i = 0; i < count; ++i) {
      scale.push_back(Matrix3(uniform.matrix(3, 3)) + 2.0 * Matrix3::Identity());
      diagonal.push_back(Matrix3(uniform.matrix(3, 3)) + 40.0 * Matrix3::Identity());
      // None, a third, nearly all, all.
      left_out.push_back(seed > 1 && (seed == 4 || uniform() < (seed == 2 ? -0.3 : 0.9)) ? 1 : 0);
    }
    CAPTURE(seed, std::count(left_out.begin(), left_out.end(), 1));
    // The matrix with identity rows and columns where rows are left out.
    DenseMatrix J = DenseMatrix::Identity(A.rows(), A.rows());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        if (left_out[i] != 0 || left_out[j] != 0) continue;
        const auto row = 3 * static_cast<Index>(i), column = 3 * static_cast<Index>(j);
        J.block<3, 3>(row, column) = scale[i] * A.block<3, 3>(row, column);
        if (i == j) J.block<3, 3>(row, column) += diagonal[i];
      }
    REQUIRE(lu.factorize(blocks, scale, diagonal, left_out));
    Vector x(rhs.size()), y(rhs.size());
    lu.solve(rhs, x);
    CHECK(relative_error(J, x, rhs) <= 1e-14);
    for (std::size_t i = 0; i < count; ++i)
      if (left_out[i] != 0) CHECK(x.segment<3>(3 * static_cast<Index>(i)) == rhs.segment<3>(3 * static_cast<Index>(i)));
    FrontalLu fresh(blocks, ordering);
    REQUIRE(fresh.factorize(blocks, scale, diagonal, left_out));
    fresh.solve(rhs, y);
    CHECK(x == y);
  }
}

TEST_CASE("the multifrontal LU pivots inside a panel", "[linalg]") {
  // Diagonal blocks that are zero: regular only together.
  DenseMatrix A = DenseMatrix::Zero(12, 12);
  A.topRightCorner(6, 6) = Uniform(8).matrix(6, 6) + 5.0 * DenseMatrix::Identity(6, 6);
  A.bottomLeftCorner(6, 6) = Uniform(9).matrix(6, 6) + 5.0 * DenseMatrix::Identity(6, 6);
  const BlockMatrix blocks = blocks_of(A);
  FrontalLu lu(blocks, best_ordering(blocks));
  REQUIRE(lu.factorize(blocks));
  const Vector rhs = Uniform(5).vector(12);
  Vector x(12);
  lu.solve(rhs, x);
  CHECK(relative_error(A, x, rhs) <= 1e-14);
}

TEST_CASE("a pivot of the multifrontal LU that is singular or infinite is noticed", "[linalg]") {
  DenseMatrix A = grid(4, 7);
  const BlockMatrix regular = blocks_of(A);
  FrontalLu lu(regular, best_ordering(regular));
  BlockMatrix broken = regular;
  for (auto& block : broken.block) block.setZero();
  CHECK_FALSE(lu.factorize(broken));
  broken = regular;
  broken.block[static_cast<std::size_t>(broken.diagonal[9])](1, 1) = std::numeric_limits<double>::infinity();
  CHECK_FALSE(lu.factorize(broken));
  broken.block[static_cast<std::size_t>(broken.diagonal[9])](1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(lu.factorize(broken));
  REQUIRE(lu.factorize(regular));
  const Vector rhs = Uniform(5).vector(A.rows());
  Vector x(rhs.size());
  lu.solve(rhs, x);
  CHECK(relative_error(A, x, rhs) <= 1e-14);
}

TEST_CASE("the fronts hold every column once, and parents all that their children leave", "[linalg]") {
  const BlockMatrix blocks = blocks_of(grid(6, 1));
  const BlockOrdering ordering = best_ordering(blocks);
  const FrontTree tree = front_tree(ordering);
  std::vector<int> order = tree.order;
  std::sort(order.begin(), order.end());
  std::vector<int> all(order.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(order == all);
  CHECK(tree.fronts.size() > 5);
  CHECK(tree.fronts.size() < order.size() / 2);  // merged
  std::vector<std::vector<int>> stack;
  int next = 0;
  for (const FrontTree::Front& front : tree.fronts) {
    CHECK(front.first == next);
    next += front.own;
    for (int child = 0; child < front.children; ++child) {
      REQUIRE_FALSE(stack.empty());
      for (const int column : stack.back()) {
        const bool own = column >= front.first && column < front.first + front.own;
        CHECK((own || std::binary_search(front.reach.begin(), front.reach.end(), column)));
      }
      stack.pop_back();
    }
    if (!front.reach.empty()) stack.push_back(front.reach);
  }
  CHECK(stack.empty());
  CHECK(tree.flops >= ordering.flops / 2);
  CHECK(tree.flops < 3 * ordering.flops);
}

TEST_CASE("a full matrix is one front with the operations of a dense LU", "[linalg]") {
  const BlockMatrix blocks = blocks_of(random_graph(20, 1.0, 1));
  const FrontTree tree = front_tree(best_ordering(blocks));
  REQUIRE(tree.fronts.size() == 1);
  CHECK(tree.flops == 2 * 60 * 60 * 60 / 3);
}

TEST_CASE("panel kernels of every width give the same bits, and the product", "[linalg]") {
  Uniform uniform(21);
  for (const int rows : {1, 8, 9, 24, 27, 66})
    for (const int columns : {3, 6, 15})
      for (const int depth : {3, 6, 24}) {
        CAPTURE(rows, columns, depth);
        const DenseMatrix A = uniform.matrix(rows, depth), B = uniform.matrix(depth, columns);
        std::vector<double> lower(static_cast<std::size_t>(padded_rows(rows) * depth));
        std::vector<double> upper(static_cast<std::size_t>(depth * padded_columns(columns)));
        pack_rows(rows, depth, A.data(), rows, lower.data());
        pack_columns(columns, depth, B.data(), depth, 1.0, upper.data());
        DenseMatrix C = DenseMatrix::Zero(padded_rows(rows) + 8, padded_columns(columns));
        C.topLeftCorner(rows, columns) = uniform.matrix(rows, columns);
        const Vector x = uniform.vector(depth);
        Vector across = Vector::Zero(padded_columns(columns)), y = Vector::Zero(padded_rows(rows)),
               z = uniform.vector(depth);
        across.head(columns) = uniform.vector(columns);
        y.head(rows) = uniform.vector(rows);
        DenseMatrix product;
        Vector down, along;
        for (const InstructionSet version : versions()) {
          const PanelLoops& loops = kernels(version).panels;
          DenseMatrix own = C;
          Vector own_y = y, own_z = z;
          loops.subtract(rows, columns, depth, lower.data(), upper.data(), own.data(), own.rows());
          loops.subtract_rows(rows, depth, lower.data(), x.data(), own_y.data());
          loops.subtract_columns(columns, depth, upper.data(), across.data(), own_z.data());
          if (version == InstructionSet::portable) {
            product = own;
            down = own_y;
            along = own_z;
            CHECK((C.topLeftCorner(rows, columns) - A * B - own.topLeftCorner(rows, columns)).cwiseAbs().maxCoeff() <=
                  1e-14);
            CHECK((y.head(rows) - A * x - own_y.head(rows)).cwiseAbs().maxCoeff() <= 1e-14);
            CHECK((z - B * across.head(columns) - own_z).cwiseAbs().maxCoeff() <= 1e-14);
            CHECK(own.bottomRows(own.rows() - rows).isZero(0.0));
            CHECK(own.rightCols(own.cols() - columns).isZero(0.0));
          }
          CHECK(own == product);
          CHECK(own_y == down);
          CHECK(own_z == along);
        }
      }
}

TEST_CASE("panel pivots are inverted with the same bits at every width", "[linalg]") {
  for (const int size : {1, 3, 6, 15, 24}) {
    CAPTURE(size);
    DenseMatrix A = DenseMatrix::Zero(panel_width, panel_width);
    A.topLeftCorner(size, size) = Uniform(31).matrix(size, size);
    if (size > 1) A(0, 0) = 0.0;  // needs an exchange
    DenseMatrix first;
    for (const InstructionSet version : versions()) {
      DenseMatrix inverse = A;
      REQUIRE(kernels(version).panels.invert(size, inverse.data()));
      if (version == InstructionSet::portable) {
        first = inverse;
        const DenseMatrix unit = A.topLeftCorner(size, size) * inverse.topLeftCorner(size, size);
        CHECK((unit - DenseMatrix::Identity(size, size)).cwiseAbs().maxCoeff() <= 1e-11);
        CHECK(inverse.bottomRows(panel_width - size).isZero(0.0));
      }
      CHECK(inverse == first);
    }
  }
  DenseMatrix singular = DenseMatrix::Zero(panel_width, panel_width);
  singular.topLeftCorner(6, 6).setOnes();
  for (const InstructionSet version : versions()) {
    DenseMatrix inverse = singular;
    CHECK_FALSE(kernels(version).panels.invert(6, inverse.data()));
  }
}
