#include <catch2/catch.hpp>

#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/sample_problems.hpp"
#include "support/temporary_folder.hpp"

extern "C" {
#include <fclib.h>
}

using namespace ccp;
using namespace ccp::testing;

// The C library of the FCLib project is the authority on its format: it must read what we write, and we what it writes.
namespace {

// A compressed matrix of the C library.
DenseMatrix dense(const fclib_matrix& matrix) {
  REQUIRE((matrix.nz == -1 || matrix.nz == -2));
  DenseMatrix values = DenseMatrix::Zero(matrix.m, matrix.n);
  for (int k = 0; k < (matrix.nz == -1 ? matrix.n : matrix.m); ++k)
    for (int e = matrix.p[k]; e < matrix.p[k + 1]; ++e)
      (matrix.nz == -1 ? values(matrix.i[e], k) : values(k, matrix.i[e])) += matrix.x[e];
  CHECK(matrix.nzmax == matrix.p[matrix.nz == -1 ? matrix.n : matrix.m]);
  return values;
}

bool same(const double* values, const Vector& expected) { return Vector::Map(values, expected.size()) == expected; }

FclibInfo sample_info() {
  FclibInfo info;
  info.title = "A title";
  info.math_info = "none";
  info.scene = "sample";
  info.parameters = "{}";
  info.seed = 7;
  return info;
}

}  // namespace

TEST_CASE("the FCLib library reads our global files with the same numbers") {
  SampleProblems samples(11);
  for (const auto& kinds : {std::vector{contact, contact}, std::vector{bilateral, contact, unilateral, bilateral},
                            std::vector{contact2d, unilateral, bilateral}}) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.hdf5").string();
    const ConstraintSet set = constraint_set(kinds);
    const ContactProblem problem = samples.global(set, 3).compliance(samples.compliance(set, {0})).build();
    const Vector gamma = samples.vector(problem.rows()), guess = samples.vector(problem.rows());
    StoredState state;  // a group that it does not know
    state.state.values = samples.vector(13);
    const FclibLayout layout = write_fclib(path, problem, FclibForm::global, sample_info(), {gamma, {guess}}, &state);
    const FclibFile file = read_fclib(path);
    const GlobalForm& form = file.problem->global();

    fclib_global* read = fclib_read_global(path.c_str());
    REQUIRE(read != nullptr);
    CHECK(read->spacedim == file.spacedim);
    CHECK(dense(*read->M) == DenseMatrix(form.H));
    CHECK(dense(*read->H) == DenseMatrix(form.D).leftCols(file.m));
    CHECK(same(read->f, form.k));
    CHECK(same(read->w, form.b.head(file.m)));
    CHECK(same(read->mu, layout.friction));
    CHECK((read->G != nullptr) == (file.p > 0));
    if (file.p > 0) {
      CHECK(dense(*read->G) == DenseMatrix(form.D).rightCols(file.p));
      CHECK(same(read->b, form.b.tail(file.p)));
    }
    REQUIRE(read->info != nullptr);
    CHECK(std::string(read->info->title) == "A title");
    CHECK(std::string(read->info->math_info) == "none");

    fclib_solution* solution = fclib_read_solution(path.c_str());
    REQUIRE(solution != nullptr);
    CHECK(same(solution->r, layout.to_file(gamma).head(file.m)));
    CHECK(same(solution->u, *file.solution->u));
    CHECK(same(solution->v, *file.solution->v));
    if (file.p > 0) CHECK(same(solution->l, layout.to_file(gamma).tail(file.p)));
    int count = 0;
    fclib_solution* guesses = fclib_read_guesses(path.c_str(), &count);
    REQUIRE(guesses != nullptr);
    CHECK(count == 1);
    CHECK(same(guesses[0].r, layout.to_file(guess).head(file.m)));

    fclib_delete_global(read);
    fclib_delete_solutions(solution, 1);
    fclib_delete_solutions(guesses, count);
    ::free(read);
  }
}

TEST_CASE("the FCLib library reads our local files with the same numbers") {
  SampleProblems samples(12);
  for (const auto& kinds : {std::vector{contact, contact}, std::vector{bilateral, contact, unilateral, bilateral},
                            std::vector{contact2d, unilateral, bilateral}}) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.hdf5").string();
    const ContactProblem problem = samples.local(constraint_set(kinds));
    const Vector gamma = samples.vector(problem.rows());
    const FclibLayout layout = write_fclib(path, problem, FclibForm::local, sample_info(), {gamma, {}});
    const FclibFile file = read_fclib(path);
    const LocalForm& form = file.problem->local();

    fclib_local* read = fclib_read_local(path.c_str());
    REQUIRE(read != nullptr);
    CHECK(read->spacedim == file.spacedim);
    CHECK(dense(*read->W) == DenseMatrix(form.N).topLeftCorner(file.m, file.m));
    CHECK(same(read->q, form.r.head(file.m)));
    CHECK(same(read->mu, layout.friction));
    CHECK((read->V != nullptr) == (file.p > 0));
    CHECK((read->R != nullptr) == (file.p > 0));
    if (file.p > 0) {
      CHECK(dense(*read->V) == DenseMatrix(form.N).topRightCorner(file.m, file.p));
      CHECK(dense(*read->R) == DenseMatrix(form.N).bottomRightCorner(file.p, file.p));
      CHECK(same(read->s, form.r.tail(file.p)));
    }
    fclib_solution* solution = fclib_read_solution(path.c_str());
    REQUIRE(solution != nullptr);
    CHECK(same(solution->r, layout.to_file(gamma).head(file.m)));
    CHECK(same(solution->u, *file.solution->u));

    fclib_delete_local(read);
    fclib_delete_solutions(solution, 1);
    ::free(read);
  }
}

TEST_CASE("we read what the FCLib library writes") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.hdf5").string();
  // W = [2 1 0; 1 3 0; 0 0 4] by compressed columns with unsorted rows, and a list longer than it need be.
  int pointers[] = {0, 2, 4, 5}, indices[] = {1, 0, 1, 0, 2, 0};
  double values[] = {1, 2, 3, 1, 4, 0}, q[] = {-1, 2, 3}, mu[] = {0.3}, r[] = {1, 0.1, 0.2}, u[] = {0, 5, 6};
  fclib_matrix W = {6, 3, 3, pointers, indices, values, -1, nullptr};
  fclib_local local = {&W, nullptr, nullptr, mu, q, nullptr, 3, nullptr};
  REQUIRE(fclib_write_local(&local, path.c_str()) == 1);
  fclib_solution guess = {nullptr, u, r, nullptr};
  REQUIRE(fclib_write_guesses(1, &guess, path.c_str()) == 1);

  const FclibFile file = read_fclib(path);
  DenseMatrix expected(3, 3);
  expected << 2, 1, 0, 1, 3, 0, 0, 0, 4;
  CHECK(DenseMatrix(file.problem->local().N) == expected);
  CHECK(file.problem->local().r == Vector3(-1, 2, 3));
  CHECK(file.friction_max == 0.3);
  REQUIRE(file.guesses.size() == 1);
  CHECK(*file.guesses[0].r == Vector3(1, 0.1, 0.2));
  CHECK(*file.guesses[0].u == Vector3(0, 5, 6));
}
