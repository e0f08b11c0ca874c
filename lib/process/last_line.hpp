#pragma once

#include <string>
#include <string_view>

namespace ccp {

/// The last line that is not blank of what a process printed: at most its first 300 bytes, without blanks at its end.
std::string last_line(std::string_view printed);

}  // namespace ccp
