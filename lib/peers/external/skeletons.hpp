#pragma once

#include <string>
#include <vector>

namespace ccp {

/// A file of a solver to begin with.
struct SkeletonFile {
  std::string name, text;
  bool program = false;  ///< it is started by its name
};

/// The files from which a user begins a solver in a language.
struct Skeleton {
  std::vector<SkeletonFile> files;
  std::string build;   ///< a command, or empty
  std::string solver;  ///< as in a config beside the files
};

/// "python", "c", "cpp", "octave".
const std::vector<std::string>& skeleton_languages();

/// language: one of these. name: letters, digits and _.
Skeleton make_skeleton(const std::string& language, const std::string& name);

}  // namespace ccp
