#include "process/orphans.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <vector>

namespace ccp {
namespace {

bool is_marked(pid_t child, const std::string& mark) {
  std::ifstream stream("/proc/" + std::to_string(child) + "/environ", std::ios::binary);
  const std::string environment = '\0' + std::string(std::istreambuf_iterator<char>(stream), {});
  return environment.find('\0' + mark + '\0') != std::string::npos;
}

std::vector<pid_t> marked_children(const std::string& mark) {
  std::ifstream list("/proc/thread-self/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;)
    if (is_marked(child, mark)) children.push_back(child);
  return children;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

int kill_marked_children(const std::string& mark) {
  int count = 0;
  for (std::vector<pid_t> left = marked_children(mark); !left.empty(); left = marked_children(mark))
    for (const pid_t child : left) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      ++count;
    }
  return count;
}

}  // namespace ccp
