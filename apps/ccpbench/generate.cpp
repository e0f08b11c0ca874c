#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/fclib_writer.hpp"
#include "problem_source.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"
#include "terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* footer =
    "Examples\n"
    "  $ ccpbench generate odd_mass_stack\n"
    "  $ ccpbench generate odd_mass_stack --set lift_factor=2 --form local --out test1b.hdf5\n"
    "\n"
    "Writes NAME.local.hdf5 and NAME.global.hdf5, NAME being the scene's or --out without its ending; with one form, --out\n"
    "is the file. A solution is stored only where the judge certifies it: relative residual <= 1e-10.\n";

constexpr double aimed_residual = 1e-12, certified_residual = 1e-10;

struct Options {
  std::string scene, form = "both", model = "ncp", out;
  std::vector<std::string> settings;
  int seed = 0;
};

struct Attempt {
  const char* solver;
  std::vector<std::pair<const char*, const char*>> settings;
};

/// The best point found with its relative residual.
struct Candidate {
  Vector impulse;
  double residual = std::numeric_limits<double>::infinity();
  std::string solver;
};

Candidate best_point(const ContactProblem& problem, Model model) {
  const std::vector<Attempt> attempts = {{"admm", {{"preconditioner", "diagonal"}}}, {"nsgs", {{"local", "exact"}}}};
  const StopRule stop{Measure::relative_residual, aimed_residual, false, 20000, 60.0};
  Candidate best;
  for (const Attempt& attempt : attempts) {
    if (best.residual <= certified_residual) break;
    const auto solver = make_solver(attempt.solver);
    for (const auto& [name, value] : attempt.settings) solver->settings().set_from_text(name, value);
    if (solver->supports(problem, model)) continue;
    Judge judge(problem, model);
    RunMonitor monitor(judge, stop);
    const Result result = solver->solve(problem, model, {}, monitor);
    const double residual = result.measures[measure_index(Measure::relative_residual)];
    if (residual < best.residual) best = {result.impulse, residual, attempt.solver};
  }
  return best;
}

/// The files to write, by form.
std::vector<std::pair<FclibForm, std::filesystem::path>> targets(const Options& options) {
  const std::filesystem::path out = options.out.empty() ? options.scene + ".hdf5" : options.out;
  if (options.form != "both" && !options.out.empty())
    return {{options.form == "local" ? FclibForm::local : FclibForm::global, out}};
  const std::string ending = out.extension() == ".hdf5" || out.extension() == ".h5" ? out.extension().string() : "";
  std::filesystem::path stem = out;
  if (!ending.empty()) stem.replace_extension();
  const auto named = [&](const char* form) { return std::filesystem::path(stem.string() + "." + form + ".hdf5"); };
  std::vector<std::pair<FclibForm, std::filesystem::path>> files;
  if (options.form != "global") files.emplace_back(FclibForm::local, named("local"));
  if (options.form != "local") files.emplace_back(FclibForm::global, named("global"));
  return files;
}

int generate(const Options& options) {
  NamedProblem named = build_scene(options.scene, options.settings, static_cast<std::uint64_t>(options.seed), "--set");
  const Model model = *model_from_name(options.model);
  const Candidate best = best_point(named.problem, model);
  FclibImpulses impulses;
  if (best.residual <= certified_residual) {
    impulses.solution = best.impulse;
    if (named.problem.impulse_shift().size() > 0) *impulses.solution += named.problem.impulse_shift();
    named.info.math_info =
        fmt::format("solution: model {}, relative residual {}", options.model, short_number(best.residual));
  }
  for (const auto& [form, path] : targets(options)) {
    write_fclib(path, named.problem, form, named.info, impulses);
    print_line(fmt::format("{}  {}", printable(path.string()), Style::out().dim(std::string(fclib_form_name(form)))));
  }
  if (impulses.solution)
    print_line(fmt::format("solution certified: model {}, relative residual {} ({})", options.model,
                           short_number(best.residual), best.solver));
  else
    print_line(fmt::format("no solution written: the best point found has relative residual {}, above {}",
                           short_number(best.residual), format_double(certified_residual)));
  return exit_done;
}

}  // namespace

Command add_generate(CLI::App& program) {
  CLI::App* app = program.add_subcommand("generate", "write a scene's problem as FCLib HDF5, with a certified solution");
  auto options = std::make_shared<Options>();
  app->add_option("SCENE", options->scene, "the scene (see ccpbench list scenes)")->required();
  add_repeated(*app, "--set", &options->settings, "NAME=VALUE", "a parameter of the scene, any number of times");
  add_integer(*app, "--seed", &options->seed, Range::non_negative(), "N", "seed of the scene");
  add_choice(*app, "--form", &options->form, {"local", "global", "both"}, "which form of the problem to write");
  add_choice(*app, "--model", &options->model, {"ccp", "ncp"}, "model of the stored solution; FCLib's own is ncp");
  app->add_option("--out", options->out, "the file, or the beginning of both names")->type_name("FILE");
  app->footer(footer);
  return {app, [options] { return generate(*options); }};
}

}  // namespace ccp::cli
