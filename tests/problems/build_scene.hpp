#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "problems/registry.hpp"

/// The problem of a scene with some parameters changed.
inline ccp::ContactProblem build_scene(const std::string& scene,
                                       std::initializer_list<std::pair<const char*, const char*>> settings = {},
                                       std::uint64_t seed = 1) {
  const auto made = ccp::make_scene(scene);
  for (const auto& [name, value] : settings) made->parameters().set_from_text(name, value);
  return made->build(seed);
}
