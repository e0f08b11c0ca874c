#include "distributed/mpi/product_times.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <petscsys.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "distributed/mpi/graph_cut.hpp"
#include "distributed/mpi/mpi_share.hpp"
#include "distributed/part.hpp"
#include "problem/scene_in_parts.hpp"

namespace ccp {
namespace {

const MPI_Comm all = MPI_COMM_WORLD;
constexpr int untimed = 3;               // products before those that are timed
constexpr double most_rounding = 1e-10;  // of a product, beside that of one process
constexpr useconds_t asleep_us = 50;

double entry(int row) { return 0.5 + row % 17 / 7.0; }

/// N on one of some ranks, with the vectors of a product.
class RankProduct {
 public:
  RankProduct(const PartSource& source, const Cut& cut, int ranks, int number, MPI_Comm communicator) {
    const ProblemOutline outline = source.outline();
    const RankParts parts(outline, ranks, cut);
    rows_ = parts.rows();
    first_rows_ = parts.first_rows();
    RankPart part = parts.part(number);
    fill(part, source);
    const auto share = std::make_shared<MpiShare>(part, communicator);
    problem_.emplace(shared_problem(std::move(part), share, false));
    x_.resize(problem_->rows());
    y_.resize(x_.size());
    for (Index row = 0; row < x_.size(); ++row) x_[row] = entry(rows_[uz(first_rows_[uz(number)] + row)]);
  }

  void run() { problem_->shared().multiply(x_, y_); }

  /// y of all ranks in the order of the problem, on the first of them; of one rank where there is no communicator.
  Vector gathered(MPI_Comm communicator) const {
    std::vector<int> counts;
    for (std::size_t rank = 0; rank + 1 < first_rows_.size(); ++rank)
      counts.push_back(first_rows_[rank + 1] - first_rows_[rank]);
    Vector ordered(std::ssize(rows_)), y(ordered.size());
    MPI_Gatherv(y_.data(), static_cast<int>(y_.size()), MPI_DOUBLE, ordered.data(), counts.data(), first_rows_.data(),
                MPI_DOUBLE, 0, communicator);
    for (std::size_t row = 0; row < rows_.size(); ++row) y[rows_[row]] = ordered[static_cast<Index>(row)];
    return y;
  }

 private:
  std::optional<ContactProblem> problem_;
  std::vector<int> rows_, first_rows_;
  Vector x_, y_;
};

/// N on one process.
class WholeProduct {
 public:
  explicit WholeProduct(ContactProblem problem) : problem_(std::move(problem)), x_(problem_.rows()), y_(x_.size()) {
    for (Index row = 0; row < x_.size(); ++row) x_[row] = entry(static_cast<int>(row));
    run();
  }
  void run() { problem_.factored().multiply(x_, y_); }
  const Vector& product() const { return y_; }

 private:
  ContactProblem problem_;
  Vector x_, y_;
};

struct Seconds {
  double wall = 0.0, cpu = 0.0;
};

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Seconds timed(const std::function<void()>& work) {
  const double wall = MPI_Wtime(), cpu = cpu_s();
  work();
  return {MPI_Wtime() - wall, cpu_s() - cpu};
}

/// Waits for all ranks without taking time from those that work.
void wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(all, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) ::usleep(asleep_us);
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of one kind of product.
struct Times {
  std::vector<double> wall, cpu;
  void add(Seconds seconds) {
    wall.push_back(seconds.wall);
    cpu.push_back(seconds.cpu);
  }
};

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(std::move(ratios));
}

std::string line(const char* what, int contacts, int ranks, const Times& times, const Times& over) {
  return fmt::format("{},{},{},{},{:.4g},{:.4g},{:.3f},{:.3f}\n", what, contacts, ranks, times.wall.size(),
                     median(times.wall), median(times.cpu), median_ratio(times.wall, over.wall),
                     median_ratio(times.cpu, over.cpu));
}

/// The work of product_times() between the start and the end of MPI.
std::string measured(const Scene& scene, const PartSource& source, int contacts, int repeats) {
  int me = 0, ranks = 0;
  MPI_Comm_rank(all, &me);
  MPI_Comm_size(all, &ranks);
  std::vector<int> cells;
  const Cut cut = [&](const BodyGraph& graph) {  // once: PT-Scotch cuts otherwise when it is called again
    if (cells.empty()) cells = cut_graph(graph);
    return cells;
  };
  RankProduct shared(source, cut, ranks, me, all);
  std::optional<RankProduct> one;
  std::optional<WholeProduct> whole;
  if (me == 0) {
    one.emplace(source, cut, 1, 0, MPI_COMM_SELF);
    whole.emplace(scene.build(0));
  }
  Times on_process, on_one, on_all;
  for (int i = -untimed; i < repeats; ++i) {
    Seconds first, second;
    if (me == 0) {
      first = timed([&] { whole->run(); });
      second = timed([&] { one->run(); });
    }
    wait_for_all();
    MPI_Barrier(all);
    const Seconds mine = timed([&] { shared.run(); });
    Seconds third;
    MPI_Allreduce(&mine, &third, 2, MPI_DOUBLE, MPI_MAX, all);
    if (i < 0) continue;
    on_process.add(first);
    on_one.add(second);
    on_all.add(third);
  }
  const Vector y = shared.gathered(all);
  if (me != 0) return "";
  const double largest = whole->product().cwiseAbs().maxCoeff();
  if (y != one->gathered(MPI_COMM_SELF) || !((y - whole->product()).cwiseAbs().maxCoeff() <= most_rounding * largest))
    throw std::runtime_error("products on ranks differ from those on one process");
  return "what,contacts,ranks,repeats,median_s,median_cpu_s,ratio,ratio_cpu\n" +
         line("process", contacts, 0, on_process, on_process) + line("one rank", contacts, 1, on_one, on_process) +
         line("all ranks", contacts, ranks, on_all, on_one);
}

}  // namespace

std::string product_times(const SceneRegistry& scenes, int contacts, int repeats) {
  if (repeats < 1) throw InputError(fmt::format("'--repeat' is {}, expected a number >= 1", repeats));
  const SceneOrigin origin{"random_contacts", {{"contacts", FieldValue(std::int64_t{contacts})}}, 0};
  const auto scene = scenes.make(origin.scene);
  for (const auto& [name, value] : origin.parameters) scene->parameters().set(name, value);
  const auto source = parts_of(origin, scenes);
  ::setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);  // as RankLaunch does: the same cells on all ranks
  MPI_Init(nullptr, nullptr);
  check_petsc(PetscInitializeNoArguments());
  check_petsc(PetscPopSignalHandler());
  std::string lines;
  try {
    lines = measured(*scene, *source, contacts, repeats);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ccpbench-ranks: %s\n", error.what());
    MPI_Abort(all, 1);
  }
  PetscFinalize();
  MPI_Finalize();
  return lines;
}

}  // namespace ccp
