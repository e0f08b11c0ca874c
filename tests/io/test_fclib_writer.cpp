#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/sample_problems.hpp"
#include "problem/judge/judge.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

// The matrix that takes rows of the problem to rows of the file.
DenseMatrix selection(const FclibLayout& layout, Index size) {
  DenseMatrix matrix = DenseMatrix::Zero(std::ssize(layout.rows), size);
  for (Index i = 0; i < matrix.rows(); ++i)
    if (const Index row = layout.rows[static_cast<std::size_t>(i)]; row >= 0) matrix(i, row) = 1.0;
  return matrix;
}

const std::vector<std::vector<ConstraintKind>> kind_lists = {
    {contact, contact, contact},
    {contact2d, contact2d},
    {contact2d, bilateral, unilateral, contact2d, bilateral},
    {bilateral, contact, unilateral, bilateral, contact, unilateral},
    {unilateral, unilateral},
    {bilateral, bilateral, bilateral},
    {contact},
};

/// The inverse of FclibLayout::to_file; what stands in added rows is dropped.
Vector to_problem(const FclibLayout& layout, const Vector& file_values, Index problem_size) {
  Vector values = Vector::Zero(problem_size);
  for (std::size_t i = 0; i < layout.rows.size(); ++i)
    if (layout.rows[i] >= 0) values[layout.rows[i]] = file_values[static_cast<Index>(i)];
  return values;
}

}  // namespace

TEST_CASE("the rows of a file: contacts first, unilateral rows padded, equality rows last") {
  const FclibLayout layout = fclib_layout(constraint_set({bilateral, contact, unilateral, bilateral}));
  CHECK(layout.spacedim == 3);
  CHECK(layout.contact_rows == 6);
  CHECK(layout.rows == std::vector<Index>{1, 2, 3, 4, -1, -1, 0, 5});
  CHECK(layout.friction == Vector2(0.1, 0.0));
  Vector gamma(6);
  gamma << 10, 11, 12, 13, 14, 15;
  Vector stored(8);
  stored << 11, 12, 13, 14, 0, 0, 10, 15;
  CHECK(layout.to_file(gamma) == stored);
  CHECK(to_problem(layout, stored, 6) == gamma);
  CHECK(fclib_layout(constraint_set({unilateral, contact2d})).rows == std::vector<Index>{0, -1, 1, 2});
  CHECK(fclib_layout(constraint_set({unilateral})).rows == std::vector<Index>{0, -1, -1});
}

TEST_CASE("global problems of all kinds come back exactly") {
  SampleProblems samples(1);
  for (const auto& kinds : kind_lists) {
    const TemporaryFolder folder;
    const ContactProblem problem = samples.global(constraint_set(kinds), 3).build();
    const FclibLayout layout = write_fclib(folder / "a.hdf5", problem, FclibForm::global);
    const FclibFile file = read_fclib(folder / "a.hdf5");
    CHECK(file.remarks.empty());
    CHECK(file.form == FclibForm::global);
    CHECK(file.spacedim == layout.spacedim);
    REQUIRE(file.problem);
    const GlobalForm &given = problem.global(), &read = file.problem->global();
    const DenseMatrix P = selection(layout, problem.rows());
    CHECK(dense(read.H) == dense(given.H));
    CHECK(dense(read.D) == dense(given.D) * P.transpose());
    CHECK(read.k == given.k);
    CHECK(read.b == P * given.b);
    CHECK(file.p == problem.constraints().count(bilateral));
    CHECK(file.contacts == problem.constraints().count() - file.p);
    for (Index i = 0; i < file.contacts; ++i) CHECK(file.problem->constraints().friction(i) == layout.friction[i]);
    CHECK(file.problem->constraints().contacts() == file.contacts);
  }
}

TEST_CASE("local problems of all kinds come back exactly") {
  SampleProblems samples(2);
  for (const auto& kinds : kind_lists) {
    const TemporaryFolder folder;
    const ContactProblem problem = samples.local(constraint_set(kinds));
    const FclibLayout layout = write_fclib(folder / "a.hdf5", problem, FclibForm::local);
    const FclibFile file = read_fclib(folder / "a.hdf5");
    CHECK(file.remarks.empty());
    CHECK(file.form == FclibForm::local);
    const DenseMatrix P = selection(layout, problem.rows());
    CHECK(dense(file.problem->local().N) == P * dense(problem.local().N) * P.transpose());
    CHECK(file.problem->local().r == P * problem.local().r);
  }
}

