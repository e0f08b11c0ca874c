#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// The candidate that is likely meant: the same but for case, what the name abbreviates or is a word of, or the one with the
/// smallest edit distance, at most max(2, a third of the length); empty where there is none.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// " (did you mean 'x' or 'y'?)" for what is likely meant, else " (known: a, b, c)", or the nearest of very many.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// Bytes of the well-formed UTF-8 character (RFC 3629, without overlong forms and surrogates) that starts a text; 0: none.
std::size_t utf8_length(std::string_view text);

/// Whether a character, of utf8_length() bytes, is a control character: U+0000 to U+001F, U+007F to U+009F.
bool is_control_character(std::string_view character);

/// The text with each byte that is no UTF-8 or belongs to a control character as "\xFC"; any other text as it is.
std::string escaped_text(std::string_view text);

/// The parts with a separator between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// At most `longest` bytes for messages: a longer text ends with "...", and no UTF-8 character is cut in two.
std::string cut_text(const std::string& text, std::size_t longest = 60);

/// Shortest decimal text that reads back as the same double ("%.17g" precision, "1e-09" style); "nan", "inf", "-inf".
std::string format_double(double value);

}  // namespace ccp
