#include "bench/run/preparation.hpp"

#include <array>
#include <utility>

#include "bench/run/kernel_times.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/tape.hpp"
#include "io/file.hpp"
#include "process/shared_value.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// The message of the worker of a tape.
struct TapeReport {
  using Text = std::array<char, 4096>;  // with a zero at its end
  Text damage{}, failure{};
  bool io_failure = false;

  static void put(const std::string& text, Text& place) { text.copy(place.data(), place.size() - 1); }
};

}  // namespace

bool Preparation::is_ready(const Cell& cell) const {
  if (cell.spec->sequence) return cell.tape_key.empty() || tapes_.contains(cell.problem_key);
  return built_ && built_key_ == cell.problem_key && built_->serves(cell);
}

std::optional<Defect> Preparation::problem(const Cell& cell) {
  if (!is_ready(cell)) {
    built_.reset();  // first, or two problems would be in memory
    kernels_.clear();
    tried_.clear();
    built_key_ = cell.problem_key;
  }
  if (tried_.insert(cell.model).second && !(built_ && built_->defect())) {
    auto died = run_apart_(cell, cell.limits, [&] {
      if (!built_) built_ = std::make_unique<BuiltProblem>(cell, catalog_);
      built_->judge(cell.model);
    });
    if (died && died->status == Status::interrupted) return died;
    // A time limit would be a measurement of the solver.
    if (died)
      built_ = std::make_unique<BuiltProblem>(Defect{died->status == Status::time_limit ? Status::failed : died->status,
                                                     "the problem cannot be built: " + died->reason});
  }
  if (!built_) built_ = std::make_unique<BuiltProblem>(cell, catalog_);
  if (built_->judge(cell.model) == nullptr) return built_->defect();
  if (cell.kernels) measure_kernels_once(cell);
  return std::nullopt;
}

void Preparation::measure_kernels_once(const Cell& cell) {
  const auto [known, anew] = kernels_.try_emplace(cell.threads);
  if (anew) {  // in a worker of its own, so that what it derives and allocates is gone afterwards
    const SharedValue<KernelTimes> times;
    if (!run_apart_(cell, cell.limits, [&] { *times = measure_kernels(built_->problem(), cell.threads); }))
      known->second = *times;
  }
  built_->set_kernels(known->second);
}

void Preparation::add_facts(const Cell& cell, CellRecord& record) const {
  if (cell.spec->sequence || !is_ready(cell) || built_->defect()) return;
  record.problem = built_->facts();
  if (const auto times = kernels_.find(cell.threads); times != kernels_.end()) record.kernels = times->second;
}

fs::path Preparation::tape_folder(const Cell& cell) const {
  return fs::absolute(store_.folder() / "sequences" / cell.tape_key);
}

std::optional<Defect> Preparation::tape(const Cell& cell, StepCounter& counter, bool was_made, std::string& note) {
  const auto [known, anew] = tapes_.try_emplace(cell.problem_key);
  if (cell.tape_key.empty() || !anew) return known->second;
  const fs::path folder = tape_folder(cell);
  std::error_code ignored;
  if (fresh_ && renewed_.insert(cell.tape_key).second) fs::remove_all(folder, ignored);
  make_folder(folder);
  // The driver watches its time by itself; a step that hangs does not.
  const Limits limits{cell.spec->sequence->driver.wall_s + cell.limits.wall_s, cell.limits.memory_mb};
  const SharedValue<TapeReport> report;
  auto died = run_apart_(cell, limits, [&] {
    keep_freed_memory();
    const auto defect =
        attempt([&] { TapeReport::put(record_tape(cell, catalog_, folder, counter, was_made), report->damage); });
    if (!defect) return;
    if (defect->status == Status::out_of_memory) throw std::bad_alloc();
    TapeReport::put(defect->reason, report->failure);
    report->io_failure = defect->io_failure;
  });
  if (died && died->status == Status::interrupted) return died;
  note = report->damage.data();
  if (died) {
    if (died->status == Status::time_limit) died->status = Status::failed;
    died->reason = "the driver did not come to its end: " + died->reason;
    known->second = std::move(died);
  } else if (report->failure[0] != '\0') {
    known->second = Defect{Status::failed, report->failure.data(), report->io_failure};
  }
  return known->second;
}

}  // namespace ccp
