#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/model.hpp"

namespace ccp::cli {

/// `generate SCENE --steps FIRST:LAST`.
struct SeriesArguments {
  std::string steps, driver = "proximal_newton", start;
  double tolerance = 1e-8;
  std::vector<std::string> settings;  ///< of the driver, NAME=VALUE
  int iterations = 0;                 ///< most of a step; 0: those of a StopRule
  bool from_zero = false;             ///< steps do not start from the one before
};

/// The motion, the steps to write, and their folder.
struct SeriesTarget {
  std::string scene;
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::uint64_t seed = 0;
  std::vector<std::string> forms;
  Model model = Model::ncp;    ///< of the driver
  double time_limit_s = 60.0;  ///< of a step
  std::string folder;
  bool impulses = true;  ///< whether to store those of the driver
};

/// Moves a scene in time by a driver, and writes the problems of some steps as FOLDER/SCENE.STEP.FORM.hdf5, each with the
/// state in which its step begins, what there is to see of it, and the impulses of the driver as a guess. A step that the
/// driver leaves unsolved is taken as it is, and said where its iterations are not limited. Throws InputError for steps that
/// make no range, a scene that does not move, a driver that does not take its problems, a start of another scene or with
/// other parameters, and a motion that runs off to infinity.
int generate_series(const SeriesTarget& target, const SeriesArguments& arguments);

}  // namespace ccp::cli
