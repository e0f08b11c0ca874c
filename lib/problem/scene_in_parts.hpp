#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/part_source.hpp"
#include "problem/scene.hpp"

namespace ccp {

/// A scene whose problem can be made in parts.
class SceneInParts : public Scene {
 public:
  /// Whether it can with these parameters.
  virtual bool in_parts() const { return true; }
  /// The parts of what build() makes. Throws as build() does.
  std::unique_ptr<PartSource> parts(std::uint64_t seed) const {
    if (const auto defect = check()) throw InputError(*defect);
    return do_parts(seed);
  }

 private:
  virtual std::unique_ptr<PartSource> do_parts(std::uint64_t seed) const = 0;
};

/// What a scene was made of, for another process.
struct SceneOrigin {
  std::string scene;
  std::vector<std::pair<std::string, FieldValue>> parameters;
  std::uint64_t seed = 0;
};
/// Nothing for a scene that is not made in parts.
inline std::optional<SceneOrigin> origin_of(const Scene& scene, std::uint64_t seed) {
  const auto* in_parts = dynamic_cast<const SceneInParts*>(&scene);
  if (in_parts == nullptr || !in_parts->in_parts()) return std::nullopt;
  return SceneOrigin{scene.info().name, scene.parameters().values(), seed};
}
/// Throws InputError for an unknown scene or parameter, std::logic_error for a scene that is not made in parts.
inline std::unique_ptr<PartSource> parts_of(const SceneOrigin& origin, const SceneRegistry& scenes) {
  const auto scene = scenes.make(origin.scene);
  for (const auto& [name, value] : origin.parameters) scene->parameters().set(name, value);
  const auto* in_parts = dynamic_cast<const SceneInParts*>(scene.get());
  if (in_parts == nullptr) throw std::logic_error("parts_of: " + origin.scene);
  return in_parts->parts(origin.seed);
}

}  // namespace ccp
