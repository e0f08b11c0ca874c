#include "io/fclib.hpp"

#include "core/text.hpp"

namespace ccp {
std::string_view fclib_form_name(FclibForm form) {
  constexpr std::string_view names[] = {"fclib_local", "fclib_global", "fclib_global_rolling",
                                        "fclib_local_rolling"};  // by FclibForm
  return names[static_cast<std::size_t>(form)];
}

std::string printable_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0)
      text += '?';
    else if (is_control_character(bytes.substr(0, length)))
      text += ' ';
    else
      text += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace ccp
