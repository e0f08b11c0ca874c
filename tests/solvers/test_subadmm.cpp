#include <Eigen/Cholesky>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "io/fclib_reader.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/shared/padded_blocks.hpp"
#include "solvers/splitting/subsystem_system.hpp"
#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"
#include "support/small_problems.hpp"
#include "support/trees.hpp"

/// SubADMM and its baselines against the equations of the paper, worked out densely, and against exact sequences.
using namespace ccp;
using namespace ccp::testing;

namespace {

const std::pair<std::string, FieldValue> fixed_policy{"step_policy", std::string("fixed")};

/// Columns of `solver` after each of so many iterations.
Recorder recorded(const ContactProblem& problem, const RunSpec& spec, int iterations) {
  const auto solver = configured(spec);
  Recorder recorder(iterations);
  solver->prepare(problem, spec.model, recorder)->run({}, Vector::Zero(problem.rows()), recorder);
  return recorder;
}

/// One dense part: D_p as n×3, of a constraint, in a subsystem.
struct DensePart {
  Index constraint, subsystem;
  DenseMatrix D;
};

/// Eqs. 34–39, 42 and 43 of the paper as they stand, with u_ij = −λ_i kept for each part.
class SplitLetter {
 public:
  SplitLetter(const ContactProblem& problem, const Subsystems& parts, Model model, double first)
      : problem_(problem), start_(parts.start), model_(model), beta(first) {
    const std::vector<int> owner = parts.owner();
    const DenseMatrix H(problem.global().H);
    for (Index p = 0; p < parts.parts(); ++p) {
      const auto q = static_cast<std::size_t>(p);
      DensePart part{parts.constraint[q], owner[static_cast<std::size_t>(parts.last[q])], DenseMatrix::Zero(H.rows(), 3)};
      for (std::size_t e = parts.first[q]; e < parts.first[q + 1]; ++e) part.D.row(parts.dof[e]) = parts.row[e].transpose();
      parts_.push_back(part);
    }
    z_.assign(parts_.size(), Vector3::Zero());
    u_.assign(parts_.size(), Vector3::Zero());
    gamma.setZero(problem.rows());
  }

  void iterate() {
    const GlobalForm& form = problem_.global();
    DenseMatrix A(form.H);
    Vector rhs = form.k;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      A += beta * parts_[p].D * parts_[p].D.transpose();
      rhs += parts_[p].D * (beta * z_[p] - u_[p]);  // eq. 34; γ pushes: −u_ij = λ_i
    }
    const Vector v = A.ldlt().solve(rhs);
    const Vector offset = form.b + form.C * gamma;
    primal = 0.0;
    for (Index i = 0; i < problem_.constraints().count(); ++i) update(i, v, offset);
    Vector defect = form.H * v - form.k;
    for (std::size_t p = 0; p < parts_.size(); ++p) defect -= parts_[p].D * padded_block(set(), gamma, parts_[p].constraint);
    dual = 0.0;
    for (std::size_t j = 0; j + 1 < start_.size(); ++j)
      dual = std::max(dual, defect.segment(start_[j], start_[j + 1] - start_[j]).norm());
  }

  /// Eq. 43 with γ = 2, bounded.
  void adapt() {
    const double ratio = primal / dual;
    if (ratio > 2.0 || ratio < 0.5) beta *= std::clamp(std::sqrt(ratio), 0.1, 10.0);
  }

 private:
  const ConstraintSet& set() const { return problem_.constraints(); }

  /// Eqs. 35–39 of one constraint: z of its parts, their sum projected, and the multipliers.
  void update(Index i, const Vector& v, const Vector& offset) {
    double c = 0.0, copies = 0.0;
    for (Index row = 0; row < set().rows(i); ++row)
      c = std::max(c, DenseMatrix(problem_.global().C).row(set().offset(i) + row).cwiseAbs().sum());
    Vector3 sum = Vector3::Zero();
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (parts_[p].constraint == i) {
        sum += beta * (parts_[p].D.transpose() * v) + u_[p];
        copies += 1.0;
      }
    const Vector3 old = padded_block(set(), gamma, i);
    const Vector3 constant = padded_block(set(), offset, i) - c * old;
    const Vector3 point = -(sum + beta * constant) / (copies + beta * c);
    const Vector3 now = contact_map_value(set().kind(i), set().friction(i), model_, point);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (parts_[p].constraint == i) {
        const Vector3 w = parts_[p].D.transpose() * v;
        z_[p] = w + (u_[p] + now) / beta;  // eq. 35
        u_[p] += beta * (w - z_[p]);       // eq. 39: −λ_i, as the paper finds
        CHECK((u_[p] + now).norm() <= 1e-12 * (1.0 + now.norm()));
        primal = std::max(primal, (w - z_[p]).norm());
      }
    put_block(set(), gamma, i, now);
  }

