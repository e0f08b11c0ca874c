#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problem/scene.hpp"

/// The explicit list of scenes. Adding one is: one pair of files in problems/scenes, one line in registry.cpp, one test
/// case, one section in problems/docs.
namespace ccp {

/// Names in the order of the list.
std::vector<std::string> scene_names();

/// A scene with its default parameters. Throws InputError for an unknown name, with the nearest one.
std::unique_ptr<Scene> make_scene(const std::string& name);

/// The list as the benchmark engine takes it.
SceneRegistry scene_registry();

}  // namespace ccp
