#include <catch2/catch.hpp>

#include <Eigen/LU>
#include <limits>

#include "kernels/kernels.hpp"
#include "linalg/block/block_matrix.hpp"
#include "problem/body_columns.hpp"
#include "problem/delassus/block_order.hpp"
#include "problem/judge/judge.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

DenseMatrix dense_delassus(const ContactProblem& problem) {
  const GlobalForm& form = problem.global();
  const DenseMatrix D(form.D);
  return D.transpose() * DenseMatrix(form.H).inverse() * D + DenseMatrix(form.C);
}

std::vector<ContactProblem> problems() {
  RandomShape spatial{5, 7};
  RandomShape mixed{4, 3, 2, 2, 3};
  RandomShape soft = mixed;
  soft.compliance = true;
  RandomShape coupled = mixed;
  coupled.coupled_mass = true;
  coupled.compliance = true;
  RandomShape planar{5, 0, 7};
  planar.compliance = true;
  return {random_problem(1, spatial), random_problem(2, mixed), random_problem(3, soft), random_problem(4, coupled),
          random_problem(5, planar)};
}

}  // namespace

TEST_CASE("Delassus operators equal the dense formula") {
  Uniform uniform(7);
  for (const ContactProblem& problem : problems()) {
    const DenseMatrix N = dense_delassus(problem);
    const double scale = N.cwiseAbs().maxCoeff();
    CHECK((DenseMatrix(problem.local().N) - N).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    CHECK((DenseMatrix(problem.assembled().to_sparse()) - N).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    std::vector<const DelassusOperator*> operators{&problem.assembled()};
    if (problem.has_factored()) operators.push_back(&problem.factored());
    operators.push_back(&problem.solved());
    const Vector x = uniform.vector(problem.rows());
    for (const DelassusOperator* op : operators) {
      Vector y(problem.rows());
      op->multiply(x, y);
      CHECK((y - N * x).cwiseAbs().maxCoeff() <= 1e-12 * scale);
      for (Index i = 0; i < problem.constraints().count(); ++i) {
        const Index offset = problem.constraints().offset(i), rows = problem.constraints().rows(i);
        Matrix3 expected = Matrix3::Zero();
        expected.topLeftCorner(rows, rows) = N.block(offset, offset, rows, rows);
        CHECK((op->diagonal_block(i) - expected).cwiseAbs().maxCoeff() <= 1e-13 * scale);
      }
      CHECK(op->bytes() > 0);
    }
    Vector absolute(problem.rows());
    problem.assembled().multiply_absolute(x, absolute);
    CHECK((absolute - N.cwiseAbs() * x.cwiseAbs()).cwiseAbs().maxCoeff() <= 1e-12 * scale);
  }
}

TEST_CASE("products have the same bits on any number of threads") {
  // Large enough for the work to be shared out.
  const ContactProblem problem =
      random_problem(9, GENERATE(RandomShape{300, 700, 100, 100, 100}, RandomShape{300, 0, 1000}));
  Uniform uniform(10);
  const Vector x = uniform.vector(problem.rows());
  for (const DelassusOperator* op :
       std::initializer_list<const DelassusOperator*>{&problem.assembled(), &problem.factored(), &problem.solved()}) {
    Vector y(problem.rows());
    op->multiply(x, y);
    for (const int threads : {2, 3}) {
      Vector shared(problem.rows());
      op->multiply(x, shared, threads);
      CHECK(shared == y);
    }
  }
}

TEST_CASE("threads share the bodies of contacts: the same bits on any number of them, one after another") {
  for (const RandomShape& shape :
       {RandomShape{120, 2100}, RandomShape{5, 2100}, RandomShape{2, 2100}, RandomShape{120, 0, 2100}}) {
    const ContactProblem problem = random_problem(17, shape);
    const FactoredDelassus& N = problem.factored();
    REQUIRE(N.contact_pairs());
    const Vector x = Vector::LinSpaced(problem.rows(), -1.0, 2.0);
    Vector w = Vector::Zero(N.padded_size());
    N.scaled_velocity(x, w.data());
    for (const int threads : {4, 2, 3, 2, 8, 1000}) {
      CAPTURE(shape.bodies, shape.planar, threads);
      Vector shared = Vector::Constant(w.size(), 7.0);
      N.scaled_velocity(x, shared.data(), threads);
      CHECK(shared == w);
    }
  }
}

TEST_CASE("the factored operator follows single impulses") {
  const ContactProblem problem = random_problem(5, {4, 3, 2, 1, 1});
  const FactoredDelassus& N = problem.factored();
  Uniform uniform(8);
  Vector gamma = Vector::Zero(problem.rows()), v = Vector::Zero(N.padded_size()), whole(N.padded_size());
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Index rows = problem.constraints().rows(i);
    Vector3 delta = Vector3::Zero();
    delta.head(rows) = uniform.vector(rows);
    gamma.segment(problem.constraints().offset(i), rows) = delta.head(rows);
    with_rows(rows, [&](auto size) { N.add_impulse<size>(i, delta.head<size>(), v.data()); });
  }
  N.scaled_velocity(gamma, whole.data());
  CHECK((v - whole).cwiseAbs().maxCoeff() <= 1e-14);
  Vector product(problem.rows());
  N.multiply(gamma, product);
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Index rows = problem.constraints().rows(i), offset = problem.constraints().offset(i);
    Vector3 own = Vector3::Zero();
    own.head(rows) = gamma.segment(offset, rows);
    with_rows(rows, [&](auto size) {
      const BlockVector<size> u = N.local_velocity<size>(i, v.data(), own.head<size>());
      CHECK((u - product.segment(offset, rows)).norm() <= 1e-13);
    });
  }
}

