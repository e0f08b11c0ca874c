#include "problems/registry.hpp"

#include <fmt/format.h>

#include <array>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/scenes/ball_box.hpp"
#include "problems/scenes/bolt_nut.hpp"
#include "problems/scenes/bolt_nut_assembly.hpp"
#include "problems/scenes/cohesive_ball.hpp"
#include "problems/scenes/cube_array.hpp"
#include "problems/scenes/deformable_bars.hpp"
#include "problems/scenes/dish_pile.hpp"
#include "problems/scenes/dish_piling.hpp"
#include "problems/scenes/driven_robot.hpp"
#include "problems/scenes/drum.hpp"
#include "problems/scenes/guided_stack.hpp"
#include "problems/scenes/mixer.hpp"
#include "problems/scenes/odd_mass_stack.hpp"
#include "problems/scenes/pile.hpp"
#include "problems/scenes/pouring.hpp"
#include "problems/scenes/quadrupeds.hpp"
#include "problems/scenes/random_contacts.hpp"
#include "problems/scenes/robot_manipulator.hpp"
#include "problems/scenes/rolling_body.hpp"
#include "problems/scenes/single_ball.hpp"
#include "problems/scenes/single_brick.hpp"
#include "problems/scenes/sliding_sphere.hpp"
#include "problems/scenes/sphere_press.hpp"
#include "problems/scenes/three_point_bending.hpp"
#include "problems/scenes/wrecking_ball.hpp"

namespace ccp {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Scene> (*make)();
};

template <typename Type>
std::unique_ptr<Scene> make() {
  return std::make_unique<Type>();
}

constexpr std::array scenes{
    Entry{"odd_mass_stack", make<OddMassStack>},
    Entry{"random_contacts", make<RandomContacts>},
    Entry{"spinning_contacts", make<SpinningContacts>},
    Entry{"sphere_press", make<SpherePress>},
    Entry{"sliding_sphere", make<SlidingSphere>},
    Entry{"rolling_body", make<RollingBody>},
    Entry{"pile", make<Pile>},
    Entry{"guided_stack", make<GuidedStack>},
    Entry{"ball_box", make<BallBox>},
    Entry{"single_ball", make<SingleBall>},
    Entry{"single_brick", make<SingleBrick>},
    Entry{"bolt_nut", make<BoltNut>},
    Entry{"dish_pile", make<DishPile>},
    Entry{"drum", make<RotatingDrum>},
    Entry{"deformable_bars", make<DeformableBars>},
    Entry{"three_point_bending", make<ThreePointBending>},
    Entry{"cube_array", make<CubeArray>},
    Entry{"wrecking_ball", make<WreckingBall>},
    Entry{"cohesive_ball", make<CohesiveBall>},
    Entry{"mixer", make<Mixer>},
    Entry{"robot_manipulator", make<RobotManipulator>},
    Entry{"quadrupeds", make<Quadrupeds>},
    Entry{"driven_robot", make<DrivenRobot>},
    Entry{"pouring", make<Pouring>},
    Entry{"bolt_nut_assembly", make<BoltNutAssembly>},
    Entry{"dish_piling", make<DishPiling>},
};

}  // namespace

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const Entry& entry : scenes) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Scene> make_scene(const std::string& name) {
  for (const Entry& entry : scenes)
    if (name == entry.name) return entry.make();
  throw InputError(fmt::format("unknown scene '{}'{}", name, suggestion(name, scene_names())));
}

SceneRegistry scene_registry() { return {scene_names(), make_scene}; }

}  // namespace ccp
