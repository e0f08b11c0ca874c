#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ccp::cli {

/// One thing `list` can show: all of it, and one by name. Throws InputError for an unknown name, with the nearest one.
struct Topic {
  std::string name;
  std::string meaning;
  std::function<void()> show_all;
  std::function<void(const std::string&)> show_one;
};

/// The topics in the order of the help page.
const std::vector<Topic>& list_topics();

}  // namespace ccp::cli