TEST_CASE("block-CSR keeps an unsymmetric matrix as it is") {
  ConstraintSet set;
  set.add(ConstraintKind::contact, 0.3);
  set.add(ConstraintKind::unilateral);
  DenseMatrix N = DenseMatrix::Identity(4, 4);
  N(0, 3) = 0.25;
  N(3, 0) = -0.5;
  N(1, 2) = 0.125;
  const AssembledDelassus op(set, sparse(N));
  CHECK(DenseMatrix(op.to_sparse()) == N);
  const Vector x = Vector::LinSpaced(4, 1.0, 4.0);
  Vector y(4);
  op.multiply(x, y);
  CHECK(y == N * x);
}

TEST_CASE("between contacts in space both stores of blocks hold the same matrix") {
  constexpr Index count = 5;
  ConstraintSet set;
  for (Index i = 0; i < count; ++i) set.add(ConstraintKind::contact, 0.3);
  Uniform uniform(4);
  const auto blocks_at = [&](std::initializer_list<std::pair<Index, Index>> places) {
    DenseMatrix N = DenseMatrix::Zero(3 * count, 3 * count);
    for (Index i = 0; i < count; ++i) N.block<3, 3>(3 * i, 3 * i) = uniform.matrix(3, 3);
    for (const auto& [i, j] : places) N.block<3, 3>(3 * i, 3 * j) = uniform.matrix(3, 3);
    return N;
  };
  DenseMatrix whole = blocks_at({{0, 3}, {3, 0}, {1, 4}, {4, 1}, {3, 4}, {4, 3}}), gaps = whole, lopsided = whole;
  gaps(9, 0) = gaps(2, 9) = gaps(4, 4) = 0.0;
  gaps.block<3, 2>(3, 12).setZero();
  lopsided.block<3, 3>(0, 9).setZero();
  DenseMatrix loose = whole;  // a contact that touches nothing
  loose.block<3, 3>(6, 6).setZero();
  const Vector x = uniform.vector(3 * count);
  Vector y(3 * count);
  for (const DenseMatrix& N : {whole, gaps, lopsided, loose}) {
    const SparseMatrix scalar = sparse(N);
    const AssembledDelassus op(set, scalar);
    const BlockMatrix padded = block_matrix(set, scalar);
    CHECK(DenseMatrix(op.to_sparse()) == N);
    for (Index i = 0; i < count; ++i) CHECK(padded.diagonal_block(i) == (N.block<3, 3>(3 * i, 3 * i)));
    op.multiply(x, y);
    CHECK((y - N * x).cwiseAbs().maxCoeff() <= 1e-14);
    padded.multiply(x, y);
    CHECK((y - N * x).cwiseAbs().maxCoeff() <= 1e-14);
    CHECK(padded.column.size() == std::size_t{11});
  }
}

