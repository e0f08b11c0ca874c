#include "bench/config/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

const std::string too_deep = fmt::format("goes deeper than {} lists and objects inside of one another", deepest_json);

/// Follows the events of the parser and refuses a second key of the same name, which the library would silently drop, and
/// what is too deep, on which it would recurse without a bound.
class DocumentGuard {
 public:
  explicit DocumentGuard(const std::string& file) : source_{file, ""} {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        enter_value();
        if (frames_.size() == deepest_json) source_.fail(child_pointer("", frames_.front().key), too_deep);
        frames_.push_back({event == Event::array_start, 0, {}, {}});
        break;
      case Event::object_end:
      case Event::array_end: frames_.pop_back(); break;
      case Event::key: take_key(parsed.get<std::string>()); break;
      case Event::value: enter_value(); break;
    }
    return true;
  }

 private:
  struct Frame {
    bool list;
    std::size_t length;
    std::string key;
    std::set<std::string> keys;
  };

  void enter_value() {
    if (!frames_.empty() && frames_.back().list) frames_.back().key = std::to_string(frames_.back().length++);
  }

  void take_key(const std::string& key) {
    Frame& frame = frames_.back();
    frame.key = key;
    if (frame.keys.insert(key).second) return;
    std::string pointer;
    for (const Frame& outer : frames_) pointer = child_pointer(pointer, outer.key);
    source_.fail(pointer, fmt::format("the key '{}' stands twice in the same object", key));
  }

  JsonSource source_;
  std::vector<Frame> frames_;
};

/// The library's message without its "[json.exception.…] " prefix.
std::string parser_message(const std::string& what) {
  const auto end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

/// The last character of a text that is neither a blank nor in a comment; 0 when there is none.
char last_significant(std::string_view text) {
  char last = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (!quoted && two == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (!quoted && two == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    } else if (quoted && text[i] == '\\') {
      ++i;
    } else {
      if (text[i] == '"') quoted = !quoted;
      if (quoted || text.substr(i, 1).find_first_of(" \t\r\n") != 0) last = text[i];
    }
  }
  return last;
}

/// The likely meaning of malformed text; byte: the last one read, from 1.
std::string likely_cause(const std::string& text, std::size_t byte) {
  if (byte == 0 || byte > text.size()) return "";
  const char read = text[byte - 1];
  if (read == '#') return "; comments begin with // or stand between /* and */";
  const bool trailing = (read == '}' || read == ']') && last_significant(std::string_view(text).substr(0, byte - 1)) == ',';
  return trailing ? fmt::format("; a trailing comma: take away the ',' before this '{}'", read) : "";
}

std::optional<std::size_t> list_index(const std::string& token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [rest, error] = std::from_chars(token.data(), end, index);
  const bool canonical = !token.empty() && (token == "0" || token.front() != '0');
  if (error != std::errc() || rest != end || !canonical) return std::nullopt;
  return index;
}

bool is_index(std::string_view token) {
  return !token.empty() && token.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Puts a value to where a pointer leads, in each element of a list for a token '*'.
struct PointerSetter {
  const std::string& pointer;
  const std::vector<std::string> tokens;
  const Json& value;
  const JsonSource& source;
  const std::string& place;

  /// target: the part of the document to which the first `depth` tokens, `so_far`, have led.
  void set(Json& target, std::size_t depth, const std::string& so_far) const {
    if (depth == tokens.size()) {
      target = value;
      return;
    }
    const std::string& token = tokens[depth];
    if (target.is_null()) target = Json::object();
    if (target.is_object()) {
      set(target[token], depth + 1, child_pointer(so_far, token));
    } else if (!target.is_array()) {
      fail(so_far, "is " + json_type_name(target));
    } else if (token == "*" && !target.empty()) {
      for (std::size_t i = 0; i < target.size(); ++i) set(target[i], depth + 1, child_pointer(so_far, i));
    } else {
      const auto index = list_index(token);
      if (target.empty()) fail(so_far, "is an empty list");
      if (!index || *index >= target.size())
        fail(so_far, target.size() == 1 ? std::string("has 1 entry, expected the index 0 or *")
                                        : fmt::format("has {} entries, expected an index from 0 to {} or *", target.size(),
                                                      target.size() - 1));
      set(target[*index], depth + 1, child_pointer(so_far, token));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& so_far, const std::string& why) const {
    source.fail(place, fmt::format("'{}' leads nowhere: {} {}", pointer, shown_pointer(so_far), why));
  }
};

std::string whole_text(const Json& value) { return value.is_string() ? value.get<std::string>() : dump_json(value); }

void add_changes(const Json& before, const Json& after, const std::string& pointer, std::vector<JsonChange>& changes) {
  if (before == after) return;
  if (before.is_object() && after.is_object()) {
    for (const auto& [key, value] : before.items()) {
      const std::string place = child_pointer(pointer, key);
      if (after.contains(key))
        add_changes(value, after[key], place, changes);
      else
        changes.push_back({place, json_text(value), ""});
    }
    for (const auto& [key, value] : after.items())
      if (!before.contains(key)) changes.push_back({child_pointer(pointer, key), "", json_text(value)});
  } else if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) add_changes(before[i], after[i], child_pointer(pointer, i), changes);
  } else {
    changes.push_back({pointer, json_text(before), json_text(after)});
  }
}

}  // namespace

void JsonSource::fail(const std::string& pointer, const std::string& expectation) const {
  const auto touches = [&](const std::string& value) { return is_below(pointer, value) || is_below(value, pointer); };
  const bool told = !context.empty() && (varied.empty() || std::any_of(varied.begin(), varied.end(), touches));
  throw InputError(file, shown_pointer(pointer), told ? expectation + " (" + context + ")" : expectation);
}

