#include <Eigen/Geometry>
#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>

#include "cones/rolling_cone.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/fixed_point/local_rolling.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

/// Contacts with rolling and spinning friction, in every method that takes them.
using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr ConstraintKind rolling_kinds[] = {ConstraintKind::torsion, ConstraintKind::rolling,
                                            ConstraintKind::rolling_torsion, ConstraintKind::rolling2d};

/// Contacts of all kinds on bodies of six dofs that fall on them. metre: the unit of length, so many of it in 1 m.
ContactProblem falling(std::uint64_t seed, double metre = 1.0, bool local = false) {
  Uniform uniform(seed);
  const int bodies = 4, contacts = 9;
  const Index n = 6 * bodies;
  DenseMatrix H = DenseMatrix::Zero(n, n);
  Vector k(n);
  for (int body = 0; body < bodies; ++body) {
    H.diagonal().segment<6>(6 * body) << Vector3::Constant(2.0 + body), metre * metre * Vector3::Constant(0.3 + 0.1 * body);
    k.segment<3>(6 * body) = (2.0 + body) * metre * Vector3(uniform(), uniform(), -1.0);
    k.segment<3>(6 * body + 3) = metre * metre * 0.3 * uniform.point<Vector3>(2.0);
  }
  ProblemBuilder builder("falling");
  std::vector<Vector> columns;
  for (int contact = 0; contact < contacts; ++contact) {
    const ConstraintKind kind = contact == 8 ? ConstraintKind::contact : rolling_kinds[contact % 4];
    const BlockShape shape = block_shape(kind);
    const int own = contact % bodies, other = contact >= bodies ? (contact + 1) % bodies : -1;
    const Vector3 normal = Vector3(0.3 * uniform(), 0.3 * uniform(), 1.0).normalized();
    const Vector3 tangent = normal.unitOrthogonal(), last = normal.cross(tangent), arm = metre * uniform.point<Vector3>(0.5);
    const Vector3 axes[3] = {normal, tangent, last};
    const auto add = [&](const Vector3& axis, bool moment) {
      Vector column = Vector::Zero(n);
      for (const auto& [body, sign] : {std::pair(own, 1.0), std::pair(other, -1.0)}) {
        if (body < 0) continue;
        if (!moment) column.segment<3>(6 * body) = sign * axis;
        column.segment<3>(6 * body + 3) = sign * (moment ? axis : Vector3(arm.cross(axis)));
      }
      columns.push_back(column);
    };
    for (int i = 0; i < 1 + shape.tangents; ++i) add(axes[i], false);
    for (int i = 1; i <= shape.rollings; ++i) add(axes[i], true);
    if (shape.spins > 0) add(normal, true);
    if (has_moments(kind))
      builder.rolling_contact(kind, 0.4, 0.1 * metre, 0.05 * metre);
    else
      builder.contact(0.4);
  }
  DenseMatrix D(n, std::ssize(columns));
  for (Index j = 0; j < D.cols(); ++j) D.col(j) = columns[static_cast<std::size_t>(j)];
  if (!local) return builder.global(sparse(H), k, sparse(D), Vector::Zero(D.cols())).build();
  const DenseMatrix inverse = H.inverse();
  const DenseMatrix N = D.transpose() * inverse * D;
  return builder.local(sparse(DenseMatrix(0.5 * (N + N.transpose()))), D.transpose() * (inverse * k)).build();
}

RunSpec spec_of(const std::string& solver, Model model, double tolerance = 1e-8) {
  RunSpec spec;
  spec.solver = solver;
  spec.model = model;
  spec.stop = {Measure::relative_residual, tolerance, false, 100000, 20.0};
  return spec;
}

}  // namespace

