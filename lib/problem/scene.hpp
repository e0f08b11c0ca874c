#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "problem/contact_problem.hpp"
#include "problem/motion.hpp"

namespace ccp {

struct SceneInfo {
  std::string name;       ///< as in a config
  std::string title;      ///< one line
  std::string reference;  ///< paper and experiment
};

/// A generator of problems: a parameter table, and do_build(), do_motion() or both. Same parameters, same seed, same bytes.
class Scene {
 public:
  virtual ~Scene() = default;
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  virtual const SceneInfo& info() const = 0;
  FieldTable& parameters() { return fields_; }
  const FieldTable& parameters() const { return fields_; }

  /// What is wrong with the parameters together (each one alone is checked by the table); nothing when they fit.
  virtual std::optional<std::string> check() const { return std::nullopt; }

  /// Throws InputError(check()) when the parameters do not fit.
  ContactProblem build(std::uint64_t seed) const {
    if (const auto defect = check()) throw InputError(*defect);
    return do_build(seed);
  }

  /// The scene in time, at its start; null when it does not move. build() is then the problem of its first step. Throws as
  /// build() does.
  std::unique_ptr<Motion> motion(std::uint64_t seed) const {
    if (const auto defect = check()) throw InputError(*defect);
    return do_motion(seed);
  }

  /// What there is to see of the problem that build() makes; empty where bodies have no shape. Throws as build() does.
  SceneGeometry geometry(std::uint64_t seed) const {
    if (const auto defect = check()) throw InputError(*defect);
    return do_geometry(seed);
  }

 protected:
  FieldTable fields_;  ///< filled by the constructor of the scene

 private:
  virtual ContactProblem do_build(std::uint64_t seed) const {
    const std::unique_ptr<Motion> motion = do_motion(seed);
    if (!motion) throw std::logic_error("Scene: it neither builds nor moves");
    return motion->problem().problem;
  }
  virtual std::unique_ptr<Motion> do_motion(std::uint64_t /*seed*/) const { return nullptr; }
  /// A scene with do_build() and shapes has its own.
  virtual SceneGeometry do_geometry(std::uint64_t seed) const {
    const std::unique_ptr<Motion> motion = do_motion(seed);
    return motion ? geometry_of(*motion, motion->problem()) : SceneGeometry{};
  }
};

/// How the benchmark engine reaches scenes without knowing them: handed over by the program.
struct SceneRegistry {
  std::vector<std::string> names;
  /// Throws InputError for an unknown name, with the nearest one.
  std::function<std::unique_ptr<Scene>(const std::string&)> make;
};

}  // namespace ccp
