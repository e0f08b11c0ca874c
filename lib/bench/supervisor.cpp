#include "bench/supervisor.hpp"

#include <fmt/format.h>

#include <fstream>

#include "bench/worker.hpp"
#include "core/error.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* log_name = "log.txt";

/// The last line that says something, at most 300 characters; empty when there is none.
std::string last_line(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last.substr(0, 300);
}

/// Keeps of a dead worker's folder only its log, and of any worker an empty log not.
void clean_folder(const fs::path& folder, bool dead) {
  std::error_code ignored;
  std::vector<fs::path> rubbish;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool is_log = entry.path().filename() == log_name;
    const bool empty_log = is_log && entry.file_size(ignored) == 0;
    if (empty_log || (dead && !is_log)) rubbish.push_back(entry.path());
  }
  for (const fs::path& path : rubbish) fs::remove_all(path, ignored);
}

}  // namespace

void Supervisor::Estimate::finished(const std::string& solver, double wall_s) {
  Sum& sum = solvers_[solver];
  if (sum.remaining > 0) --sum.remaining;
  ++sum.done;
  sum.wall_s += wall_s;
}

std::optional<double> Supervisor::Estimate::left_s(int jobs) const {
  Sum all;
  for (const auto& [solver, sum] : solvers_) {
    all.done += sum.done;
    all.wall_s += sum.wall_s;
  }
  if (all.done == 0) return std::nullopt;
  double left = 0.0;
  for (const auto& [solver, sum] : solvers_) {
    const Sum& known = sum.done > 0 ? sum : all;
    left += static_cast<double>(sum.remaining) * known.wall_s / static_cast<double>(known.done);
  }
  return left / jobs;
}

Supervisor::Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, int jobs, RunProgress& progress)
    : plan_(plan), catalog_(catalog), store_(store), jobs_(jobs), progress_(progress) {}

bool Supervisor::run(const std::vector<std::size_t>& cells, const InterruptGuard& guard) {
  counts_ = {};
  counts_.total = cells.size();
  for (const std::size_t index : cells) estimate_.add_remaining(plan_.cells[index].solver->solver);

  std::size_t next = 0;
  while (!guard.interrupted() && (next < cells.size() || pool_.running() > 0)) {
    if (next < cells.size() && pool_.running() < static_cast<std::size_t>(jobs_)) {
      start(cells[next++]);
    } else if (const auto exit = pool_.wait(std::chrono::milliseconds(200))) {
      finish(*exit);
    }
  }
  const auto killed = pool_.kill_all();
  for (const std::size_t index : killed)
    if (!store_.find(plan_.cells[index])) store_.discard(plan_.cells[index]);
  return !guard.interrupted();
}

void Supervisor::build(const Cell& cell) {
  if (!built_ || built_key_ != cell.problem_key) {
    built_.reset();  // before the next one is there, or both would be in memory
    kernels_.clear();
    built_ = std::make_unique<BuiltProblem>(cell, catalog_);
    built_key_ = cell.problem_key;
  }
  if (!cell.kernels || built_->defect()) return;
  const auto [times, fresh] = kernels_.try_emplace(cell.threads);
  if (fresh)
    times->second = measure_kernels_apart(built_->problem(), cell.threads, cell.limits, store_.cell_folder(cell) / log_name);
  built_->set_kernels(times->second);
}

void Supervisor::start(std::size_t index) {
  const Cell& cell = plan_.cells[index];
  store_.prepare(cell);
  build(cell);
  if (built_->judge(cell.model) == nullptr) {
    const auto& [status, reason] = *built_->defect();
    return finish_without_worker(index, status, reason);
  }
  const fs::path folder = fs::absolute(store_.cell_folder(cell));  // a solver may change its directory
  pool_.spawn(index, cell.limits, folder / log_name, [&] { return run_cell(cell, *built_, catalog_, folder); });
  counts_.running = pool_.running();
  progress_.started(cell, counts());
}

void Supervisor::finish_without_worker(std::size_t index, Status status, const std::string& reason) {
  const Cell& cell = plan_.cells[index];
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  record.status = status;
  record.reason = reason;
  store_.store(cell, record);
  report(index, record, 0.0);
}

CellRecord Supervisor::record_of_dead(const Cell& cell, const WorkerExit& exit) const {
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  record.wall_s = exit.wall_s;
  record.peak_memory_mb = exit.peak_memory_mb;
  if (built_ && built_key_ == cell.problem_key && !built_->defect()) {
    record.problem = built_->facts();
    if (const auto times = kernels_.find(cell.threads); times != kernels_.end()) record.kernels = times->second;
  }

  const std::string log = last_line(store_.cell_folder(cell) / log_name);
  const bool no_memory = exit.code == exit_out_of_memory || log.find("bad_alloc") != std::string::npos;
  if (exit.beyond_wall_limit) {
    record.status = Status::time_limit;
    record.reason = fmt::format("wall limit of {} s", cell.limits.wall_s);
  } else if (no_memory) {
    record.status = Status::out_of_memory;
    record.reason = fmt::format("memory limit of {} MiB", cell.limits.memory_mb);
  } else {
    record.status = Status::crashed;
    record.reason = exit.code ? fmt::format("the worker ended with code {} and without a result", *exit.code) : exit.signal;
    if (exit.signal == "SIGKILL") record.reason += " (from outside, perhaps by the system for lack of memory)";
    if (!log.empty()) record.reason += ": " + log;
  }
  return record;
}

void Supervisor::finish(const WorkerExit& exit) {
  const Cell& cell = plan_.cells[exit.id];
  counts_.running = pool_.running();
  const bool in_order = exit.code == 0;
  auto record = in_order ? store_.find(cell) : std::nullopt;
  clean_folder(store_.cell_folder(cell), !record);
  if (!record) {
    record = record_of_dead(cell, exit);
    store_.store(cell, *record);
  }
  report(exit.id, *record, exit.wall_s);
}

void Supervisor::report(std::size_t index, const CellRecord& record, double wall_s) {
  const Cell& cell = plan_.cells[index];
  ++counts_.done;
  if (is_failure(record.status)) ++counts_.failed;
  estimate_.finished(cell.solver->solver, wall_s);
  CellReport report;
  report.cell = &cell;
  report.status = record.status;
  report.reason = record.reason;
  report.iterations = record.iterations;
  report.setup_s = record.setup_s;
  report.solve_s = record.solve_s;
  report.wall_s = wall_s;
  report.stop_value = record.measures[measure_index(cell.stop.measure)];
  progress_.finished(report, counts());
}

RunCounts Supervisor::counts() const {
  RunCounts counts = counts_;
  counts.left_s = estimate_.left_s(jobs_);
  return counts;
}

}  // namespace ccp