TEST_CASE("the exact local solver is right on contacts with moments") {
  Uniform uniform(7);
  int open = 0, stick = 0, slip = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    ConstraintSet set;
    const double sizes[] = {0.0, 0.05, 0.3, 0.9, 3.0};
    set.add(rolling_kinds[sample % 4], sizes[sample % 5], {sizes[(sample / 5) % 5], sizes[(sample / 25) % 5], 1.0});
    const RollingCone cone = rolling_cone(set, 0);
    const DenseMatrix root = uniform.matrix(cone.rows, cone.rows);
    BlockSquare N = root * root.transpose() + 0.05 * DenseMatrix::Identity(cone.rows, cone.rows);
    if (sample % 7 == 0) N += 0.02 * (root - root.transpose());  // not symmetric
    const BlockColumn w = uniform.vector(cone.rows), none = BlockColumn::Zero(cone.rows);
    const BlockColumn gamma = solve_rolling_exact({N, w, cone}, none);
    const BlockColumn defect = rolling_defect(cone, gamma, N * gamma + w, Correction::de_saxce);
    CAPTURE(sample, gamma, w);
    CHECK(defect.norm() <= 1e-11 * (1.0 + gamma.norm()));
    CHECK(distance_to_rolling_cone(cone, gamma.data()) <= 1e-15 * gamma.norm());
    ++(gamma.isZero(0.0) ? open : (N * gamma + w).norm() <= 1e-9 ? stick : slip);
  }
  CHECK(open > 500);
  CHECK(stick > 20);
  CHECK(slip > 500);
}

TEST_CASE("methods that take moments find the one velocity of the convex problem, in both forms") {
  const ContactProblem problem = falling(1), given = falling(1, 1.0, true);
  const Result exact = run(problem, spec_of("proximal_newton", Model::ccp, 1e-12));
  REQUIRE(exact.status == Status::solved);
  Vector scratch, u, other;
  problem.local_velocity(problem.own_impulse(exact.impulse), scratch, u);
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    if (!solver->info().moments) continue;
    const Model model = solver->native(Model::ccp) ? Model::ccp : Model::ncp;
    CAPTURE(name);
    for (const ContactProblem& form : {problem, given}) {
      if (solver->supports(form, model)) continue;
      const Result result = run(form, spec_of(name, model));
      CHECK(result.status == Status::solved);
      if (model == Model::ncp) continue;
      form.local_velocity(form.own_impulse(result.impulse), scratch, other);
      CHECK((other - u).norm() <= 1e-5 * u.norm());
    }
  }
}

TEST_CASE("interior points split contacts with moments, in both forms with velocities, and take warm starts") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ContactProblem problem = falling(seed);
    for (const auto& [name, model] : {std::pair("ipm_cone", Model::ccp), std::pair("nonsmooth_ipm", Model::ncp)}) {
      CAPTURE(seed, name);
      RunSpec spec = spec_of(name, model, 1e-9);
      const Result normal = run(problem, spec);
      spec.settings = {{"linear_system", "saddle"}};
      const Result saddle = run(problem, spec);
      REQUIRE(normal.status == Status::solved);
      REQUIRE(saddle.status == Status::solved);
      CHECK((normal.velocity - saddle.velocity).norm() <= 1e-7 * normal.velocity.norm());
      CHECK(normal.velocity.size() == problem.dofs());
      spec.start.impulse = normal.impulse;
      spec.start.velocity = normal.velocity;
      CHECK(run(problem, spec).iterations <= 1);
      spec.start.impulse *= 1.001;
      CHECK(run(problem, spec).iterations < normal.iterations);
      spec.settings = {{"linear_system", "schur"}};
      const auto reason = configured(spec)->supports(problem, model);
      REQUIRE(reason);
      CHECK(reason->find("schur takes no rolling") != std::string::npos);
    }
  }
}

TEST_CASE("methods that do not take moments say so") {
  const ContactProblem problem = falling(1);
  int refused = 0;
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    if (solver->info().moments) continue;
    const auto reason = solver->supports(problem, Model::ncp);
    REQUIRE(reason);
    CHECK(reason->find("rolling") != std::string::npos);
    ++refused;
  }
  CHECK(refused > 3);
}

