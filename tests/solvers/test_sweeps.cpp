#include <array>
#include <catch2/catch.hpp>

#include "cones/friction_cone.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "support/bare_monitor.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Projected Gauss–Seidel on the factored operator, contact by contact in their order; or with the exact solutions of
/// contacts in the plane.
class PlainSweeps {
 public:
  explicit PlainSweeps(const ContactProblem& problem, double lambda = 1.0, bool exact = false)
      : lambda_(lambda),
        exact_(exact),
        problem_(problem),
        N_(problem.factored()),
        v_(Vector::Zero(N_.padded_size())),
        gamma_(Vector::Zero(problem.rows())) {}

  void forward() {
    for (Index i = 0; i < problem_.constraints().count(); ++i) relax(i);
  }
  void backward() {
    for (Index i = problem_.constraints().count() - 1; i >= 0; --i) relax(i);
  }
  const Vector& impulse() const { return gamma_; }

 private:
  void relax(Index i) { problem_.constraints().rows(i) == 3 ? relax<3>(i) : relax<2>(i); }

  template <int Rows>
  void relax(Index i) {
    using Numbers = BlockVector<Rows>;
    const Index offset = problem_.constraints().offset(i);
    const double mu = problem_.constraints().friction(i);
    const Numbers old = gamma_.segment<Rows>(offset);
    const Numbers u = N_.local_velocity<Rows>(i, v_.data(), old) + problem_.free_velocity().segment<Rows>(offset);
    Numbers updated = project_friction_cone(Numbers(old - 1.0 / stable_rate(N_.diagonal_block(i)) * u), mu);
    if constexpr (Rows == 2) {
      if (exact_) {
        Matrix3 N_ii = N_.diagonal_block(i);
        N_ii(2, 2) = 1.0;
        const Vector2 w = u - N_ii.topLeftCorner<2, 2>() * old;
        updated = solve_planar_exact({N_ii, {w[0], w[1], 0.0}, mu}).head<2>();
      }
    }
    if (lambda_ != 1.0) updated = lambda_ * updated + (1.0 - lambda_) * old;
    const Numbers delta = updated - old;
    if (delta.isZero(0.0)) return;
    gamma_.segment<Rows>(offset) = updated;
    N_.add_impulse<Rows>(i, delta, v_.data());
  }

  double lambda_;
  bool exact_;
  const ContactProblem& problem_;
  const FactoredDelassus& N_;
  Vector v_, gamma_;
};

class Patience final : public BareMonitor {
 public:
  explicit Patience(int every = 1) : every_(every) {}
  bool go_on(const Iterate& iterate) override {
    if (calls_ % every_ == 0) impulse = iterate.impulse();
    return ++calls_ < 100;
  }

  Vector impulse;

 private:
  int every_, calls_ = 0;
};

}  // namespace

TEST_CASE("sweeps that change nothing go on from exact velocities and keep the shift") {
  const Vector3 shift(-0.5, 0.25, 0.0);
  for (const double mass : {2.0, 3.0, 5.0}) {
    CAPTURE(mass);
    const ContactProblem problem = point_mass(mass, {-1.0, 0.3, 0.0}, 1.0);
    Patience monitor;
    const Outcome outcome = make_solver("gauss_seidel")->prepare(problem, Model::ccp, monitor)->run({}, shift, monitor);
    Vector scratch, u;
    problem.local_velocity(outcome.impulse, scratch, u);
    CHECK((u + shift).cwiseAbs().maxCoeff() <= 1e-15);
  }
}

TEST_CASE("sweeps have the bits they have when every iterate is looked at where only the last one is, or the fifth") {
  const ContactProblem problem = random_problem(33, {30, 203});
  REQUIRE(problem.factored().contact_pairs());
  const auto last_of = [&](int every) {
    Patience monitor(every);
    const Outcome outcome =
        make_solver("gauss_seidel")->prepare(problem, Model::ccp, monitor)->run({}, Vector::Zero(problem.rows()), monitor);
    return std::pair(outcome.impulse, monitor.impulse);
  };
  const auto [impulse, shown] = last_of(1);
  CHECK(impulse == shown);  // that of the iterate the monitor said no to
  CHECK(last_of(5).first == impulse);
  CHECK(last_of(1000).first == impulse);
}

