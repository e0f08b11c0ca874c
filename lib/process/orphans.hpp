#pragma once

#include <string>

namespace ccp {

/// From now on processes whose parent has died become children of this one.
void adopt_orphans();

/// Kills the children of this process in whose environment "NAME=value" stands, and those that become its children by that;
/// how many there were.
int kill_marked_children(const std::string& mark);

}  // namespace ccp
