#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/config/plan.hpp"
#include "solvers/solver.hpp"

/// A config made of the arguments of a command.
namespace ccp::cli {

struct Study {
  std::string name;
  std::vector<std::string> problems;  ///< FCLib dumps, folders or patterns of dumps, scene:NAME[:PARAMETER=VALUE,...]
  std::vector<std::string> solvers;   ///< NAME[:SETTING=VALUE,...]
  std::vector<std::string> models;    ///< none: ccp where all solvers solve it themselves, else ncp
  std::string perturb;                ///< KEY=VALUE,... of neighbours; or empty
  StopRule stop{};
  std::optional<double> wall_s{};  ///< limit of a cell
};

struct StudyConfig {
  std::string text;  ///< with comments
  Config config;
  Plan plan;
};

/// The config as it would stand in the file `out`, from whose folder it names dumps. Throws InputErrors that name the
/// arguments.
StudyConfig make_study(const Study& study, const std::string& out);

}  // namespace ccp::cli
