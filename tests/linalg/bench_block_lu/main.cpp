// The block and multifrontal LU, and the ordering, beside MUMPS, UMFPACK, AMD and METIS on the matrices of proximal_newton.
// Prints tables in Markdown; results/BLOCK_LU.md has them. See scripts/bench_block_lu.sh.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/fclib_reader.hpp"
#include "linalg/bench_block_lu/cpu_clock.hpp"
#include "linalg/bench_block_lu/newton_matrices.hpp"
#include "linalg/bench_block_lu/orderings.hpp"
#include "linalg/bench_block_lu/timed_solvers.hpp"
#include "linalg/linear_solver.hpp"
#include "support/build_scene.hpp"

namespace ccp::testing {
namespace {

struct Options {
  std::filesystem::path fclib;
  std::string only;
  int repeats = 7;
  bool quick = false;
};

struct NamedProblem {
  std::string name;
  ContactProblem problem;
};

struct SolverTimes {
  std::vector<double> analysis, factorization, solution;  ///< s, one entry a repetition
  double megabytes = 0.0, backward_error = 0.0;
  bool singular = false;
};

struct Comparison {
  std::string problem, order, point, ours;
  Index rows = 0, left_out = 0;
  std::map<std::string, SolverTimes> of;
};

std::vector<NamedProblem> problems(const Options& options) {
  std::vector<NamedProblem> all;
  const auto add = [&](const std::string& name, const std::string& scene,
                       std::initializer_list<std::pair<const char*, const char*>> settings) {
    if (name.find(options.only) != std::string::npos) all.push_back({name, build_scene(scene, settings)});
  };
  add("odd-mass stack", "odd_mass_stack", {});
  if (options.quick) return all;
  add("random contacts 1000", "random_contacts", {{"contacts", "1000"}});
  add("random contacts 5000", "random_contacts", {{"contacts", "5000"}});
  add("press, layers 1000", "sphere_press", {{"spheres", "200"}, {"per_side", "6"}});
  add("press, layers 5000", "sphere_press", {{"spheres", "1000"}, {"per_side", "10"}});
  add("press, disordered 1000", "sphere_press", {{"spheres", "280"}, {"per_side", "6"}, {"packing", "random"}});
  add("press, disordered 5000", "sphere_press", {{"spheres", "1400"}, {"per_side", "10"}, {"packing", "random"}});
  if (options.fclib.empty()) return all;
  std::vector<std::filesystem::path> dumps;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.fclib))
    if (entry.path().extension() == ".hdf5" && entry.path().stem().string().find(options.only) != std::string::npos)
      dumps.push_back(entry.path());
  std::sort(dumps.begin(), dumps.end());
  for (const auto& dump : dumps) {
    FclibFile file = read_fclib(dump);
    if (file.problem && file.problem->constraints().count() >= 50) all.push_back({dump.stem().string(), *file.problem});
  }
  return all;
}

/// ‖b − A x‖/(‖A‖ ‖x‖ + ‖b‖) in the largest norm.
double backward_error(const SparseMatrix& A, const Vector& x, const Vector& b) {
  Vector row_sums = Vector::Zero(A.rows());
  for (int c = 0; c < A.outerSize(); ++c)
    for (SparseMatrix::InnerIterator entry(A, c); entry; ++entry) row_sums[entry.row()] += std::abs(entry.value());
  const double scale = row_sums.maxCoeff() * x.cwiseAbs().maxCoeff() + b.cwiseAbs().maxCoeff();
  return (b - A * x).cwiseAbs().maxCoeff() / scale;
}

/// A right-hand side with entries of a known solution in [−1, 1), zero on identity rows.
Vector right_hand_side(const NewtonMatrix& matrix) {
  Vector y(matrix.scalar.cols());
  std::uint64_t state = 1;
  for (double& value : y) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  }
  for (std::size_t i = 0; i < matrix.identity.size(); ++i)
    if (matrix.identity[i] != 0) y.segment<3>(3 * static_cast<Index>(i)).setZero();
  return matrix.scalar * y;
}

/// One repetition of one solver: an analysis, and factorisations and solutions after a first one that allocates.
void repeat_once(const std::string& name, const NewtonMatrix& matrix, const Vector& rhs, SolverTimes& times) {
  const auto solver = make_timed_solver(name, matrix);
  const double begin = cpu_seconds();
  solver->analyze();
  times.analysis.push_back(cpu_seconds() - begin);
  times.singular = !solver->factorize();
  if (times.singular) return;
  Vector x = Vector::Zero(rhs.size());
  times.factorization.push_back(seconds_a_call([&] { solver->factorize(); }));
  times.solution.push_back(seconds_a_call([&] { solver->solve(rhs, x); }));
  times.megabytes = solver->megabytes();
  times.backward_error = backward_error(matrix.scalar, x, rhs);
}

