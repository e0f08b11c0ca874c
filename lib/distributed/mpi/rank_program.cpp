#include "distributed/mpi/rank_program.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <petscsys.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include "core/freed_memory.hpp"
#include "distributed/given_parts.hpp"
#include "distributed/job.hpp"
#include "distributed/launch.hpp"
#include "distributed/mpi/graph_cut.hpp"
#include "distributed/mpi/mpi_share.hpp"
#include "distributed/part.hpp"
#include "distributed/part_facts.hpp"
#include "distributed/small_bodies.hpp"
#include "distributed/socket_address.hpp"
#include "problem/share_sums.hpp"
#include "solvers/de_saxce/de_saxce_loop.hpp"

namespace ccp {
namespace {

/// The socket of the first rank.
class JobSocket {
 public:
  explicit JobSocket(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress address(name);
    if (socket_ < 0 || ::connect(socket_, address.get(), address.size()) != 0)
      throw std::system_error(errno, std::generic_category(), "the first rank must run where ccpbench does");
  }
  ~JobSocket() { ::close(socket_); }
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;

  void write(const void* data, std::size_t bytes) const {
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw std::runtime_error("the program that started the ranks is gone");
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
  }
  void read(void* data, std::size_t bytes) const {
    for (char* at = static_cast<char*>(data); bytes > 0;) {
      const ssize_t got = ::recv(socket_, at, bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw std::runtime_error("the program that started the ranks is gone");
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  int socket_;
};

/// Rows go to the socket.
class RowSender final : public TraceSink {
 public:
  explicit RowSender(Packer& packer) : packer_(packer) {}
  void begin(const std::vector<Measure>&, const std::vector<NativeColumn>&) override {}
  void row(const TraceRow& row) override {
    packer_.put(RankFrame::row);
    put(packer_, row);
  }

 private:
  Packer& packer_;
};

const MPI_Comm all_ranks = MPI_COMM_WORLD;

std::vector<char> received_bytes(int from) {
  std::int64_t size = 0;
  MPI_Recv(&size, 1, MPI_INT64_T, from, 0, all_ranks, MPI_STATUS_IGNORE);
  std::vector<char> bytes(uz(size));
  constexpr std::int64_t piece = 1 << 30;
  for (std::int64_t at = 0; at < size; at += piece)
    MPI_Recv(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_CHAR, from, 0, all_ranks,
             MPI_STATUS_IGNORE);
  return bytes;
}

void send_bytes(const std::vector<char>& bytes, int to) {
  const std::int64_t size = std::ssize(bytes);
  MPI_Send(&size, 1, MPI_INT64_T, to, 0, all_ranks);
  constexpr std::int64_t piece = 1 << 30;
  for (std::int64_t at = 0; at < size; at += piece)
    MPI_Send(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_CHAR, to, 0, all_ranks);
}

double over_ranks(double value, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, all_ranks);
  return value;
}

double memory_mb() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_maxrss) / 1024.0 : 0.0;
}

/// One rank. The first one has `packer` and `unpacker` to its socket; the others have none.
class Rank {
 public:
  Rank(int number, int ranks, const SceneRegistry& scenes, Packer* packer, Unpacker* unpacker)
      : number_(number), ranks_(ranks), scenes_(scenes), packer_(packer), unpacker_(unpacker) {}

  void work() {
    return_large_arrays();
    take_job();
    std::shared_ptr<const MpiShare> share;
    const ContactProblem problem = take_problem(share);
    return_freed_memory();
    Judge judge(problem, job_.model);
    RunMonitor monitor(judge, job_.stop, job_.threads);
    std::optional<RowSender> sender;
    if (first()) sender.emplace(*packer_);
    monitor.set_trace(sender ? &*sender : nullptr, job_.trace);
    solve(problem, *share, monitor);
  }

 private:
  bool first() const { return number_ == 0; }

  ContactProblem take_problem(std::shared_ptr<const MpiShare>& share) {
    RankPart part = take_part();
    return_freed_memory();
    share = std::make_shared<MpiShare>(part, all_ranks);
    own_rows_ = static_cast<int>(part.own.rows());
    return shared_problem(std::move(part), share, rank_method_needs_matrices(job_.solver, job_.settings));
  }

  void take_job() {
    std::vector<char> bytes;
    if (first()) {
      take(*unpacker_, job_);
      if (job_.origin.scene.empty()) take(*unpacker_, whole_);
      Packer packer(bytes);
      put(packer, job_);
      for (int to = 1; to < ranks_; ++to) send_bytes(bytes, to);
    } else {
      bytes = received_bytes(0);
      Unpacker unpacker(bytes);
      take(unpacker, job_);
    }
  }

