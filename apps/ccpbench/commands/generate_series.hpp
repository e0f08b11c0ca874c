#pragma once

#include <string>
#include <vector>

namespace ccp::cli {

struct GenerateArguments {
  std::string scene, form = "both", model = "ncp", out;
  std::vector<std::string> settings;  ///< of the scene, NAME=VALUE
  int seed = 0;
  bool no_solution = false;
  double time_limit_s = 60.0;  ///< of the solution, or of a step of the driver

  // of `generate SCENE --steps FIRST:LAST`
  std::string steps, driver = "proximal_newton", start;
  double tolerance = 1e-8;
  std::vector<std::string> driver_settings;  ///< NAME=VALUE
  int iterations = 0;                        ///< most of a step; 0: those of a StopRule
  bool from_zero = false;                    ///< steps do not start from the one before
};

/// Moves a scene in time by a driver, and writes the problems of some steps as FOLDER/SCENE.STEP.FORM.hdf5, each with the
/// state in which its step begins, what there is to see of it, and the impulses of the driver as a guess. A step that the
/// driver leaves unsolved is taken as it is, and said where its iterations are not limited. Throws InputError for steps that
/// make no range, a scene that does not move, a driver that does not take its problems, a start of another scene or with
/// other parameters, and a motion that runs off to infinity.
int generate_series(GenerateArguments options);

}  // namespace ccp::cli
