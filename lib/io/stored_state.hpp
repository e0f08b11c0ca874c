#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "problem/contact_match.hpp"
#include "problem/motion.hpp"

namespace ccp {

/// The state of a motion when one of its problems was written: enough to go on from there. In a file it is the group
/// /ccpbench_state, which other programs ignore: scene, parameters, seed (texts), step (a whole number), time (s) and
/// values as in MotionState, and the group end of the step that led there: keys, impulses. What there is to see of it is in
/// another group, see write_fclib().
struct StoredState {
  MotionState state;
  double time = 0.0;       ///< s
  std::string parameters;  ///< of the scene, JSON text as in FclibInfo
  std::uint64_t seed = 0;
  std::optional<StepEnd> end;  ///< of the step that led to the state; nothing at the start of a motion
};

/// The state in a file that write_fclib() wrote with one. Throws InputError(file, place in the file, what was found and what
/// was expected) when there is none or it is damaged; whether it fits a scene is for Motion::restore() to say. Not safe for
/// concurrent use.
StoredState read_stored_state(const std::filesystem::path& path);

}  // namespace ccp
