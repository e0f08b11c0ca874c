#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/mistakes.hpp"
#include "core/fields.hpp"
#include "problem/perturbation.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {

/// Keys keep the order of the file: the order of a sweep is the order of its axes.
using Json = nlohmann::ordered_json;

/// Where a JSON came from, for messages.
struct JsonSource {
  std::string file;
  std::string context;                ///< added to messages, such as the swept values in place; may be empty
  Mistakes* mistakes = nullptr;       ///< where several are listed; null: the first one is thrown at once
  std::vector<std::string> varied{};  ///< JSON pointers of the values that the context is about; empty: of all

  /// Throws InputError(file, pointer, expectation + context).
  [[noreturn]] void fail(const std::string& pointer, const std::string& expectation) const;
};

/// Lists and objects inside of one another that a document may have; what walks through it recurses as deep.
constexpr std::size_t deepest_json = 100;

/// Parses JSON with // and /* */ comments. Throws InputError for malformed text (with line and column), a number that
/// overflows, a key that stands twice in one object, a document deeper than deepest_json, and a pointer of Git LFS.
Json parse_json(const std::string& text, const std::string& file);

/// Parses JSON without comments; is_discarded() where the text is malformed or too deep.
Json try_parse_json(const std::string& text);

/// pointer + "/" + key with ~ and / escaped (RFC 6901).
std::string child_pointer(const std::string& pointer, const std::string& key);
std::string child_pointer(const std::string& pointer, std::size_t index);

/// The pointer as users see it: without escapes, and a key that has a slash in it between brackets
/// (/sweep/~1stop~1tolerance → /sweep["/stop/tolerance"]). What is no pointer is given back.
std::string shown_pointer(const std::string& pointer);

/// Whether a pointer is `above` or leads to something inside of it; an asterisk stands for any index.
bool is_below(const std::string& pointer, const std::string& above);

/// Tokens of a JSON pointer ("/solvers/0" → solvers, 0), also as shown_pointer() writes it. Fails at `place` when the
/// pointer is malformed, longer than deepest_json, or names the whole document.
std::vector<std::string> pointer_tokens(const std::string& pointer, const JsonSource& source, const std::string& place);

/// Puts a value where the pointer says: elements of lists must exist, missing objects on the way and the last key are made.
/// An asterisk in the place of an index puts it into each element. Fails at `place`.
void set_at_pointer(Json& document, const std::string& pointer, const Json& value, const JsonSource& source,
                    const std::string& place);

/// "a list", "a text", …
std::string json_type_name(const Json& value);

/// The value as compact text, cut at 60 characters, for messages; texts without quotes.
std::string json_text(const Json& value);

/// The same for labels and comparisons: what is cut off leaves a fingerprint of the whole, so that different values differ.
std::string distinct_text(const Json& value);

/// Valid JSON whatever bytes the texts hold (invalid UTF-8 is replaced); indent < 0: one line.
std::string dump_json(const Json& value, int indent = -1);

/// One place where two documents differ.
struct JsonChange {
  std::string pointer;
  std::string before, after;  ///< as compact text; empty where there is nothing

  std::string text() const;  ///< "/stop/tolerance: 1e-08 → 1e-06"
};

/// All such places, in the order of `before`, then of `after`. Objects are compared key by key, lists of one length entry by
/// entry; whatever else differs, as a whole.
std::vector<JsonChange> json_changes(const Json& before, const Json& after);

/// The number, or null where it is not finite, which JSON cannot say.
Json json_number(double value);

Json field_json(const FieldValue& value);
/// Names and values as an object.
Json parameters_json(const std::vector<std::pair<std::string, FieldValue>>& parameters);

/// The names of measures as a list.
Json names_json(const std::vector<Measure>& measures);

/// The members of a StopRule
Json stop_json(const StopRule& stop);

/// {"noise", "friction_factor", "seed"}, "b_noise" and "compliance" where there is some
Json perturbation_json(const Perturbation& perturbation);

}  // namespace ccp
