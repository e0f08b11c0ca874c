// In place of urdf.cpp where urdfdom is not installed.
#include "core/error.hpp"
#include "problems/articulated/urdf.hpp"

namespace ccp {

RobotDescription read_urdf(const std::string& path, bool /*free_base*/) {
  throw InputError(path, "", "this ccpbench was built without urdfdom (liburdfdom-dev), which reads URDF files");
}

}  // namespace ccp
