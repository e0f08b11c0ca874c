#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/run/dumps.hpp"
#include "io/fclib_reader.hpp"
#include "problem/contact_problem.hpp"
#include "problem/scene.hpp"

namespace ccp::cli {

/// A problem a user named on the command line.
struct NamedProblem {
  std::string title;  ///< file name or scene
  ContactProblem problem;
  FclibInfo info;                 ///< what a file written of it says about itself
  std::optional<FclibFile> file;  ///< where it came from a file
};

/// FILE is an FCLib dump, "scene:NAME" a scene with its defaults, "scene:NAME:spheres=5,mass=2" with other parameters.
/// Throws InputError when it cannot be read.
NamedProblem load_problem(const std::string& source, std::uint64_t seed);

/// A scene with its parameters, and what files say of it.
struct NamedScene {
  std::unique_ptr<Scene> scene;
  FclibInfo info;
};

/// A scene with parameters "NAME=VALUE". Throws InputError at `option`.
NamedScene named_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                       const std::string& option);

/// Its problem.
NamedProblem build_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                         const std::string& option);

/// The problem as N and r alone, whatever form it was given in.
ContactProblem local_problem(const ContactProblem& problem);

}  // namespace ccp::cli