Json parse_json(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text, DocumentGuard(file), true, true);
  } catch (const nlohmann::json::parse_error& error) {
    throw is_lfs_pointer(text) ? lfs_pointer(file)
                               : InputError(file, "", parser_message(error.what()) + likely_cause(text, error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(file, "", parser_message(error.what()));
  }
}

Json try_parse_json(const std::string& text) {
  struct TooDeep {};
  try {
    const auto guard = [](int depth, Json::parse_event_t event, Json&) {
      const bool opens = event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
      return opens && depth >= static_cast<int>(deepest_json) ? throw TooDeep() : true;
    };
    return Json::parse(text, guard, false);
  } catch (const TooDeep&) {
    return Json(Json::value_t::discarded);
  }
}

std::string child_pointer(const std::string& pointer, const std::string& key) {
  std::string escaped = pointer + "/";
  for (const char c : key) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return escaped;
}

std::string child_pointer(const std::string& pointer, std::size_t index) { return pointer + "/" + std::to_string(index); }

std::vector<std::string> pointer_tokens(const std::string& pointer, const JsonSource& source, const std::string& place) {
  if (pointer.size() < 2 || pointer.front() != '/') {
    const bool slash_forgotten = pointer.find('/') != std::string::npos && pointer.find('/') > 0;
    source.fail(place, fmt::format("'{}' is no JSON pointer, expected {}", pointer,
                                   slash_forgotten ? "'/" + pointer + "'" : "one such as /solvers/0/parameters/rho"));
  }
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const std::size_t close = pointer.compare(i, 2, "[\"") == 0 ? pointer.find("\"]", i + 2) : std::string::npos;
    if (close != std::string::npos) {
      tokens.push_back(pointer.substr(i + 2, close - i - 2));
      i = close + 1;
    } else if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] != '~') {
      tokens.back() += pointer[i];
    } else {
      const char next = i + 1 < pointer.size() ? pointer[++i] : ' ';
      if (next != '0' && next != '1')
        source.fail(place, fmt::format("'{}' is no JSON pointer: ~ must be written ~0, and / inside a key ~1", pointer));
      tokens.back() += next == '0' ? '~' : '/';
    }
  }
  if (tokens.size() > deepest_json)
    source.fail(place, fmt::format("a JSON pointer of {} parts, expected at most {}", tokens.size(), deepest_json));
  return tokens;
}

std::string shown_pointer(const std::string& pointer) {
  if (pointer.empty() || pointer.front() != '/' || pointer.find('~') == std::string::npos) return pointer;
  std::string shown;
  for (const std::string& token : pointer_tokens(pointer, {}, ""))
    shown += token.find('/') == std::string::npos ? "/" + token : "[\"" + token + "\"]";
  return shown;
}

bool is_below(const std::string& pointer, const std::string& above) {
  std::size_t a = 0, b = 0;
  while (a < above.size() && b < pointer.size()) {
    const std::size_t a_end = std::min(above.find('/', a + 1), above.size()),
                      b_end = std::min(pointer.find('/', b + 1), pointer.size());
    const std::string_view x = std::string_view(above).substr(a, a_end - a),
                           y = std::string_view(pointer).substr(b, b_end - b);
    const auto any = [](std::string_view star, std::string_view token) { return star == "/*" && is_index(token.substr(1)); };
    if (x != y && !any(x, y) && !any(y, x)) return false;
    a = a_end;
    b = b_end;
  }
  return a >= above.size();
}

void set_at_pointer(Json& document, const std::string& pointer, const Json& value, const JsonSource& source,
                    const std::string& place) {
  PointerSetter{pointer, pointer_tokens(pointer, source, place), value, source, place}.set(document, 0, "");
}

std::string json_type_name(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "a flag";
  if (value.is_number_integer()) return "a whole number";
  if (value.is_number()) return "a number";
  return "null";
}

std::string json_text(const Json& value) { return cut_text(whole_text(value)); }

std::string distinct_text(const Json& value) {
  const std::string text = whole_text(value);
  const std::string cut = cut_text(text, 51);
  return text.size() <= 60 ? text : cut + "#" + sha256_hex(text).substr(0, 8);
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string JsonChange::text() const {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("nothing") : value; };
  return fmt::format("{}: {} → {}", shown_pointer(pointer), shown(before), shown(after));
}

std::vector<JsonChange> json_changes(const Json& before, const Json& after) {
  std::vector<JsonChange> changes;
  add_changes(before, after, "", changes);
  return changes;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json field_json(const FieldValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json parameters_json(const std::vector<std::pair<std::string, FieldValue>>& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) object[name] = field_json(value);
  return object;
}

Json names_json(const std::vector<Measure>& measures) {
  Json names = Json::array();
  for (const Measure measure : measures) names.push_back(measure_info(measure).name);
  return names;
}

Json stop_json(const StopRule& stop) {
  Json json = {{"measure", measure_info(stop.measure).name},
               {"tolerance", stop.tolerance},
               {"native", stop.native},
               {"max_iterations", stop.max_iterations},
               {"time_limit_s", stop.time_limit_s}};
  if (stop.judge_every != 1) json["judge_every"] = stop.judge_every;
  return json;
}

Json perturbation_json(const Perturbation& perturbation) {
  Json json = {
      {"noise", perturbation.noise}, {"friction_factor", perturbation.friction_factor}, {"seed", perturbation.seed}};
  if (perturbation.b_noise != 0.0) json["b_noise"] = perturbation.b_noise;
  if (perturbation.compliance != 0.0) json["compliance"] = perturbation.compliance;
  return json;
}

}  // namespace ccp