  ContactProblem problem_;
  std::vector<Index> start_;
  Model model_;
  std::vector<DensePart> parts_;
  std::vector<Vector3> z_, u_;

 public:
  double beta, primal = 0.0, dual = 0.0;
  Vector gamma;
};

/// Compares 35 iterations of a method with the letter, and says how often β changed.
int compare_split(const ContactProblem& problem, const std::string& solver, Splitting splitting, Model model) {
  const Recorder seen = recorded(problem, {solver, model}, 35);
  const Split split = split_problem(problem, bodies_of(problem), splitting, SplitMatrix::dense);
  SplitLetter letter(problem, split.parts, model, seen.native[0][0]);
  int changes = 0;
  for (std::size_t k = 1; k <= 35; ++k) {
    letter.iterate();
    CAPTURE(problem.name(), solver, model_name(model), k);
    CHECK((seen.impulses[k] - letter.gamma).norm() <= 1e-10 * (1e-3 + letter.gamma.norm()));
    CHECK(seen.native[k][0] == Approx(letter.beta).epsilon(1e-7));
    CHECK(seen.native[k][1] == Approx(letter.primal).epsilon(1e-7).margin(1e-11));
    CHECK(seen.native[k][2] == Approx(letter.dual).epsilon(1e-7).margin(1e-11));
    const double before = letter.beta;
    if (k % 10 == 0) letter.adapt();
    if (letter.beta != before) ++changes;
  }
  return changes;
}

ContactProblem with_compliance(const TreeProblem& tree) {
  const Index m = tree.constraints.rows();
  DenseMatrix C = DenseMatrix::Zero(m, m);
  Uniform uniform(8);
  for (Index i = 0; i < tree.constraints.count(); ++i) {
    const Index rows = tree.constraints.rows(i), offset = tree.constraints.offset(i);
    const DenseMatrix root = uniform.matrix(rows, rows);
    C.block(offset, offset, rows, rows) = 0.3 * root * root.transpose();
  }
  return tree.builder().subsystems(tree.subsystems).compliance(sparse(C)).build();
}

/// Two bodies of unit mass that meet at 1 m/s each, along the normal.
ContactProblem head_on() {
  DenseMatrix D(6, 3);
  D << DenseMatrix::Identity(3, 3), DenseMatrix::Identity(3, 3);
  Vector k(6);
  k << -1, 0, 0, -1, 0, 0;
  ProblemBuilder builder("head on");
  builder.global(diagonal(Vector::Ones(6)), k, sparse(D), Vector3::Zero()).contact(0.5);
  ConstraintSet one;
  one.add(ConstraintKind::contact, 0.5);
  return builder.subsystems(chain_subsystems(one, sparse(D), {0, 3, 6})).build();
}

}  // namespace

TEST_CASE("SubADMM halves the distance to the impulse that stops a unit mass, and two that meet") {
  for (const ContactProblem& problem : {point_mass(1.0, {-1.0, 0.0, 0.0}, 0.5), head_on()})
    for (const Model model : {Model::ncp, Model::ccp}) {
      const Recorder seen = recorded(problem, {"subadmm", model, {}, {{"beta", 1.0}, fixed_policy}}, 50);
      CAPTURE(problem.name(), model_name(model));
      for (std::size_t l = 0; l <= 50; ++l) {
        CHECK(std::abs(seen.impulses[l][0] - (1.0 - std::exp2(-static_cast<double>(l)))) <= 1e-15);
        CHECK(seen.impulses[l].tail(2).norm() == 0.0);
      }
    }
}

TEST_CASE("SubADMM and its baselines are the equations of the paper, iteration by iteration") {
  const TreeProblem tree = branched_trees(5);
  RandomShape mixed{5, 4, 2, 2, 2};
  RandomShape soft = mixed, coupled = mixed;
  soft.compliance = true;
  coupled.coupled_mass = true;
  int changes = 0;
  for (const ContactProblem& problem : {tree.problem(), with_compliance(tree), random_problem(41, mixed, "mixed"),
                                        random_problem(42, soft, "soft"), random_problem(43, coupled, "coupled")})
    for (const Model model : {Model::ncp, Model::ccp}) {
      changes += compare_split(problem, "subadmm", Splitting::bodies, model);
      changes += compare_split(problem, "admm_nobody", Splitting::subsystems, model);
      changes += compare_split(problem, "admm_nosub", Splitting::none, model);
    }
  CHECK(changes > 10);
}

