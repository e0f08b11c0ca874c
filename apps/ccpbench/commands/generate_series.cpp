#include "commands/generate_series.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "bench/run/driver.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "io/fclib_writer.hpp"
#include "io/file.hpp"
#include "io/stored_state.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"
#include "terminal/terminal.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {
namespace {

struct StepRange {
  std::int64_t first = 0, last = 0;
};

StepRange parse_steps(const std::string& text) {
  StepRange range;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  const bool separated = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
  const auto last = separated ? std::from_chars(first.ptr + 1, end, range.last) : first;
  if (!separated || last.ec != std::errc() || last.ptr != end || range.first < 0 || range.last < range.first ||
      range.last > 999999)
    throw InputError("", "--steps", fmt::format("is '{}', expected FIRST:LAST with 0 <= FIRST <= LAST <= 999999", text));
  return range;
}

std::unique_ptr<Motion> start_motion(const NamedScene& named, const SeriesTarget& target) {
  auto motion = named.scene->motion(target.seed);
  if (motion) return motion;
  std::vector<std::string> moving;
  for (const std::string& name : scene_names())
    if (make_scene(name)->motion(0)) moving.push_back(name);
  throw InputError("", "--steps",
                   fmt::format("scene '{}' does not move, expected one of: {}", target.scene, join(moving, ", ")));
}

/// Goes on from the state in a file. Gives the end of the step that led there.
std::optional<StepEnd> restore(Motion& motion, const std::string& path, const FclibInfo& info) {
  try_reading(path, [&] { read_stored_state(path); });
  const StoredState stored = read_stored_state(path);
  try {
    motion.restore(stored.state);
  } catch (const InputError& error) {
    throw InputError(path, "/ccpbench_state", error.what());
  }
  if (stored.parameters != info.parameters || stored.seed != info.seed)
    throw InputError(path, "/ccpbench_state",
                     fmt::format("is of parameters {} with seed {}, expected {} with seed {}", stored.parameters,
                                 stored.seed, info.parameters, *info.seed));
  return stored.end;
}

/// Writes the problem of a step in one form. last: the end of the step before; guess: γ of the problem's own rows; empty:
/// none.
void write_step(const SeriesTarget& target, const Motion& motion, const MotionProblem& step,
                const std::optional<StepEnd>& last, const Vector& guess, FclibInfo info, const std::string& form) {
  const ContactProblem& problem = step.problem;
  const StoredState stored{motion.state(), static_cast<double>(motion.step()) * motion.time_step(), info.parameters,
                           target.seed, last};
  info.title += fmt::format(", step {}", motion.step());
  const auto path =
      std::filesystem::path(target.folder) / fmt::format("{}.{:06}.{}.hdf5", target.scene, motion.step(), form);
  FclibImpulses impulses;
  if (guess.size() > 0) impulses.guesses = {guess};
  const SceneGeometry geometry = geometry_of(motion, step);
  const std::vector<PlacedMesh> meshes = meshes_of(motion);
  write_fclib(path, problem, form == "local" ? FclibForm::local : FclibForm::global, info, impulses, &stored, &geometry,
              &meshes);
  const ConstraintSet& set = problem.constraints();
  const std::string size = fmt::format("contacts: {}", set.count() - set.count(ConstraintKind::bilateral));
  print_line(fmt::format("{}  {}", printable(path.string()), Style::out().dim(size)));
}

/// The impulses to store: in the terms of the problem's own, none that are not finite.
Vector stored_guess(const ContactProblem& problem, const Vector& impulse) {
  if (!impulse.allFinite()) return {};
  return problem.impulse_shift().size() > 0 ? Vector(impulse + problem.impulse_shift()) : impulse;
}

/// The folder of the files. What was made for it and stays empty is removed at the end.
class OutputFolder {
 public:
  explicit OutputFolder(const std::filesystem::path& folder) {
    std::error_code failure;
    for (auto place = std::filesystem::absolute(folder); !std::filesystem::exists(place, failure);
         place = place.parent_path())
      made_.push_back(place);
    std::filesystem::create_directories(folder, failure);
    if (!failure) return;
    remove_empty();
    throw InputError("", "--out", fmt::format("'{}' cannot be made: {}", folder.string(), failure.message()));
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder() { remove_empty(); }

 private:
  void remove_empty() const {
    std::error_code not_empty;
    for (const std::filesystem::path& place : made_) std::filesystem::remove(place, not_empty);
  }

  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

/// Asked before anything is written.
std::unique_ptr<Solver> driving_solver(const std::string& name, Model model) {
  auto solver = make_solver(name);
  if (solver->native(model) || (model == Model::ncp && solver->native(Model::ccp))) return solver;
  throw InputError("", "--driver", fmt::format("{} does not solve the {} model", name, model_name(model)));
}

}  // namespace

int generate_series(const SeriesTarget& target, const SeriesArguments& arguments) {
  const StepRange range = parse_steps(arguments.steps);
  const NamedScene named = named_scene(target.scene, target.settings, target.seed, "--set");
  const auto motion = start_motion(named, target);
  StopRule stop;
  stop.tolerance = arguments.tolerance;
  const Driver driver(driving_solver(arguments.driver, target.model), stop, target.model, 1);
  std::optional<StepEnd> last;
  if (!arguments.start.empty()) last = restore(*motion, arguments.start, named.info);
  if (motion->step() > range.first)
    throw InputError(
        "", "--steps",
        fmt::format("begins at {}, expected at least {}, the step of '{}'", range.first, motion->step(), arguments.start));
  check_output_folder(target.folder);
  const OutputFolder folder(target.folder);
  for (;;) {
    const MotionProblem step = motion->problem();
    const bool ends = motion->step() == range.last;
    Result result;
    if (!ends || target.impulses) {
      result = driver.solve(*motion, step, last ? &*last : nullptr, target.time_limit_s);
      if (result.status != Status::solved)
        print_line(
            fmt::format("step {} is taken unsolved: {} {}", motion->step(), status_name(result.status), result.reason));
    }
    const Vector guess = target.impulses ? stored_guess(step.problem, result.impulse) : Vector{};
    if (motion->step() >= range.first && step.problem.rows() > 0)
      for (const std::string& form : target.forms) write_step(target, *motion, step, last, guess, named.info, form);
    else if (motion->step() >= range.first)
      print_line(fmt::format("step {} has no contact, and no file", motion->step()));
    if (ends) return exit_done;
    last = Driver::take(*motion, step, result);
  }
}

}  // namespace ccp::cli
