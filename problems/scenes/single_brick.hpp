#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"
#include "problems/scenes/dropped_body.hpp"

namespace ccp {

/// "Single Brick" of Mangoni's thesis, Tab. 5.1: a box that falls flat on a floor and stays there. Four contacts, one more
/// than needed to carry it.
class SingleBrick final : public Scene {
 public:
  struct Parameters {
    double length = 0.2;   ///< along x, m
    double width = 0.1;    ///< along y, m
    double height = 0.05;  ///< along z, m
    DropParameters drop;
  };

  SingleBrick();
  const SceneInfo& info() const override;
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
