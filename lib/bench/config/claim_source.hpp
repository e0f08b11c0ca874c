#pragma once

#include <string>

namespace ccp {

/// Whether a claim is the suite's own: "ours", alone or with more after a comma, colon, semicolon or bracket.
bool is_ours(const std::string& where);

/// Whether a text is the source of a claim: that, or a paper and the place in it with a comma between, "Tasora 2021,
/// sec. 8.1".
bool is_claim_source(const std::string& where);

/// The same as a regular expression of JSON Schema.
inline constexpr const char* claim_source_pattern = "^(ours($|[,:;]| \\()|[^,]*[^, ][^,]*,.*[^, ])";

}  // namespace ccp
