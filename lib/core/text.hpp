#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// The candidate that is likely meant: the same but for case, what the name abbreviates or is a word of, or the one with the
/// smallest edit distance, at most max(2, a third of the length); empty where there is none.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// " (did you mean 'x' or 'y'?)" for what is likely meant, else " (known: a, b, c)", or the nearest of very many.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// The parts with a separator between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Shortest decimal text that reads back as the same double ("%.17g" precision, "1e-09" style); "nan", "inf", "-inf".
std::string format_double(double value);

}  // namespace ccp