namespace {

void check_sweeps(const ContactProblem& problem, const char* solver) {
  StopRule stop;
  stop.max_iterations = 6;
  stop.tolerance = 0.0;
  const bool exact = solver == std::string("nsgs");
  for (const auto& [order, lambda] : {std::pair("forward", 1.0), std::pair("symmetric", 1.0), std::pair("symmetric", 0.7)}) {
    CAPTURE(problem.mass().blocks().count(), solver, order, lambda);
    PlainSweeps plain(problem, lambda, exact);
    for (int sweep = 0; sweep < stop.max_iterations; ++sweep) {
      plain.forward();
      if (order == std::string("symmetric")) plain.backward();
    }
    const Model model = exact ? Model::ncp : Model::ccp;
    const Result result = run(problem, {solver, model, stop, {{"sweep", std::string(order)}, {"lambda", lambda}}});
    REQUIRE(result.iterations == stop.max_iterations);
    CHECK(result.impulse == plain.impulse());
  }
}

}  // namespace

TEST_CASE("sweeps by groups have the bits of sweeps in the order of the contacts") {
  // With so many bodies that groups share none, with so few that all do, and between them; and with compliance.
  RandomShape soft{30, 203};
  soft.compliance = true;
  for (const RandomShape& shape : {RandomShape{150, 403}, RandomShape{30, 203}, RandomShape{6, 67}, soft}) {
    check_sweeps(random_problem(31, shape), "gauss_seidel");
    RandomShape planar = shape;
    std::swap(planar.contacts, planar.planar);
    const ContactProblem in_plane = random_problem(31, planar);
    REQUIRE(in_plane.factored().contact_pairs());
    check_sweeps(in_plane, "gauss_seidel");
    check_sweeps(in_plane, "nsgs");
  }
  // In space and in the plane: one by one.
  check_sweeps(random_problem(31, {30, 60, 41}), "gauss_seidel");
}

TEST_CASE("coloured_blocks: blocks that N couples have different colours, and each block the least free one") {
  // A ring of five blocks, an entry of which is in one triangle alone, and a block by itself.
  DenseMatrix N = DenseMatrix::Identity(6, 6);
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 3), std::pair(3, 4)}) N(i, j) = N(j, i) = 0.5;
  N(4, 0) = 0.5;
  ConstraintSet set;
  for (int i = 0; i < 6; ++i) set.add(ConstraintKind::unilateral, 0.0);
  const BlockColours colours = coloured_blocks(set, sparse(N));
  CHECK(colours.order == std::vector<int>{0, 2, 5, 1, 3, 4});
  CHECK(colours.start == std::vector<Index>{0, 3, 5, 6});
}

TEST_CASE("coloured sweeps are sweeps in their order, with the same bits on any number of threads") {
  StopRule stop;
  stop.max_iterations = 5;
  stop.tolerance = 0.0;
  // The second with a body at many contacts: colours of one block.
  for (const RandomShape& shape : {RandomShape{900, 1500}, RandomShape{3, 60}, RandomShape{6, 8, 3, 3, 3}}) {
    const ContactProblem problem = as_local(random_problem(35, shape));
    CAPTURE(shape.bodies);
    const BlockColours colours = coloured_blocks(problem.constraints(), problem.local().N);
    Vector gamma = Vector::Zero(problem.rows());
    for (int sweep = 0; sweep < stop.max_iterations; ++sweep)
      for_blocks(
          problem.constraints(), 0, problem.constraints().count(), [&](Index k) { return Index{colours.order[uz(k)]}; },
          [&](const auto& block) {
            using Block = std::decay_t<decltype(block)>;
            const typename Block::Point u =
                problem.assembled().row_product<Block::rows>(block.index, gamma.data()) + block.of(problem.free_velocity());
            const double step = 1.0 / stable_rate(problem.assembled().diagonal_block(block.index));
            block.of(gamma) = block.project(block.of(std::as_const(gamma)) - step * u);
          });
    for (const auto& [solver, model] : {std::pair("gauss_seidel", Model::ccp), std::pair("nsgs", Model::ncp)}) {
      RunSpec spec{solver, model, stop, {{"sweep", std::string("coloured")}}};
      const Vector alone = run(problem, spec).impulse;
      if (model == Model::ccp) CHECK((alone - gamma).norm() <= 1e-12 * gamma.norm());
      for (const int threads : {2, 3}) {
        spec.threads = threads;
        CHECK(run(problem, spec).impulse == alone);
      }
    }
  }
}