TEST_CASE("a split has the parts of bodies, of subsystems, or of the whole problem") {
  const ContactProblem problem = branched_trees(13).problem();
  const Subsystems bodies = bodies_of(problem);
  const Split split = split_problem(problem, bodies, Splitting::bodies, SplitMatrix::sparse);
  CHECK(split.parts.parts() == 11);
  CHECK(split.parts.parent == std::vector<int>{-1, 0, 1, 2, 1, 4, -1, 6, 7});
  // Constraint 1 joins two links of the first tree.
  CHECK(split_problem(problem, bodies, Splitting::subsystems, SplitMatrix::sparse).parts.parts() == 10);
  const Split whole = split_problem(problem, bodies, Splitting::none, SplitMatrix::sparse);
  CHECK(whole.parts.start == std::vector<Index>{0, 9});
  CHECK(whole.parts.parts() == 7);
  CHECK(whole.tree == std::vector<bool>{false});
  CHECK(split_problem(problem, bodies, Splitting::none, SplitMatrix::dense).tree == std::vector<bool>{true});
  // Without data the dofs that H couples, local form as one.
  CHECK(bodies_of(branched_trees(13).builder().build()).start == std::vector<Index>{0, 6, 9});
  CHECK(bodies_of(as_local(problem)).count() == 1);
}

TEST_CASE("No Body is SubADMM on free bodies, and another method where a constraint joins two links of a tree") {
  const RunSpec body{"subadmm", Model::ncp}, no_body{"admm_nobody", Model::ncp};
  const ContactProblem bodies = random_problem(44, {4, 6, 1, 1, 1}), tree = branched_trees(6).problem();
  CHECK(recorded(bodies, body, 30).impulses == recorded(bodies, no_body, 30).impulses);
  CHECK((recorded(tree, body, 30).impulses.back() - recorded(tree, no_body, 30).impulses.back()).norm() > 1e-6);
}

TEST_CASE("the matrices of No Body and No Sub may be sparse or dense") {
  for (const ContactProblem& problem : {random_problem(45, {4, 6, 1, 1, 1}), branched_trees(7).problem()})
    for (const char* name : {"admm_nobody", "admm_nosub"}) {
      const auto sparse = recorded(problem, {name, Model::ncp, {}, {{"matrix", std::string("sparse")}}}, 30).impulses;
      const auto dense = recorded(problem, {name, Model::ncp, {}, {{"matrix", std::string("dense")}}}, 30).impulses;
      for (std::size_t k = 0; k < sparse.size(); ++k)
        CHECK((sparse[k] - dense[k]).norm() <= 1e-10 * (1.0 + dense[k].norm()));
    }
}

TEST_CASE("No Sub takes a dense matrix of up to 64 velocities, and a sparse one above") {
  for (const int bodies : {10, 11}) {  // 60 and 66 velocities
    const ContactProblem problem = random_problem(46, {bodies, 6, 1, 1, 1});
    const Split split = split_problem(problem, bodies_of(problem), Splitting::none, SplitMatrix::automatic);
    CHECK(split.tree == std::vector<bool>{bodies == 10});
  }
}

TEST_CASE("a fixed point of SubADMM and its baselines solves the problem by every measure of its model") {
  StopRule stop;
  stop.tolerance = 1e-11;
  stop.max_iterations = 20000;
  for (const std::uint64_t seed : {8, 9, 10})
    for (const Model model : {Model::ncp, Model::ccp}) {
      const ContactProblem problem = branched_trees(seed).problem();
      const Result exact = run(problem, {"proximal_newton", model, stop});
      REQUIRE(exact.status == Status::solved);
      Vector scratch, expected, u;
      problem.local_velocity(exact.impulse, scratch, expected);
      for (const char* name : {"subadmm", "admm_nobody", "admm_nosub"}) {
        CAPTURE(name, model_name(model), seed);
        const Result result = run(problem, {name, model, stop});
        CHECK(result.status == Status::solved);
        for (const Measure measure : {Measure::natural_map, Measure::contact_residual, Measure::penetration_velocity,
                                      Measure::cone_violation, Measure::complementarity, Measure::momentum_residual})
          CHECK(result.measures[measure_index(measure)] <= 1e-9);
        problem.local_velocity(result.impulse, scratch, u);
        CHECK((u - expected).norm() <= 1e-8);
      }
    }
}

