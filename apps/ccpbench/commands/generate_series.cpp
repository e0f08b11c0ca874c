#include "commands/generate_series.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "bench/run/driver.hpp"
#include "bench/run/step_loop.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "io/fclib_writer.hpp"
#include "io/file.hpp"
#include "io/stored_state.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"
#include "terminal/arguments.hpp"
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

std::unique_ptr<Motion> start_motion(const NamedScene& named, const GenerateArguments& options) {
  auto motion = named.scene->motion(*named.info.seed);
  if (motion) return motion;
  std::vector<std::string> moving;
  for (const std::string& name : scene_names())
    if (make_scene(name)->motion(0)) moving.push_back(name);
  throw InputError("", "--steps",
                   fmt::format("scene '{}' does not move, expected one of: {}", options.scene, join(moving, ", ")));
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

std::filesystem::path step_path(const GenerateArguments& options, const Motion& motion, const std::string& ending) {
  return std::filesystem::path(options.out) / fmt::format("{}.{:06}.{}", options.scene, motion.step(), ending);
}

StoredState state_of(const Motion& motion, const FclibInfo& info, const std::optional<StepEnd>& last) {
  return {motion.state(), static_cast<double>(motion.step()) * motion.time_step(), info.parameters, *info.seed, last};
}

void print_written(const std::filesystem::path& path, const std::string& words) {
  print_line(fmt::format("{}  {}", printable(path.string()), Style::out().dim(words)));
}

/// Writes the shapes of a step without contacts. Its name is that of no problem, so that patterns of those do not meet it.
void write_free_step(const GenerateArguments& options, const Motion& motion, const MotionProblem& step,
                     const std::optional<StepEnd>& last, const FclibInfo& info) {
  const auto path = step_path(options, motion, "shapes.h5");
  write_shapes(path, state_of(motion, info, last), geometry_of(motion, step), meshes_of(motion));
  print_written(path, "no contact: shapes alone");
}

/// Writes the problem of a step in one form. last: the end of the step before; guess: γ of the problem's own rows; empty:
/// none.
void write_step(const GenerateArguments& options, const Motion& motion, const MotionProblem& step,
                const std::optional<StepEnd>& last, const Vector& guess, FclibInfo info, const std::string& form) {
  const ContactProblem& problem = step.problem;
  const StoredState stored = state_of(motion, info, last);
  info.title += fmt::format(", step {}", motion.step());
  const auto path = step_path(options, motion, form + ".hdf5");
  FclibImpulses impulses;
  if (guess.size() > 0) impulses.guesses = {guess};
  const SceneGeometry geometry = geometry_of(motion, step);
  const std::vector<PlacedMesh> meshes = meshes_of(motion);
  write_fclib(path, problem, form == "local" ? FclibForm::local : FclibForm::global, info, impulses, &stored, &geometry,
              &meshes);
  const ConstraintSet& set = problem.constraints();
  print_written(path, fmt::format("contacts: {}", set.count() - set.count(ConstraintKind::bilateral)));
}

/// The impulses to store: in the terms of the problem's own, none that are not finite.
Vector stored_guess(const ContactProblem& problem, const Vector& impulse) {
  if (!impulse.allFinite()) return {};
  return problem.own_impulse(impulse);
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
std::unique_ptr<Solver> driving_solver(const GenerateArguments& options, Model model) {
  const std::string& name = options.driver;
  auto solver = make_solver(name);
  set_fields(solver->settings(), options.driver_settings, "--driver-set");
  if (solver->native(model) || (model == Model::ncp && solver->native(Model::ccp))) return solver;
  throw InputError("", "--driver", fmt::format("{} does not solve the {} model", name, model_name(model)));
}

}  // namespace

int generate_series(GenerateArguments options) {
  if (options.out.empty()) options.out = ".";
  const std::vector<std::string> forms =
      options.form == "both" ? std::vector<std::string>{"local", "global"} : std::vector<std::string>{options.form};
  const Model model = *model_from_name(options.model);
  const StepRange range = parse_steps(options.steps);
  const NamedScene named = named_scene(options.scene, options.settings, static_cast<std::uint64_t>(options.seed), "--set");
  const auto motion = start_motion(named, options);
  StopRule stop;
  stop.tolerance = options.tolerance;
  if (options.iterations > 0) stop.max_iterations = options.iterations;
  const Driver driver(driving_solver(options, model), stop, model, 1);
  StepLoop loop{*motion};
  if (!options.start.empty()) loop.last = restore(*motion, options.start, named.info);
  loop.step = motion->step();
  if (loop.step > range.first)
    throw InputError(
        "", "--steps",
        fmt::format("begins at {}, expected at least {}, the step of '{}'", range.first, loop.step, options.start));
  check_output_folder(options.out);
  const OutputFolder folder(options.out);
  const auto solve_and_write = [&](const MotionProblem& step) {
    const bool ends = loop.step == range.last;
    std::optional<Result> result;
    if (!ends || !options.no_solution) {
      result = driver.solve(*motion, step, options.from_zero ? std::nullopt : loop.last, options.time_limit_s);
      if (result->status != Status::solved && options.iterations == 0)
        print_line(fmt::format("step {} is taken unsolved: {} {}", loop.step, status_name(result->status), result->reason));
    }
    const Vector guess = options.no_solution ? Vector{} : stored_guess(step.problem, result->impulse);
    if (loop.step >= range.first && step.problem.rows() > 0)
      for (const std::string& form : forms) write_step(options, *motion, step, loop.last, guess, named.info, form);
    else if (loop.step >= range.first)
      write_free_step(options, *motion, step, loop.last, named.info);
    return ends ? std::nullopt : result;
  };
  loop.run(range.last + 1, solve_and_write);
  return exit_done;
}

}  // namespace ccp::cli