TEST_CASE("coloured sweeps need N assembled") {
  const RunSpec spec{"nsgs", Model::ncp, {}, {{"sweep", std::string("coloured")}, {"operator", std::string("factored")}}};
  CHECK(configured(spec)->supports(random_problem(35, {3, 6}), Model::ncp) ==
        std::string("sweep = coloured needs operator = assembled or auto"));
}

TEST_CASE("direct joints: all bilateral rows at once, then a sweep of the others") {
  const ContactProblem problem = random_problem(36, {6, 5, 3, 3, 7});
  const ConstraintSet& set = problem.constraints();
  const DenseMatrix N = DenseMatrix(as_local(problem).local().N);
  std::vector<Index> rows;
  for (Index i = 0; i < set.count(); ++i)
    if (set.kind(i) == ConstraintKind::bilateral) rows.push_back(set.offset(i));
  const DenseMatrix joints = N(rows, rows);
  StopRule stop;
  stop.max_iterations = 4;
  stop.tolerance = 0.0;
  Vector gamma = Vector::Zero(problem.rows());
  for (int sweep = 0; sweep < stop.max_iterations; ++sweep) {
    gamma(rows) -= joints.llt().solve((N * gamma + problem.free_velocity())(rows));
    for_blocks(
        set, 0, set.count(), [](Index k) { return k; },
        [&](const auto& block) {
          using Block = std::decay_t<decltype(block)>;
          if (Block::kind == ConstraintKind::bilateral) return;
          const double step = 1.0 / stable_rate(problem.assembled().diagonal_block(block.index));
          const typename Block::Point u = block.of(Vector(N * gamma + problem.free_velocity()));
          block.of(gamma) = block.project(block.of(std::as_const(gamma)) - step * u);
        });
  }
  for (const char* form : {"assembled", "factored"}) {
    const RunSpec spec{"gauss_seidel", Model::ccp, stop, {{"direct_joints", true}, {"operator", std::string(form)}}};
    CAPTURE(form);
    const Result result = run(problem, spec);
    CHECK((result.impulse - gamma).norm() <= 1e-10 * gamma.norm());
    CHECK(result.counters.factorizations == 1);
    CHECK(result.counters.back_solves == stop.max_iterations);
  }
}

TEST_CASE("direct joints take fewer sweeps, with redundant joints and by colours, too") {
  // A chain of joints, every one of them twice, whose end is pressed down.
  const Index links = 40;
  DenseMatrix N = DenseMatrix::Zero(2 * links + 1, 2 * links + 1);
  const auto joint = [](Index row) { return row / 2; };
  for (Index i = 0; i < 2 * links; ++i)
    for (Index j = 0; j < 2 * links; ++j)
      N(i, j) = joint(i) == joint(j) ? 2.0 : std::abs(joint(i) - joint(j)) == 1 ? -1.0 : 0.0;
  N(2 * links, 2 * links) = 1.0;
  for (const Index i : {2 * links - 1, 2 * links - 2}) N(i, 2 * links) = N(2 * links, i) = -0.5;
  ConstraintSet set;
  for (Index i = 0; i < 2 * links; ++i) set.add(ConstraintKind::bilateral, 0.0);
  set.add(ConstraintKind::unilateral, 0.0);
  Vector r = Vector::Zero(2 * links + 1);
  r[2 * links] = -1.0;
  const ContactProblem problem = ProblemBuilder("chain").local(sparse(N), r).constraints(set).build();
  StopRule stop;
  stop.measure = Measure::velocity_residual;
  stop.tolerance = 1e-10;
  stop.max_iterations = 400;
  CHECK(run(problem, {"nsgs", Model::ncp, stop}).status == Status::iteration_limit);
  for (const char* order : {"forward", "symmetric", "coloured"}) {
    const Result direct = run(problem, {"nsgs", Model::ncp, stop, {{"direct_joints", true}, {"sweep", std::string(order)}}});
    CAPTURE(order);
    CHECK(direct.status == Status::solved);
    CHECK(direct.iterations <= 60);
    CHECK(direct.impulse[2 * links] > 1.0);
  }
}