TEST_CASE("a product in spans has the bits of the whole one") {
  const ContactProblem problem = random_problem(22, {400, 2000, 90, 90, 90});
  const Index count = problem.constraints().count();
  REQUIRE(count > 2 * span_size);
  const Vector x = Vector::LinSpaced(problem.rows(), -1.0, 2.0);
  for (const DelassusOperator* N :
       {static_cast<const DelassusOperator*>(&problem.factored()),
        static_cast<const DelassusOperator*>(&problem.assembled()), static_cast<const DelassusOperator*>(&problem.solved())})
    for (const int threads : {1, 2}) {
      Vector whole(x.size()), spans = Vector::Constant(x.size(), 7.0);
      N->multiply(x, whole);
      const std::unique_ptr<SplitProduct> split = N->split_product();
      split->begin(x, threads);
      for (Index begin = 0; begin < count; begin += span_size) {
        const Index end = std::min(begin + span_size, count);
        split->finish({begin, end}, x, spans);
        const Index last = problem.constraints().offsets()[static_cast<std::size_t>(end)];
        CHECK(spans.head(last) == whole.head(last));
        CHECK((spans.tail(x.size() - last).array() == 7.0).all());
      }
      CHECK(spans == whole);
      if (threads > 1) continue;
      const std::unique_ptr<SplitProduct> fed = N->split_product();
      fed->begin(Vector::Ones(x.size()), 1);  // forgotten
      fed->begin();
      for (Index begin = 0; begin < count; begin += span_size) fed->feed({begin, std::min(begin + span_size, count)}, x);
      spans.setConstant(7.0);
      fed->finish({0, count}, x, spans);
      CHECK(spans == whole);
    }
}

TEST_CASE("the factored operator is symmetric to the last bit, small, and scales velocities by their energy") {
  const ContactProblem problem = random_problem(11, {6, 9, 2, 2, 3});
  const FactoredDelassus& N = problem.factored();
  for (Index i = 0; i < problem.constraints().count(); ++i)
    for (Index j = 0; j < i; ++j) CHECK(N.block(i, j) == N.block(j, i).transpose());
  Uniform uniform(12);
  const Vector gamma = uniform.vector(problem.rows());
  Vector w(N.padded_size()), u(problem.rows());
  N.scaled_velocity(gamma, w.data());
  N.multiply(gamma, u);
  const std::unique_ptr<SplitProduct> split = N.split_product();
  split->begin(gamma, 1);
  REQUIRE(split->root().size() == static_cast<std::size_t>(w.size()));
  CHECK(std::equal(w.begin(), w.end(), split->root().begin()));
  CHECK(w.squaredNorm() == Approx(gamma.dot(u)).epsilon(1e-12));
  const ContactProblem contacts = random_problem(13, {100, 600});
  CHECK(contacts.factored().bytes() <= 500 * 600);
}