  /// Off the clock while a scene makes numbers, on it while the problem is cut and parts are formed of a whole one.
  RankPart take_part() {
    std::unique_ptr<PartSource> source;
    const bool in_parts = !job_.origin.scene.empty();
    if (in_parts) {
      source = parts_of(job_.origin, scenes_);
    } else if (first()) {
      whole_.form = with_small_bodies(std::move(whole_.form));
      source = std::make_unique<GivenParts>(whole_);
    }
    RankPart part = first() ? cut(*source, in_parts) : received_part();
    return_freed_memory();
    if (in_parts) watch_.stop();
    if (in_parts || first()) fill(part, *source);
    first_cell_ = part.first_cell;
    if (job_.judges_end) part_facts_ = facts_of(part);
    if (in_parts) watch_.start();
    whole_ = {};
    return part;
  }

  RankPart received_part() {
    of_first(0.0);
    watch_.start();
    const std::vector<char> bytes = received_bytes(0);
    Unpacker unpacker(bytes);
    RankPart part;
    take(unpacker, part);
    return part;
  }

  /// Sends their parts to the other ranks, filled unless they do that themselves. That of the first one, to be filled.
  RankPart cut(const PartSource& source, bool in_parts) {
    const ProblemOutline outline = source.outline();
    of_first(0.0);
    watch_.start();
    const RankParts parts(outline, ranks_, cut_graph);
    for (int to = 1; to < ranks_; ++to) {
      std::vector<char> bytes;
      Packer packer(bytes);
      RankPart part = parts.part(to);
      if (!in_parts) fill(part, source);
      put(packer, part);
      send_bytes(bytes, to);
    }
    rows_ = parts.rows();
    first_rows_ = parts.first_rows();
    end_.facts.cut_contacts = parts.cut_contacts();
    end_.facts.imbalance = parts.imbalance();
    return parts.part(0);
  }

  /// Its rows of the start, which the first rank takes from the socket; empty where the run starts from nothing.
  WarmStart take_start() {
    WarmStart start;
    Vector given;
    if (first()) {
      unpacker_->take(given);
      unpacker_->take(start.carried);
    }
    start.carried = of_first(start.carried);
    if (of_first(static_cast<double>(given.size())) == 0.0) return start;
    Vector ordered(given.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) ordered[static_cast<Index>(row)] = given[rows_[row]];
    start.impulse.resize(own_rows_);
    MPI_Scatterv(ordered.data(), counts().data(), first_rows_.data(), MPI_DOUBLE, start.impulse.data(), own_rows_,
                 MPI_DOUBLE, 0, all_ranks);
    return start;
  }
  static double of_first(double value) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, all_ranks);
    return value;
  }

  std::vector<int> counts() const {
    std::vector<int> list;
    for (std::size_t rank = 0; rank + 1 < first_rows_.size(); ++rank)
      list.push_back(first_rows_[rank + 1] - first_rows_[rank]);
    return list;
  }

  void solve(const ContactProblem& problem, const MpiShare& share, RunMonitor& monitor) {
    const auto solver = make_rank_solver(job_.solver);
    for (const auto& [name, value] : job_.settings) solver->settings().set(name, value);
    monitor.clock().add(watch_.seconds());  // of forming the parts
    monitor.begin(solver->info().native);
    auto session = solver->native(job_.model)
                       ? solver->prepare(problem, job_.model, monitor)
                       : make_de_saxce_session(*solver, problem, monitor.judge(), &monitor.clock(), monitor);
    monitor.end_setup();
    monitor.clock().stop();
    const double setup_s = over_ranks(monitor.setup_s(), MPI_MAX);
    if (first()) {
      packer_->put(RankFrame::ready);
      packer_->put(setup_s);
    }
    const WarmStart start = take_start();
    monitor.clock().start();
    const Outcome outcome = session->run(start, Vector::Zero(problem.rows()), monitor);
    monitor.end();
    session.reset();
    end_.crossings = monitor.crossings();
    if (job_.judges_end) judge_returned(outcome, share, monitor);
    // Where the ranks judge, ccpbench has no problem whose units it could turn them into.
    finish(outcome, job_.judges_end ? problem.given_impulse(outcome.impulse) : outcome.impulse, share.traffic(), monitor);
  }

  /// As ccpbench judges it otherwise, without what takes the matrices of all.
  void judge_returned(const Outcome& outcome, const MpiShare& share, RunMonitor& monitor) {
    const UncountedTraffic uncounted(&share);
    monitor.judge().set_unit_error(over_ranks(part_facts_.unit_error, MPI_MAX));
    monitor.measure_end_by(shared_end_measures());
    Result result;
    result.reason = outcome.reason;
    result.crossings = end_.crossings;
    Outcome point;
    point.impulse = outcome.impulse;  // without velocities, as ccpbench gets it
    point.given_up = outcome.given_up;
    judge_end(point, monitor, result);
    end_.crossings = result.crossings;
    end_.judgement = {result.status, result.reason, result.measures, balance(outcome.impulse, share, monitor.judge())};
  }