Comparison compare(const NewtonMatrix& matrix, int repeats) {
  Comparison result{matrix.problem,
                    matrix.order,
                    matrix.point,
                    taken_by_proximal_newton(matrix),
                    matrix.scalar.rows(),
                    matrix.left_out(),
                    {}};
  const Vector rhs = right_hand_side(matrix);
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (const std::string& name : timed_solver_names())
      if (!result.of[name].singular) repeat_once(name, matrix, rhs, result.of[name]);
  return result;
}

double time_of(const Comparison& c, const std::string& solver, std::vector<double> SolverTimes::*phase) {
  const SolverTimes& times = c.of.at(solver);
  return times.singular ? std::nan("") : median(times.*phase);
}

std::string number(double value) {
  if (!std::isfinite(value)) return "–";
  return value < 10.0 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

std::string ratio(const Comparison& c, const std::string& solver, std::vector<double> SolverTimes::*phase) {
  return number(time_of(c, solver, phase) / time_of(c, c.ours, phase));
}

std::string other(const std::string& ours) { return ours == "blocks" ? "fronts" : "blocks"; }

std::vector<std::string> peers() {
  auto names = timed_solver_names();
  names.erase(names.begin(), names.begin() + 2);
  return names;
}

void print_row(const std::vector<std::string>& cells) {
  fmt::print("|");
  for (const std::string& cell : cells) fmt::print(" {} |", cell);
  fmt::print("\n");
}

void print_header(const std::vector<std::string>& cells) {
  print_row(cells);
  fmt::print("|");
  for (std::size_t i = 0; i < cells.size(); ++i) fmt::print("---|");
  fmt::print("\n");
}

/// `head`, and the names of the compared solvers after it, as often as there are heads.
std::vector<std::string> with_peers(std::vector<std::string> cells, const std::vector<std::string>& heads) {
  for (const std::string& head : heads) {
    cells.push_back(head);
    for (const std::string& name : peers()) cells.push_back(name == "mumps" ? "MUMPS" : "UMFPACK");
  }
  return cells;
}

/// Time of ours in ms, and the ratios of the others.
void add_times(const Comparison& c, std::vector<double> SolverTimes::*phase, std::vector<std::string>& cells) {
  cells.push_back(number(1e3 * time_of(c, c.ours, phase)));
  for (const std::string& name : peers()) cells.push_back(ratio(c, name, phase));
}

/// Pairs (start, later) follow each other, as newton_matrices() makes them.
void print_factorizations(const std::vector<Comparison>& all) {
  std::vector<std::string> head = with_peers({"problem", "unknowns", "rows", "ours"}, {"start, ms"});
  head.insert(head.end(), {"the other of ours", "left out"});
  head = with_peers(head, {"later, ms"});
  head.emplace_back("the other of ours");
  print_header(head);
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    const Comparison &start = all[i], &later = all[i + 1];
    std::vector<std::string> cells{start.problem, start.order, std::to_string(start.rows), start.ours};
    add_times(start, &SolverTimes::factorization, cells);
    cells.push_back(ratio(start, other(start.ours), &SolverTimes::factorization));
    cells.push_back(std::to_string(3 * later.left_out));
    add_times(later, &SolverTimes::factorization, cells);
    cells.push_back(ratio(later, other(later.ours), &SolverTimes::factorization));
    print_row(cells);
  }
}

void print_the_rest(const std::vector<Comparison>& all) {
  print_header(with_peers({"problem", "unknowns"}, {"analysis, ms", "solution, ms", "factors, MB", "backward error"}));
  for (const Comparison& c : all) {
    if (c.point != "start") continue;
    std::vector<std::string> cells{c.problem, c.order};
    add_times(c, &SolverTimes::analysis, cells);
    add_times(c, &SolverTimes::solution, cells);
    const SolverTimes& ours = c.of.at(c.ours);
    cells.push_back(number(ours.megabytes));
    for (const std::string& name : peers()) cells.push_back(number(c.of.at(name).megabytes / ours.megabytes));
    cells.push_back(fmt::format("{:.0e}", ours.backward_error));
    for (const std::string& name : peers()) cells.push_back(fmt::format("{:.0e}", c.of.at(name).backward_error));
    print_row(cells);
  }
}

