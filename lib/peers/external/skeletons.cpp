#include "peers/external/skeletons.hpp"

#include <stdexcept>

#include "peers/external/skeleton_c.hpp"
#include "peers/external/skeleton_cpp.hpp"
#include "peers/external/skeleton_octave.hpp"
#include "peers/external/skeleton_python.hpp"
#include "peers/external/solver_header.hpp"

namespace ccp {
namespace {

const std::string stand_in = "mine";  // the name of the solver in skeletons/

std::string named(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(stand_in, at)) != std::string::npos; at += name.size())
    text.replace(at, stand_in.size(), name);
  return text;
}

}  // namespace

const std::vector<std::string>& skeleton_languages() {
  static const std::vector<std::string> names = {"python", "c", "cpp", "octave"};
  return names;
}

Skeleton make_skeleton(const std::string& language, const std::string& name) {
  const SkeletonFile header = {"ccpbench_solver.h", solver_header};
  const std::string program = "command:./" + name;
  if (language == "python") return {{{name + ".py", named(skeleton_python, name)}}, "", "python:./" + name + ".py"};
  if (language == "octave") return {{{name + ".m", named(skeleton_octave, name), true}}, "", program + ".m"};
  if (language == "c")
    return {{{name + ".c", named(skeleton_c, name)}, header}, "cc -O2 -o " + name + " " + name + ".c -lm", program};
  if (language == "cpp")
    return {{{name + ".cpp", named(skeleton_cpp, name)}, header}, "c++ -O2 -o " + name + " " + name + ".cpp", program};
  throw std::logic_error("no skeleton in '" + language + "'");
}

}  // namespace ccp
