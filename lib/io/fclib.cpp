#include "io/fclib.hpp"

namespace ccp {
namespace {

// Length of the well-formed UTF-8 sequence (RFC 3629, without overlong forms and surrogates) that starts the text; 0: none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : (first & 0xF0) == 0xE0         ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string_view fclib_form_name(FclibForm form) {
  constexpr std::string_view names[] = {"fclib_local", "fclib_global", "fclib_global_rolling"};  // by FclibForm
  return names[static_cast<std::size_t>(form)];
}

std::string printable_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    // U+0080 to U+009F are control characters too.
    const bool control = (length == 1 && (static_cast<unsigned char>(bytes[0]) < 0x20 || bytes[0] == 0x7F)) ||
                         (length == 2 && bytes[0] == '\xC2' && static_cast<unsigned char>(bytes[1]) < 0xA0);
    if (length == 0)
      text += '?';
    else if (control)
      text += ' ';
    else
      text += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace ccp