namespace {

/// The loops over contacts of so many rows and two bodies each.
template <int Rows>
void check_pairs(const ContactProblem& problem) {
  using Numbers = BlockVector<Rows>;
  const FactoredDelassus& N = problem.factored();
  REQUIRE(N.contact_pairs());
  Uniform uniform(15);
  const Vector w = uniform.vector(N.padded_size()), gamma = uniform.vector(problem.rows());
  Vector u(problem.rows()), sum = w;
  for (const int i : N.order()) {
    const Numbers own = gamma.segment<Rows>(Rows * i);
    u.segment<Rows>(Rows * i) = N.local_velocity<Rows>(i, w.data(), own);
    N.add_impulse<Rows>(i, own, sum.data());
  }
  const ContactPairs pairs = N.paired_contacts().pairs;
  REQUIRE(pairs.rows == Rows);
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!can_run(set)) continue;
    CAPTURE(Rows, static_cast<int>(set));
    const PairLoops& loops = kernels(set).pairs;
    Vector found = Vector::Zero(u.size()), added = w;
    loops.find_velocities(pairs, 150, N.order().data(), w.data(), found.data());
    loops.add_impulses(pairs, 150, N.order().data(), gamma.data(), added.data());
    CHECK(found == u);
    CHECK(added == sum);
    // Body after body, each with its contacts in the same order: the same sums.
    Vector sides = w;
    std::vector<int> list;
    for (int body = 0; body <= N.bodies(); ++body)
      for (int side = 0; side < 300; ++side)
        if (pairs.body[side] == 6 * body) list.push_back(side);
    REQUIRE(list.size() == 300);
    loops.add_sides(pairs, 300, list.data(), N.order().data(), gamma.data(), sides.data());
    CHECK(sides == sum);
    // The same contacts in lanes, and the last ones by themselves.
    for (const Index first : {Index{0}, Index{147}}) {
      Vector lanes = Vector::Zero(lane_place(152, Rows)), lane_gamma = lanes, lane_added = w, listed = w;
      for (Index k = first; k < 150; ++k)
        in_lane<Rows>(lane_gamma.data(), k - first) = gamma.segment<Rows>(Rows * N.order()[static_cast<std::size_t>(k)]);
      (Rows == 2 ? loops.find_planar_lanes : loops.find_lanes)(pairs.from(first), 150 - first, w.data(), lanes.data());
      (Rows == 2 ? loops.add_planar_lanes : loops.add_lanes)(pairs.from(first), 150 - first, lane_gamma.data(),
                                                             lane_added.data());
      loops.add_impulses(pairs.from(first), 150 - first, N.order().data() + first, gamma.data(), listed.data());
      for (Index k = first; k < 150; ++k)
        CHECK(in_lane<Rows>(lanes.data(), k - first) == u.segment<Rows>(Rows * N.order()[static_cast<std::size_t>(k)]));
      CHECK(lane_added == listed);
      if (first == 0) CHECK(lane_added == sum);
    }
  }
}

}  // namespace

TEST_CASE("contacts of two bodies each have the bits of single blocks, with every instruction set") {
  check_pairs<3>(random_problem(14, {40, 150}));
  check_pairs<2>(random_problem(14, {40, 0, 150}));
  CHECK_FALSE(random_problem(14, {40, 100, 50}).factored().contact_pairs());
}

TEST_CASE("bodies in the plane are bodies of the factored operator, be their number odd or even") {
  for (const int bodies : {7, 8})
    for (const bool coupled : {false, true}) {
      CAPTURE(bodies, coupled);
      Uniform uniform(41);
      const Index contacts = 40, n = 3 * bodies;
      DenseMatrix H = Vector(uniform.vector(n).array() + 2.0).asDiagonal(), D = DenseMatrix::Zero(n, 2 * contacts);
      if (coupled) H(1, 4) = H(4, 1) = 0.3;  // two are one
      ProblemBuilder builder("discs");
      for (Index k = 0; k < contacts; ++k) {
        const Index a = k % bodies, b = (a + 1 + k % 3) % bodies;
        D.block<3, 2>(3 * a, 2 * k) = uniform.matrix(3, 2);
        if (k % 5 > 0) D.block<3, 2>(3 * b, 2 * k) = uniform.matrix(3, 2);
        builder.contact2d(0.5);
      }
      builder.global(sparse(H), uniform.vector(n), sparse(D), Vector::Zero(2 * contacts));
      const ContactProblem problem = builder.build();
      const FactoredDelassus& N = problem.factored();
      if (!coupled) CHECK(N.bodies() == bodies);
      if (coupled && bodies == 8) CHECK(N.bodies() == 4);
      const DenseMatrix expected = dense_delassus(problem);
      const Vector x = uniform.vector(problem.rows());
      Vector y(problem.rows());
      N.multiply(x, y);
      CHECK((y - expected * x).cwiseAbs().maxCoeff() <= 1e-13 * expected.cwiseAbs().maxCoeff());
      CHECK((N.diagonal_block(9).topLeftCorner<2, 2>() - expected.block<2, 2>(18, 18)).cwiseAbs().maxCoeff() <= 1e-14);
    }
}