TEST_CASE("LᵀL along a tree has no entry beside those of ancestors") {
  std::vector<int> parent{-1, 0, 1, 2, 3, 4};  // a floating base with four legs of three joints
  for (int leg = 0; leg < 4; ++leg)
    for (int joint = 0; joint < 3; ++joint) parent.push_back(joint == 0 ? 5 : 5 + 3 * leg + joint);
  const TreeFactor legs({0, 18}, parent, {true});
  CHECK(legs.size() == 117);  // of the 171 of a dense factor

  DenseMatrix A = DenseMatrix::Zero(18, 18), L = A;
  Uniform uniform(3);
  for (int l = 0; l < 18; ++l)
    for (int a = l; a != -1; a = parent[static_cast<std::size_t>(a)]) L(l, a) = a == l ? 2.0 : 0.5 * uniform();
  A = L.transpose() * L;
  std::vector<double> values(117, 0.0);
  for (int l = 0; l < 18; ++l)
    for (int a = l; a != -1; a = parent[static_cast<std::size_t>(a)])
      values[static_cast<std::size_t>(legs.place(l, a))] = A(l, a);
  REQUIRE(legs.factorize(0, values.data()));
  for (int l = 0; l < 18; ++l)
    for (int a = parent[static_cast<std::size_t>(l)]; a != -1; a = parent[static_cast<std::size_t>(a)])
      CHECK(values[static_cast<std::size_t>(legs.place(l, a))] == Approx(L(l, a)).margin(1e-13));
  const Vector x = uniform.vector(18);
  Vector y = A * x;
  legs.solve(0, values.data(), y.data());
  CHECK((y - x).norm() <= 1e-12 * x.norm());
  values.assign(117, 0.0);
  CHECK_FALSE(legs.factorize(0, values.data()));
}

TEST_CASE("the matrix of a subsystem is H plus the contacts of its bodies, moved there by their Jacobians") {
  // Lee et al. 2025, eq. 40, with a random Jacobian of each body.
  const TreeProblem shape = branched_trees(11);
  const auto& parent = shape.subsystems.parent;
  Uniform uniform(12);
  Subsystems data = shape.subsystems;
  data.constraint.clear();
  data.last.clear();
  data.dof.clear();
  data.row.clear();
  data.first = {0};
  DenseMatrix expected = shape.H;
  const double beta = 0.7;
  Index constraint = 0;
  for (const int last : {3, 5, 8}) {
    std::vector<int> path;
    for (int a = last; a != -1; a = parent[static_cast<std::size_t>(a)]) path.insert(path.begin(), a);
    const DenseMatrix J = uniform.matrix(6, static_cast<Index>(path.size()));  // the velocity of the body
    DenseMatrix body = DenseMatrix::Zero(6, 6);
    for (int contact = 0; contact < 4; ++contact) {
      const DenseMatrix W = uniform.matrix(6, 3);
      body += W * W.transpose();
      data.add_part(constraint++, last, path, J.transpose() * W);
    }
    const DenseMatrix moved = beta * J.transpose() * body * J;
    for (std::size_t a = 0; a < path.size(); ++a)
      for (std::size_t b = 0; b < path.size(); ++b)
        expected(path[a], path[b]) += moved(static_cast<Index>(a), static_cast<Index>(b));
  }
  Recorder monitor(0);
  SubsystemSystem system({data, {true, true}}, sparse(shape.H), "auto", monitor);
  REQUIRE(system.factorize(beta, monitor));
  const Vector x = uniform.vector(9);
  Vector v = expected * x;
  REQUIRE(system.solve(v, monitor));
  CHECK((v - x).norm() <= 1e-11 * x.norm());
}

TEST_CASE("the first penalty of SubADMM is the geometric mean of mass over parts") {
  // Bodies of 2 kg with one contact and of 8 kg with two; one of 5 kg without any does not count.
  Vector masses(9);
  masses << 2, 2, 2, 8, 8, 8, 5, 5, 5;
  DenseMatrix D = DenseMatrix::Zero(9, 6);
  D.block(0, 0, 3, 3).setIdentity();
  D.block(3, 0, 3, 3) = -DenseMatrix::Identity(3, 3);
  D.block(3, 3, 3, 3).setIdentity();
  const auto builder = [&] {
    ProblemBuilder problem("masses");
    problem.global(diagonal(masses), Vector::Constant(9, -1.0), sparse(D), Vector::Zero(6)).contact(0.3).contact(0.3);
    return problem;
  };
  for (const char* name : {"subadmm", "admm_nobody", "admm_nosub"})
    CHECK(recorded(builder().build(), {name}, 1).native[1][0] == Approx(std::sqrt(2.0 * 4.0)).epsilon(1e-14));
  Subsystems data = chain_subsystems(builder().build().constraints(), sparse(D), {0, 3, 6, 9});
  data.mass = Vector::Zero(9);
  data.mass[2] = 3.0;
  data.mass[5] = 1.0;
  CHECK(recorded(builder().subsystems(data).build(), {"subadmm"}, 1).native[1][0] == Approx(std::sqrt(1.5)).epsilon(1e-14));
}