TEST_CASE("Coulomb's law with moments is solved, and stuck and sliding discs appear") {
  int stuck = 0, sliding = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const ContactProblem problem = falling(seed);
    const ConstraintSet& set = problem.constraints();
    for (const char* name :
         {"nsgs", "proximal_newton", "pqn", "canal", "subadmm", "nonsmooth_ipm", "nonsmooth_ipm_series"}) {
      CAPTURE(seed, name);
      const Result result = run(problem, spec_of(name, Model::ncp));
      REQUIRE(result.status == Status::solved);
      const Vector gamma = problem.own_impulse(result.impulse);
      for (Index i = 0; i < set.count(); ++i) {
        if (!has_moments(set.kind(i)) || gamma[set.offset(i)] <= 0.0) continue;
        const RollingCone cone = rolling_cone(set, i);
        for (int d = 0; d < cone.count; ++d) {
          const ConeDisc& disc = cone.disc[static_cast<std::size_t>(d)];
          const double size = gamma.segment(set.offset(i) + disc.first, disc.size).norm();
          ++(size < 0.999 * disc.radius * gamma[set.offset(i)] ? stuck : sliding);
        }
      }
    }
  }
  CHECK(stuck > 5);
  CHECK(sliding > 5);
}

TEST_CASE("verdicts on contacts with moments do not depend on the metre") {
  constexpr double kilometre = 0x1p-10;  // of it, so that only powers of two change
  const ContactProblem metres = falling(2), others = falling(2, kilometre);
  Judge judge(metres, Model::ncp), other_judge(others, Model::ncp);
  Uniform uniform(8);
  for (int sample = 0; sample < 20; ++sample) {
    const Vector gamma = uniform.vector(metres.rows()), moved = kilometre * gamma;
    for (const Measure measure : {Measure::relative_residual, Measure::natural_map, Measure::merit})
      CHECK(other_judge.evaluate(measure, {&moved, nullptr}) ==
            Approx(judge.evaluate(measure, {&gamma, nullptr})).epsilon(1e-12));
    const Vector given = metres.given_impulse(gamma), other_given = others.given_impulse(moved);
    const Vector lengths = metres.row_lengths();
    for (Index row = 0; row < gamma.size(); ++row)
      CHECK(other_given[row] == Approx(given[row] * kilometre * (lengths[row] != 1.0 ? kilometre : 1.0)));
  }
  // Siconos' map mixes units, and does.
  const Vector gamma = uniform.vector(metres.rows()), moved = kilometre * gamma;
  CHECK(other_judge.evaluate(Measure::given_map, {&moved, nullptr}) !=
        Approx(judge.evaluate(Measure::given_map, {&gamma, nullptr})).epsilon(1e-3));
  const Result first = run(metres, spec_of("nsgs", Model::ncp)), second = run(others, spec_of("nsgs", Model::ncp));
  CHECK(first.iterations == second.iterations);
}

TEST_CASE("without moments in the way a contact with moments is a contact") {
  Uniform uniform(9);
  ProblemBuilder plain("plain"), wide("wide");
  const DenseMatrix root = uniform.matrix(3, 3);
  const DenseMatrix N = root * root.transpose() + DenseMatrix::Identity(3, 3);
  DenseMatrix big = DenseMatrix::Zero(6, 6);
  big.topLeftCorner(3, 3) = N;
  big.bottomRightCorner(3, 3) = DenseMatrix::Identity(3, 3);
  Vector r = Vector::Zero(6);
  r.head<3>() << -1.0, 0.7, -0.9;
  plain.local(sparse(N), r.head(3)).contact(0.3);
  wide.local(sparse(big), r).rolling_contact(ConstraintKind::rolling_torsion, 0.3, 0.2, 0.1);
  const ContactProblem one = plain.build(), other = wide.build();
  for (const char* name : {"nsgs", "proximal_newton", "admm", "pqn", "canal", "subadmm", "al_trdogleg", "nonsmooth_ipm",
                           "nonsmooth_ipm_series"}) {
    CAPTURE(name);
    const Result narrow = run(one, spec_of(name, Model::ncp, 1e-11)), full = run(other, spec_of(name, Model::ncp, 1e-11));
    CHECK((narrow.impulse - full.impulse.head(3)).norm() <= 1e-9);
    CHECK(full.impulse.tail(3).norm() <= 1e-9);
  }
}
