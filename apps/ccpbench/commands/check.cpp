#include <fmt/format.h>

#include <cstdlib>

#include "commands/command.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* check_footer =
    "Examples\n"
    "  $ ccpbench check configs/*.json\n"
    "  $ ccpbench check configs/test1a.json --size small --set /stop/tolerance=1e-6\n"
    "\n"
    "Exit codes: 0 all valid, 2 one is not (one line each on stderr).\n";

struct CheckArguments {
  std::vector<std::string> configs;
  ConfigOverrides overrides;
  std::string fclib_dir;
};

/// Throws InputError when the config is wrong.
void check_config(const std::string& file, const CheckArguments& options) {
  const Config config = read_config(file, catalog(), options.overrides);
  const bool folder_known = !options.fclib_dir.empty() || std::getenv("CCPBENCH_FCLIB_DIR") != nullptr;
  const std::string size = config.needs_files() && !folder_known
                               ? "its cells depend on FCLib files; count them with --fclib DIR"
                               : plan_size(make_plan(config, {options.fclib_dir, 1}));
  const std::string sweep = config.variants.size() > 1 ? fmt::format("; sweep of {}", config.variants.size()) : "";
  print_line(fmt::format("{}: {}, {}{}", printable(file), Style::out().paint(Tone::good, "valid"), size, sweep));
}

int check(const CheckArguments& options) {
  return for_each_file(options.configs, [&](const std::string& file) { check_config(file, options); });
}

}  // namespace

void add_check(CommandLine& program) {
  Subcommand& command =
      program.subcommand("check", "validate configs without running them, and count their cells", check_footer);
  CheckArguments& options = command.options<CheckArguments>(check);
  command.operands("CONFIG", &options.configs, "config files (JSON)", Need::required);
  command.choice("--size", &options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.repeated("--set", &options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times");
  command.text("--fclib", &options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
}

}  // namespace ccp::cli
