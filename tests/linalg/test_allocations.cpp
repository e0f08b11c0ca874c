#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "linalg/block/frontal_lu.hpp"
#include "linalg/gmres.hpp"
#include "linalg/matrices.hpp"
#include "support/skip.hpp"

using namespace ccp;
using namespace ccp::testing;

// The sanitizers bring their own malloc.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
}

namespace {

/// Allocations of one solve with two refinement steps, after a first one.
long allocations_of_solve(const std::string& backend, MatrixKind kind) {
  const SparseMatrix matrix = sample_matrix(kind);
  const auto solver = make_linear_solver(backend, kind);
  solver->set_refinement_steps(2);
  REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
  REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
  const Vector rhs = Vector::Ones(matrix.rows());
  Vector x(matrix.rows());
  REQUIRE(solver->solve(rhs, x) == LinearStatus::ok);
  const long before = allocations;
  const LinearStatus status = solver->solve(rhs, x);
  const long after = allocations;
  REQUIRE(status == LinearStatus::ok);
  return after - before;
}

}  // namespace

TEST_CASE("linear solvers: solve() allocates nothing where the backend does not") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    if (backend == "mumps" || backend == "eigen_lu")
      CHECK(allocations_of_solve(backend, kind) > 0);  // says so in the header; and shows that the counter counts
    else
      CHECK(allocations_of_solve(backend, kind) == 0);
  }
}

TEST_CASE("the multifrontal LU takes its memory with the first factorisation") {
  ConstraintSet contacts;
  for (int i = 0; i < 125; ++i) contacts.add(ConstraintKind::contact, 0.5);
  std::vector<Triplet> entries;
  const SparseMatrix graph = laplacian_cube(5);
  for (int c = 0; c < graph.outerSize(); ++c)
    for (SparseMatrix::InnerIterator entry(graph, c); entry; ++entry)
      for (int k = 0; k < 3; ++k) entries.emplace_back(3 * entry.row() + k, 3 * c + k, entry.value() + 0.1 * k);
  SparseMatrix matrix(375, 375);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const BlockMatrix blocks = block_matrix(contacts, matrix);
  FrontalLu lu(blocks, best_ordering(blocks));
  Vector x = Vector::Ones(375);
  const long at_first = allocations;
  REQUIRE(lu.factorize(blocks));
  const long before = allocations;
  const bool again = lu.factorize(blocks);
  lu.solve(x, x);
  const long after = allocations;
  CHECK(again);
  CHECK(before > at_first);
  CHECK(after == before);
}

TEST_CASE("GMRES takes its memory when it is made") {
  const SparseMatrix matrix = sample_matrix(MatrixKind::unsymmetric);
  const Gmres::Operator times = [&matrix](const Vector& x, Vector& y) { y.noalias() = matrix * x; };
  const Gmres::Operator same = [](const Vector& x, Vector& y) { y = x; };
  const Vector rhs = Vector::Ones(matrix.rows());
  Vector x(matrix.rows());
  Gmres gmres(matrix.rows(), 3);
  const long before = allocations;
  const Gmres::Result result = gmres.solve(times, same, rhs, x, 0.0, 10);
  const long after = allocations;
  CHECK(result.products == 10);
  CHECK(after == before);
}

#else

TEST_CASE("linear solvers: solve() allocates nothing where the backend does not") {
  skip("the sanitizers bring their own malloc");
}

#endif