TEST_CASE("the order of the factored operator spreads blocks that share a body and otherwise keeps theirs") {
  const ContactProblem problem = random_problem(21, {600, 1500, 50, 50, 50});
  const FactoredDelassus& N = problem.factored();
  const std::vector<int>& order = N.order();
  REQUIRE(order.size() == static_cast<std::size_t>(problem.constraints().count()));
  std::vector<int> last_block(static_cast<std::size_t>(N.bodies()) + 1, -1);
  std::vector<Index> last_place(last_block.size(), -group_size);
  std::vector<bool> seen(order.size(), false);
  Index near = 0;
  for (Index place = 0; place < static_cast<Index>(order.size()); ++place) {
    const int block = order[static_cast<std::size_t>(place)];
    CHECK_FALSE(seen[static_cast<std::size_t>(block)]);
    CHECK(block / span_size == place / span_size);
    seen[static_cast<std::size_t>(block)] = true;
    bool shared = false;
    for (const int body : N.bodies_of(block)) {
      const auto b = static_cast<std::size_t>(body);
      CHECK(last_block[b] < block);
      shared = shared || place - last_place[b] < group_size;
      last_block[b] = block;
      last_place[b] = place;
    }
    if (shared) ++near;
  }
  CHECK(near <= problem.constraints().count() / 10);
}

TEST_CASE("an order of blocks exists where all of them share a body, or where there are none") {
  const std::vector<int> chain = spread_order({0, 2, 4, 6}, {0, 1, 1, 0, 0, 1}, 2);
  CHECK(chain == std::vector<int>{0, 1, 2});
  CHECK(spread_order({0}, {}, 0).empty());
  CHECK(spread_order({0, 0, 0}, {}, 1) == std::vector<int>{0, 1});
}

TEST_CASE("columns of N by coupled groups of dofs are those of the definition") {
  RandomShape shape{4, 9, 2, 2, 3};
  shape.coupled_mass = true;
  shape.compliance = true;
  const ContactProblem problem = random_problem(14, shape);
  const GlobalForm& form = problem.global();
  REQUIRE(!problem.has_factored());
  REQUIRE(!problem.mass().groups().empty());
  const DenseMatrix H = form.H, D = form.D, N = DenseMatrix(D.transpose() * H.ldlt().solve(D)) + DenseMatrix(form.C);
  const double scale = N.cwiseAbs().maxCoeff();
  CHECK((DenseMatrix(problem.local().N) - N).cwiseAbs().maxCoeff() <= 1e-13 * scale);
  CHECK(symmetry_defect(problem.local().N) == 0.0);
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Index first = problem.constraints().offset(i), rows = problem.constraints().rows(i);
    const Matrix3& block = problem.diagonal_blocks()[static_cast<std::size_t>(i)];
    CHECK((block.topLeftCorner(rows, rows) - N.block(first, first, rows, rows)).cwiseAbs().maxCoeff() <= 1e-13 * scale);
  }
}

TEST_CASE("columns of N by bodies have the bits of the assembled N") {
  RandomShape soft{40, 90, 20, 20, 20};
  soft.compliance = true;
  for (const ContactProblem& problem : {random_problem(11, {40, 90, 20, 20, 20}), random_problem(12, soft)}) {
    REQUIRE(problem.has_factored());
    BodyColumns columns(problem.constraints(), problem.global(), problem.mass());
    const Vector x = Uniform(13).vector(problem.rows());
    Vector expected(problem.rows());
    problem.assembled().multiply_absolute(x, expected);
    for (Index i = 0; i < problem.constraints().count(); ++i)
      CHECK(columns.diagonal_block(i) == problem.assembled().diagonal_block(i));
    // Asked twice without N, then with it.
    Judge judge(problem, Model::ccp);
    const double floor = judge.evaluate(Measure::rounding_floor, {&x, nullptr});
    const double least = std::numeric_limits<double>::epsilon() * (expected + judge.free_velocity().cwiseAbs()).maxCoeff();
    CHECK(floor >= least);
    CHECK(floor <= 4.0 * least);
    for (int time = 0; time < 3; ++time) CHECK(judge.evaluate(Measure::rounding_floor, {&x, nullptr}) == floor);
  }
}