TEST_CASE("each form can be written from the other, with the same u for every γ") {
  SampleProblems samples(3);
  const ConstraintSet set = constraint_set({bilateral, contact, unilateral, contact});
  const std::vector<ContactProblem> problems = {samples.global(set, 3).build(), samples.local(set)};
  for (const ContactProblem& problem : problems)
    for (const FclibForm form : {FclibForm::local, FclibForm::global}) {
      const TemporaryFolder folder;
      const FclibLayout layout = write_fclib(folder / "a.hdf5", problem, form);
      const ContactProblem read = *read_fclib(folder / "a.hdf5").problem;
      CHECK(read.given_global() == (form == FclibForm::global));
      for (int trial = 0; trial < 3; ++trial) {
        const Vector gamma = samples.vector(problem.rows());
        const Vector u = problem.local().N * gamma + problem.local().r;
        const Vector read_u = read.local().N * layout.to_file(gamma) + read.local().r;
        CHECK((to_problem(layout, read_u, problem.rows()) - u).cwiseAbs().maxCoeff() < 1e-12 * u.cwiseAbs().maxCoeff());
      }
    }
}

TEST_CASE("a compliance becomes virtual degrees of freedom, and every measure stays the same") {
  SampleProblems samples(4);
  const ConstraintSet set = constraint_set({contact, bilateral, contact, bilateral, contact});
  SparseMatrix full = samples.compliance(set, {0, 1});
  SparseMatrix normal_only(set.rows(), set.rows()), singular(set.rows(), set.rows());
  normal_only.insert(4, 4) = 0.25;  // the normal row of the second contact
  DenseMatrix rank_one = DenseMatrix::Zero(set.rows(), set.rows());
  rank_one.block<2, 2>(0, 0) << 4, 2, 2, 1;
  singular = rank_one.sparseView();
  const std::vector<std::pair<SparseMatrix, Index>> cases = {
      {full, 4}, {normal_only, 1}, {singular, 1}, {full + normal_only, 5}};
  for (const auto& [C, virtual_dofs] : cases) {
    const TemporaryFolder folder;
    const ContactProblem problem = samples.global(set, 3).compliance(C).build();
    const FclibLayout layout = write_fclib(folder / "a.hdf5", problem, FclibForm::global);
    const FclibFile file = read_fclib(folder / "a.hdf5");
    CHECK(file.n == problem.dofs() + virtual_dofs);
    CHECK(file.problem->global().C.nonZeros() == 0);
    for (const Model model : {Model::ccp, Model::ncp}) {
      Judge given(problem, model), read(*file.problem, model);
      for (int trial = 0; trial < 3; ++trial) {
        const Vector gamma = samples.vector(problem.rows()), stored = layout.to_file(gamma);
        const Measures expected = given.evaluate(all_measures(), {&gamma}), found = read.evaluate(all_measures(), {&stored});
        CHECK((to_problem(layout, read.local_velocity(), problem.rows()) - given.local_velocity()).cwiseAbs().maxCoeff() <
              1e-12);
        for (const Measure measure :
             {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map, Measure::objective,
              Measure::penetration_velocity, Measure::cone_violation, Measure::complementarity})
          CHECK(found[measure_index(measure)] == Approx(expected[measure_index(measure)]).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE("texts, a solution and guesses are stored with the problem") {
  SampleProblems samples(5);
  const TemporaryFolder folder;
  const ConstraintSet set = constraint_set({bilateral, contact, unilateral, bilateral});
  const ContactProblem problem = samples.global(set, 3).compliance(samples.compliance(set, {1, 3})).build();
  FclibInfo info;
  info.title = "A title";
  info.description = "Bytes: \xA8";
  info.scene = "sample";
  info.parameters = "{\"text\": \"" + std::string(100000, 'x') + "\"}";  // longer than an attribute could be
  info.seed = 18446744073709551615ULL;
  const Vector solution = samples.vector(problem.rows()), guess = samples.vector(problem.rows());
  for (const FclibForm form : {FclibForm::global, FclibForm::local}) {
    const FclibLayout layout = write_fclib(folder / "a.hdf5", problem, form, info, {solution, {guess, solution}});
    const FclibFile file = read_fclib(folder / "a.hdf5");
    CHECK(file.remarks.empty());
    CHECK(file.info == info);
    REQUIRE(file.solution);
    CHECK(*file.impulse(*file.solution) == layout.to_file(solution));
    REQUIRE(file.guesses.size() == 2);
    CHECK(*file.impulse(file.guesses[0]) == layout.to_file(guess));
    CHECK(*file.impulse(file.guesses[1]) == layout.to_file(solution));
    CHECK(file.guesses[0].v.has_value() == (form == FclibForm::global));

    // u and v are those of the stored problem.
    Judge judge(*file.problem, Model::ccp);
    const Vector stored = *file.impulse(*file.solution);
    Point point{&stored, file.solution->v ? &*file.solution->v : nullptr};
    const Measures measures = judge.evaluate(all_measures(), point);
    CHECK((judge.local_velocity().head(file.m) - *file.solution->u).cwiseAbs().maxCoeff() < 1e-12);
    if (form == FclibForm::global) CHECK(measures[measure_index(Measure::momentum_residual)] < 1e-13);
  }
  CHECK_THROWS_AS(write_fclib(folder / "b.hdf5", problem, FclibForm::global, {}, {Vector(Vector::Zero(3)), {}}),
                  std::logic_error);
  CHECK_FALSE(std::filesystem::exists(folder / "b.hdf5"));
}

TEST_CASE("the same problem gives the same bytes") {
  const TemporaryFolder folder;
  for (const char* name : {"a.hdf5", "b.hdf5"}) {
    SampleProblems samples(6);
    write_fclib(folder / name, samples.global(constraint_set({contact, bilateral}), 2).build(), FclibForm::global,
                FclibInfo());
    ::usleep(name[0] == 'a' ? 1100000 : 0);  // time stamps in HDF5 count seconds
  }
  CHECK(read_text(folder / "a.hdf5") == read_text(folder / "b.hdf5"));
}

TEST_CASE("what FCLib cannot hold is refused, and nothing is written") {
  SampleProblems samples(7);
  const TemporaryFolder folder;
  const std::string path = (folder / "a.hdf5").string();
  CHECK_THROWS_WITH(write_fclib(path, samples.local(constraint_set({contact, contact2d})), FclibForm::local),
                    path + ": 1 2D and 1 3D contacts in one problem, which an FCLib file cannot hold");
  CHECK_THROWS_AS(write_fclib(path, samples.local(constraint_set({contact})), FclibForm::global_rolling), std::logic_error);

  SparseMatrix N = DenseMatrix(DenseMatrix::Identity(4, 4)).sparseView();
  N.coeffRef(0, 3) = 0.5;
  const ContactProblem skew =
      ProblemBuilder().local(N, Vector::Zero(4)).constraints(constraint_set({contact, bilateral})).build();
  CHECK_THROWS_WITH(write_fclib(path, skew, FclibForm::local),
                    Catch::Contains("N is not symmetric (5.0e-01) between contacts"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("a W that is not symmetric is written as it is") {
  const TemporaryFolder folder;
  SparseMatrix N = DenseMatrix(2.0 * DenseMatrix::Identity(3, 3)).sparseView();
  N.coeffRef(0, 2) = 0.5;
  const ContactProblem problem = ProblemBuilder().local(N, Vector::Ones(3)).contact(0.5).build();
  write_fclib(folder / "a.hdf5", problem, FclibForm::local);
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(dense(file.problem->local().N) == dense(N));
  CHECK(file.problem->symmetry_defect() == 0.25);
}

TEST_CASE("an H that is not symmetric comes back to the last bit, however little it is off") {
  const TemporaryFolder folder;
  for (const double part : {0.7, 1e-6}) {
    CAPTURE(part);
    DenseMatrix H = DenseMatrix(Vector3(2.0, 3.0, 4.0).asDiagonal());
    H(0, 1) = part;  // one triangle alone, which readers would complete
    const ContactProblem problem = ProblemBuilder()
                                       .global(H.sparseView(), Vector3(1, 2, 3),
                                               DenseMatrix(DenseMatrix::Identity(3, 3)).sparseView(), Vector3(4, 5, 6))
                                       .contact(0.5)
                                       .build();
    write_fclib(folder / "a.hdf5", problem, FclibForm::global, {}, {Vector(Vector3(1.0, 0.25, 0.125)), {}});
    const FclibFile file = read_fclib(folder / "a.hdf5");
    CHECK(file.remarks.empty());
    CHECK(dense(file.problem->global().H) == H);
    CHECK(file.problem->mass_asymmetry() == problem.mass_asymmetry());
    // v of the solution is that of H itself.
    CHECK((H * *file.solution->v - problem.global().k - Vector3(1.0, 0.25, 0.125)).norm() <= 1e-15);
    write_fclib(folder / "b.hdf5", *file.problem, FclibForm::global, {}, {Vector(Vector3(1.0, 0.25, 0.125)), {}});
    CHECK(read_text(folder / "b.hdf5") == read_text(folder / "a.hdf5"));
  }
}

TEST_CASE("a place that cannot be written is an InputError, and an older file survives") {
  SampleProblems samples(8);
  const TemporaryFolder folder;
  const ContactProblem problem = samples.local(constraint_set({contact}));
  CHECK_THROWS_AS(write_fclib(folder / "no" / "a.hdf5", problem, FclibForm::local), InputError);
  CHECK_THROWS_AS(write_fclib(folder.path(), problem, FclibForm::local), InputError);
  std::ofstream(folder / "old.hdf5") << "old";
  CHECK_THROWS_AS(write_fclib(folder / "old.hdf5", samples.local(constraint_set({contact, contact2d})), FclibForm::local),
                  InputError);
  CHECK(read_text(folder / "old.hdf5") == "old");
  CHECK(folder.entries() == 1);
}