  /// (D.16), (D.17) by rows: kᵀH⁻¹Dγ = (r − b)ᵀγ and γᵀDᵀH⁻¹Dγ = (u − r)ᵀγ.
  Balance balance(const Vector& impulse, const MpiShare& share, const Judge& judge) const {
    std::array<double, cell_count> cells{};
    std::copy(part_facts_.load_of_cell.begin(), part_facts_.load_of_cell.end(), cells.begin() + first_cell_);
    share.gather(cells);
    const double load = std::accumulate(cells.begin(), cells.end(), 0.0);
    const ConstraintSet& set = judge.problem().constraints();
    const Vector &r = judge.free_velocity(), &u = judge.local_velocity();
    const double gained = dot(&share, set, impulse, r - judge.problem().global().b),
                 squared = dot(&share, set, impulse, u - r);
    if (!(load > 0.0)) return {};
    return {-gained / load, std::sqrt(std::max(0.0, load + 2.0 * gained + squared) / load)};
  }

  void finish(const Outcome& outcome, const Vector& impulse, const Traffic& traffic, RunMonitor& monitor) {
    end_.facts.ranks = ranks_;
    end_.facts.messages = static_cast<std::int64_t>(over_ranks(static_cast<double>(traffic.messages), MPI_SUM));
    end_.facts.bytes_sent = static_cast<std::int64_t>(over_ranks(static_cast<double>(traffic.bytes), MPI_SUM));
    end_.facts.exchanges = traffic.exchanges;
    end_.facts.reductions = traffic.reductions;
    end_.facts.memory_mb = over_ranks(memory_mb(), MPI_MAX);
    end_.elapsed_s = over_ranks(monitor.clock().seconds(), MPI_MAX);
    Vector ordered(std::ssize(rows_));
    MPI_Gatherv(impulse.data(), own_rows_, MPI_DOUBLE, ordered.data(), counts().data(), first_rows_.data(), MPI_DOUBLE, 0,
                all_ranks);
    if (!first()) return;
    end_.iteration = monitor.iteration();
    end_.verdict = monitor.verdict();
    end_.given_up = outcome.given_up;
    end_.reason = outcome.reason;
    end_.carried = outcome.carried;
    end_.counters = monitor.counters();
    end_.impulse.resize(ordered.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) end_.impulse[rows_[row]] = ordered[static_cast<Index>(row)];
    packer_->put(RankFrame::end);
    put(*packer_, end_);
  }

  int number_, ranks_, own_rows_ = 0;
  const SceneRegistry& scenes_;
  Packer* packer_;
  Unpacker* unpacker_;
  RankJob job_;
  RankProblem whole_;            ///< of the first rank, until it is cut
  std::vector<int> rows_;        ///< of the first rank: RankParts::rows()
  std::vector<int> first_rows_;  ///< of the first rank: RankParts::first_rows()
  RankEnd end_;
  PartFacts part_facts_;  ///< where the ranks judge the returned point
  int first_cell_ = 0;
  Stopwatch watch_;
};

/// Runs the work; says what went wrong with it to the first rank's socket, or on standard error, and ends all ranks.
void guarded(int number, const std::function<void()>& work, Packer* packer) {
  std::string text;
  bool out_of_memory = false;
  try {
    work();
    return;
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
    text = memory_reason;
  } catch (const std::exception& error) {
    text = error.what();
  }
  try {
    if (packer != nullptr) {
      packer->put(out_of_memory ? RankFrame::memory : RankFrame::failure);
      if (!out_of_memory) packer->put(text);
    }
  } catch (const std::exception&) {  // nobody listens
  }
  std::fprintf(stderr, "rank %d: %s\n", number, text.c_str());
  MPI_Abort(all_ranks, out_of_memory ? memory_exit : 1);
}

}  // namespace

std::string rank_versions() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string mpi(library, static_cast<std::size_t>(length));
  if (const auto comma = mpi.find(','); comma != std::string::npos) mpi.resize(comma);
  return fmt::format("ranks {}, PETSc {}.{}.{}", mpi, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

int run_rank(const std::string& path, int ranks, const SceneRegistry& scenes) {
  MPI_Init(nullptr, nullptr);
  int number = 0, count = 0;
  MPI_Comm_rank(all_ranks, &number);
  MPI_Comm_size(all_ranks, &count);
  check_petsc(PetscInitializeNoArguments());
  check_petsc(PetscPopSignalHandler());
  std::optional<JobSocket> socket;
  std::optional<Packer> packer;
  std::optional<Unpacker> unpacker;
  guarded(
      number,
      [&] {
        if (number == 0) {
          socket.emplace(path);
          packer.emplace([&](const void* data, std::size_t bytes) { socket->write(data, bytes); });
          unpacker.emplace([&](void* data, std::size_t bytes) { socket->read(data, bytes); });
        }
        if (count != ranks) throw std::runtime_error(fmt::format("started {} ranks, but MPI counts {}", ranks, count));
        Rank(number, ranks, scenes, packer ? &*packer : nullptr, unpacker ? &*unpacker : nullptr).work();
      },
      packer ? &*packer : nullptr);
  PetscFinalize();
  MPI_Finalize();
  return 0;
}

}  // namespace ccp
