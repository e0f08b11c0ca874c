#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// The candidate with the smallest edit distance to name, when near enough to be a likely misspelling (distance at most
/// max(2, a third of the length)); empty otherwise.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)" for a near candidate, else " (known: a, b, c)".
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// The parts with a separator between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Shortest decimal text that reads back as the same double ("%.17g" precision, "1e-09" style); "nan", "inf", "-inf".
std::string format_double(double value);

}  // namespace ccp
