#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "commands/generate_series.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "problem/model.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/problem_source.hpp"
#include "views/written_dump.hpp"

namespace ccp::cli {
namespace {

constexpr const char* generate_footer =
    "Examples\n"
    "  $ ccpbench generate odd_mass_stack\n"
    "  $ ccpbench generate odd_mass_stack --set lift_factor=2 --form local --out test1b.hdf5\n"
    "  $ ccpbench generate sphere_press --no-solution\n"
    "  $ ccpbench generate ball_box --set spheres=64 --steps 20:30 --driver ipm_qp --out balls\n"
    "\n"
    "Writes NAME.local.hdf5 and NAME.global.hdf5, NAME being the scene's or --out without its ending; with one form, --out\n"
    "is the file. The solution is that of the solver 'reference'. It is stored only where the measures certify it for the\n"
    "problem as it stands in the file, to a relative residual of 1e-13, or to twice the rounding floor where that is more;\n"
    "the line of each file says which.\n"
    "\n"
    "With --steps FIRST:LAST a scene that moves is moved by --driver, and --out is a folder for SCENE.STEP.FORM.hdf5. Each\n"
    "file holds the impulses of the driver as a guess, and the state in which its step begins (group /ccpbench_state):\n"
    "--start goes on from there. scripts/draw_scene.py draws what these files and those of most scenes at rest show.\n";

/// Shapes and contacts, for pictures.
struct Shown {
  SceneGeometry geometry;
  std::vector<PlacedMesh> meshes;
};

Shown shown(const Scene& scene, std::uint64_t seed) {
  const auto* at_rest = dynamic_cast<const SceneShowsMeshes*>(&scene);
  if (at_rest != nullptr) return {scene.geometry(seed), at_rest->meshes(seed)};
  const auto motion = scene.motion(seed);
  return {scene.geometry(seed), motion ? meshes_of(*motion) : std::vector<PlacedMesh>{}};
}

/// The files to write, by form.
std::vector<std::pair<FclibForm, std::filesystem::path>> targets(const GenerateArguments& options) {
  const std::filesystem::path out = options.out.empty() ? options.scene + ".hdf5" : options.out;
  if (options.form != "both" && !options.out.empty())
    return {{options.form == "local" ? FclibForm::local : FclibForm::global, out}};
  if (std::filesystem::exists(out) && !std::filesystem::is_directory(out) && OutputFile(out).passes_through())
    throw InputError(out.string(), "", "takes one file, expected --form local or --form global");
  const std::string ending = out.extension() == ".hdf5" || out.extension() == ".h5" ? out.extension().string() : "";
  std::filesystem::path stem = out;
  if (!ending.empty()) stem.replace_extension();
  const auto named = [&](const char* form) { return std::filesystem::path(stem.string() + "." + form + ".hdf5"); };
  std::vector<std::pair<FclibForm, std::filesystem::path>> files;
  if (options.form != "global") files.emplace_back(FclibForm::local, named("local"));
  if (options.form != "local") files.emplace_back(FclibForm::global, named("global"));
  return files;
}

int generate(const GenerateArguments& options) {
  if (!options.steps.empty()) return generate_series(options);
  if (!options.start.empty()) throw InputError("", "--start", "has no --steps, expected --steps FIRST:LAST");
  for (const auto& [form, path] : targets(options)) check_output(path.string());
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const NamedProblem named = build_scene(options.scene, options.settings, seed, "--set");
  const Shown seen = shown(*named_scene(options.scene, options.settings, seed, "--set").scene, seed);
  const Model model = *model_from_name(options.model);
  std::optional<Vector> point;
  if (!options.no_solution)
    point = reference_point(named.problem, model, options.time_limit_s, "--no-solution writes the problem alone");
  for (const auto& [form, path] : targets(options))
    write_dump(path, form, named, FclibImpulses{point, {}}, model, &seen.geometry, &seen.meshes);
  return exit_done;
}

}  // namespace

void add_generate(CommandLine& program) {
  Subcommand& command =
      program.subcommand("generate", "write a scene's problem as FCLib HDF5, with a certified solution", generate_footer);
  GenerateArguments& options = command.options<GenerateArguments>(generate);
  command.operand("SCENE", &options.scene, "the scene (see ccpbench list scenes)", Need::required);
  command.repeated("--set", &options.settings, "NAME=VALUE", "a parameter of the scene, any number of times");
  command.integer("--seed", &options.seed, Range::non_negative(), "N", "seed of the scene");
  command.choice("--form", &options.form, {"local", "global", "both"}, "which form of the problem to write");
  command.choice("--model", &options.model, model_names(),
                 "model of the stored solution, or of the driver; FCLib's own is ncp");
  command.flag("--no-solution", &options.no_solution, "look for no solution; with --steps store no guess");
  command.seconds("--time-limit", &options.time_limit_s,
                  "limit of the search for the solution, or of a step of the driver; s without a unit");
  command.text("--out", &options.out, "FILE", "the file, or the beginning of both names; with --steps a folder");
  command.text("--steps", &options.steps, "FIRST:LAST", "write the problems of these steps of a scene that moves");
  command.text("--driver", &options.driver, "SOLVER",
               "the solver that moves the scene, in the model --model (default proximal_newton)");
  command.real("--tolerance", &options.tolerance, Range::positive(), "TOL", "relative residual of a step of the driver");
  command.repeated("--driver-set", &options.driver_settings, "NAME=VALUE", "a setting of the driver, any number of times");
  command.integer("--iterations", &options.iterations, Range::closed(0.0, 1e9), "N",
                  "most iterations of a step of the driver, 0: as many as it takes");
  command.flag("--from-zero", &options.from_zero, "start no step of the driver from the one before");
  command.text("--start", &options.start, "FILE", "a file of an earlier --steps to go on from");
}

}  // namespace ccp::cli
