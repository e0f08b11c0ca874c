#include "views/user_solvers.hpp"

#include <fmt/format.h>

#include <set>

#include "bench/config/external_paths.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {

std::unique_ptr<Solver> solver_named(const std::string& name) { return ccp::solver_named(name, catalog()); }

bool start_user_solvers(const Config& config) {
  std::set<std::string> names;
  for (const ConfigVariant& variant : config.variants) {
    for (const auto& solver : variant.solvers) names.insert(solver->solver);
    for (const auto& problem : variant.problems)
      if (problem->sequence) names.insert(problem->sequence->driver.solver);
  }
  std::erase_if(names, [](const std::string& name) { return !is_external_name(name); });
  for (const std::string& name : names) report_note(printable(fmt::format("{} starts {}", config.file, name)));
  for (const std::string& name : names) ask_external_solver(name);
  return !names.empty();
}

}  // namespace ccp::cli
