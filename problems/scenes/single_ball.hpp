#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"
#include "problems/scenes/dropped_body.hpp"

namespace ccp {

/// "Single Ball" of Mangoni's thesis, Tab. 5.1: a sphere that falls on a floor and stays there. One contact.
class SingleBall final : public Scene {
 public:
  struct Parameters {
    double radius = 0.035;  ///< m
    DropParameters drop;
  };

  SingleBall();
  const SceneInfo& info() const override;
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