/// Geometric means of the ratios, apart for the kinds of unknowns, for small and large factorisations, and by point.
void print_means(const std::vector<Comparison>& all) {
  print_header(with_peers({"unknowns", "ours", "point", "matrices"}, {"the other of ours"}));
  for (const std::string order : {"contacts", "velocities"})
    for (const std::string ours : {"blocks", "fronts"})
      for (const std::string point : {"start", "later"}) {
        std::map<std::string, double> logs;
        int count = 0;
        for (const Comparison& c : all) {
          if (c.order != order || c.ours != ours || c.point != point) continue;
          ++count;
          for (const std::string& name : timed_solver_names())
            logs[name] +=
                std::log(time_of(c, name, &SolverTimes::factorization) / time_of(c, c.ours, &SolverTimes::factorization));
        }
        if (count == 0) continue;
        std::vector<std::string> cells{order, ours, point, std::to_string(count),
                                       number(std::exp(logs[other(ours)] / count))};
        for (const std::string& name : peers()) cells.push_back(number(std::exp(logs[name] / count)));
        print_row(cells);
      }
}

void print_orderings(const std::vector<NewtonMatrix>& matrices, int repeats) {
  bool first = true;
  for (const NewtonMatrix& matrix : matrices) {
    if (matrix.point != "start") continue;
    const std::vector<OrderingCost> costs = compare_orderings(matrix.blocks, matrix.scalar, repeats);
    const OrderingCost& ours = costs.front();
    std::vector<std::string> head{"problem", "unknowns", "ours, ms", "fill", "Gflop"};
    std::vector<std::string> cells{matrix.problem, matrix.order, number(1e3 * ours.seconds), number(ours.mega_nonzeros),
                                   number(ours.giga_flops)};
    for (std::size_t i = 1; i < costs.size(); ++i) {
      head.push_back(costs[i].name);
      cells.push_back(fmt::format("{} / {:.2f} / {:.2f}", number(1e3 * costs[i].seconds),
                                  costs[i].mega_nonzeros / ours.mega_nonzeros, costs[i].giga_flops / ours.giga_flops));
    }
    if (first) print_header(head);
    first = false;
    print_row(cells);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      options.quick = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument("options: --fclib DIR, --repeat N, --only TEXT, --quick");
    const std::string value = argv[++i];
    if (name == "--fclib")
      options.fclib = value;
    else if (name == "--repeat")
      options.repeats = std::max(1, std::stoi(value));
    else if (name == "--only")
      options.only = value;
    else
      throw std::invalid_argument("unknown option " + name + "; options: --fclib DIR, --repeat N, --only TEXT, --quick");
  }
  return options;
}

/// Says whether all solutions are good: what a test can ask of a benchmark.
bool accurate(const std::vector<Comparison>& all) {
  bool good = !all.empty();
  for (const Comparison& c : all) good = good && c.of.at(c.ours).backward_error < 1e-12;
  return good;
}

int run(const Options& options) {
  use_single_blas_thread();
  std::vector<NewtonMatrix> matrices;
  for (const NamedProblem& named : problems(options))
    for (NewtonMatrix& matrix : newton_matrices(named.name, named.problem)) matrices.push_back(std::move(matrix));
  std::vector<Comparison> all;
  for (const NewtonMatrix& matrix : matrices) {
    all.push_back(compare(matrix, options.repeats));
    fmt::print(stderr, "{}, {}, {}: done\n", matrix.problem, matrix.order, matrix.point);
  }
  fmt::print(
      "CPU time, medians of {} repetitions. Columns with the name of a solver: its time over that of ours.\n\n"
      "Factorisation:\n\n",
      options.repeats);
  print_factorizations(all);
  fmt::print("\nGeometric means of these ratios:\n\n");
  print_means(all);
  fmt::print("\nThe rest, at the start:\n\n");
  print_the_rest(all);
  fmt::print(
      "\nOrders of elimination (fill: millions of entries of L + U). The others: ms, fill and operations over those of "
      "ours:\n\n");
  print_orderings(matrices, options.repeats);
  return accurate(all) ? 0 : 1;
}

}  // namespace
}  // namespace ccp::testing

int main(int argc, char** argv) {
  try {
    return ccp::testing::run(ccp::testing::parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
