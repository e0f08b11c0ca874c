#include "peers/adapter_command.hpp"

#include <cstdlib>
#include <filesystem>

namespace ccp {
namespace {

namespace fs = std::filesystem;

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace

std::vector<std::string> python_adapter(const char* interpreter_variable, const char* script) {
  std::string interpreter = value_of(interpreter_variable);
  std::error_code ignored;
  constexpr const char* of_the_system = "/usr/bin/python3";
  if (interpreter.empty()) interpreter = fs::exists(of_the_system, ignored) ? of_the_system : "python3";
  return {interpreter, "-c", script};
}

std::vector<std::string> built_adapter(const char* name) {
  const std::string file = std::string("ccpbench-peer-") + name, chosen = value_of("CCPBENCH_PEER_FOLDER");
  if (!chosen.empty()) return {(fs::path(chosen) / file).string()};
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path beside = here / "peers" / file, installed = here / CCP_PATH_TO_ADAPTERS / file;
  return {(fs::exists(installed, ignored) && !fs::exists(beside, ignored) ? installed : beside).lexically_normal().string()};
}

}  // namespace ccp