TEST_CASE("a new penalty factorises the subsystems that have constraints, and no other") {
  RandomShape shape{6, 9};
  ContactProblem touched = random_problem(46, shape);
  const GlobalForm& form = touched.global();
  DenseMatrix H = DenseMatrix::Identity(42, 42), D = DenseMatrix::Zero(42, form.D.cols());
  H.topLeftCorner(36, 36) = DenseMatrix(form.H);
  D.topRows(36) = DenseMatrix(form.D);
  Vector k = Vector::Ones(42);
  k.head(36) = form.k;
  ProblemBuilder builder("a body that nothing touches");
  const ContactProblem problem = builder.global(sparse(H), k, sparse(D), form.b).constraints(touched.constraints()).build();
  const Subsystems bodies = bodies_of(problem);
  std::vector<bool> has_parts(7, false);
  for (const int last : bodies.last) has_parts[static_cast<std::size_t>(last / 6)] = true;
  const auto with_parts = static_cast<double>(std::count(has_parts.begin(), has_parts.end(), true));
  REQUIRE(with_parts < 7.0);
  StopRule stop;
  stop.tolerance = 0.0;
  stop.max_iterations = 60;
  MemoryTrace trace;
  const Result result = run(problem, {"subadmm", Model::ncp, stop, {{"dead_band", 1.0}}}, &trace);
  const auto changes = static_cast<double>(result.counters.factorizations - 1);
  CHECK(changes >= 2.0);
  CHECK(result.counters.back_solves == 60);
  CHECK(trace.rows.back().counters.projections == 60);
  double seen = 0.0;
  for (std::size_t row = 1; row < trace.rows.size(); ++row)
    if (trace.native(row, "beta") != trace.native(row - 1, "beta")) {
      CHECK(row % 10 == 1);  // after 10, 20, … iterations
      seen += 1.0;
    }
  CHECK(trace.native(60, "subsystem_factorizations") == 7.0 + seen * with_parts);
  CHECK(result.velocity.tail(6) == Vector::Ones(6));
}

TEST_CASE("SubADMM goes on with the penalty of an earlier run, unless it is fixed") {
  const ContactProblem problem = random_problem(47, {4, 6});
  RunSpec spec{"subadmm", Model::ncp};
  spec.stop.max_iterations = 1;
  spec.stop.tolerance = 0.0;
  const double first = run(problem, spec).carried;
  spec.start.carried = 3.0 * first;
  CHECK(run(problem, spec).carried == 3.0 * first);
  spec.start.carried = 1e30;
  CHECK(run(problem, spec).carried == Approx(1e3 * first));
  spec.settings = {fixed_policy};
  CHECK(run(problem, spec).carried == first);
}

TEST_CASE("SubADMM and its baselines solve global dumps, whose bodies are the groups that H does not couple", "[slow]") {
  const std::string folder = fclib_dumps();
  if (folder.empty()) return;
  // Two elastic cubes each, of 81 velocities.
  for (const char* dump : {"LMGC_GlobalFrictionContactProblem00046", "CubeH8"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / "real" / (std::string(dump) + ".hdf5");
    if (!std::filesystem::exists(path)) continue;
    const ContactProblem problem = *read_fclib(path).problem;
    REQUIRE(problem.given_global());
    const Subsystems bodies = bodies_of(problem);
    CAPTURE(dump);
    CHECK(bodies.start == std::vector<Index>{0, 81, 162});
    CHECK(subsystem_defects(bodies, problem.constraints(), problem.global().H, problem.global().D).empty());
    StopRule stop;
    stop.tolerance = 1e-8;
    stop.max_iterations = 1000;
    for (const char* name : {"subadmm", "admm_nobody", "admm_nosub"}) {
      CAPTURE(name);
      for (const Model model : {Model::ncp, Model::ccp}) CHECK(run(problem, {name, model, stop}).status == Status::solved);
    }
  }
}
