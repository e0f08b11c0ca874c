#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "problems/registry.hpp"

/// The problem of a scene with some parameters changed, given as text.
inline ccp::ContactProblem build_scene(const std::string& scene,
                                       std::initializer_list<std::pair<const char*, const char*>> settings = {},
                                       std::uint64_t seed = 1) {
  const auto made = ccp::make_scene(scene);
  for (const auto& [name, value] : settings) made->parameters().set_from_text(name, value);
  return made->build(seed);
}

/// The same with typed values.
inline ccp::ContactProblem scene_with(const std::string& scene,
                                      const std::vector<std::pair<std::string, ccp::FieldValue>>& parameters,
                                      std::uint64_t seed = 1) {
  const auto made = ccp::make_scene(scene);
  for (const auto& [name, value] : parameters) made->parameters().set(name, value);
  return made->build(seed);
}
