#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* footer =
    "Examples\n"
    "  $ ccpbench check configs/*.json\n"
    "  $ ccpbench check configs/test1a.json --size small --set /stop/tolerance=1e-6\n"
    "\n"
    "Exit codes: 0 all valid, 2 one is not (one line each on stderr).\n";

struct Options {
  std::vector<std::string> configs;
  ConfigOverrides overrides;
  std::string fclib_dir;
};

bool needs_files(const Config& config) {
  return std::any_of(config.variants.begin(), config.variants.end(), [](const ConfigVariant& variant) {
    return std::any_of(variant.problems.begin(), variant.problems.end(),
                       [](const auto& problem) { return !problem->fclib.empty(); });
  });
}

/// Throws InputError when the config is wrong.
void check_config(const std::string& file, const Options& options) {
  const Config config = read_config(file, catalog(), options.overrides);
  const bool folder_known = !options.fclib_dir.empty() || std::getenv("CCPBENCH_FCLIB_DIR") != nullptr;
  const std::string size = needs_files(config) && !folder_known
                               ? "its cells depend on FCLib files; count them with --fclib DIR"
                               : plan_size(make_plan(config, {options.fclib_dir, 1}));
  const std::string sweep = config.variants.size() > 1 ? fmt::format("; sweep of {}", config.variants.size()) : "";
  print_line(fmt::format("{}: {}, {}{}", printable(file), Style::out().paint(Tone::good, "valid"), size, sweep));
}

int check(const Options& options) {
  int code = exit_done;
  for (const std::string& file : options.configs) {
    try {
      check_config(file, options);
    } catch (const InputError& error) {
      report_error(error.what());
      code = exit_bad_input;
    }
  }
  return code;
}

}  // namespace

void add_check(CommandLine& program) {
  Subcommand& command = program.subcommand("check", "validate configs without running them, and count their cells");
  auto options = std::make_shared<Options>();
  command.operands("CONFIG", &options->configs, "config files (JSON)", Need::required);
  command.choice("--size", &options->overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.repeated("--set", &options->overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times");
  command.text("--fclib", &options->fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.footer(footer);
  command.action([options] { return check(*options); });
}

}  // namespace ccp::cli
