#include "peers/external/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

using Document = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw InputError("", "", fmt::format("the description of the solver: {} {}", place, why));
}

/// An object whose keys are looked up, each by its name.
class Part {
 public:
  Part(const Document& object, std::string place, const std::vector<std::string>& known)
      : object_(object), place_(std::move(place)) {
    if (!object.is_object()) refuse(place_, "is no object");
    for (const auto& item : object.items())
      if (std::find(known.begin(), known.end(), item.key()) == known.end())
        refuse(place_, fmt::format("has an unknown key '{}'{}", item.key(), suggestion(item.key(), known)));
  }

  bool has(const char* key) const { return object_.contains(key); }
  const Document& value(const char* key) const { return object_[key]; }
  std::string text(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!value(key).is_string()) refuse(at(key), "is no text");
    return value(key).get<std::string>();
  }
  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!value(key).is_boolean()) refuse(at(key), "is neither true nor false");
    return value(key).get<bool>();
  }
  double number(const char* key) const {
    if (!value(key).is_number()) refuse(at(key), "is no number");
    return value(key).get<double>();
  }
  /// One text or a list of texts, not empty.
  std::vector<std::string> texts(const char* key) const {
    const Document list = value(key).is_array() ? value(key) : Document::array({value(key)});
    std::vector<std::string> found;
    for (const Document& one : list) {
      if (!one.is_string() || one.get<std::string>().empty()) refuse(at(key), "is no list of texts");
      found.push_back(one.get<std::string>());
    }
    if (found.empty()) refuse(at(key), "is an empty list");
    return found;
  }
  const Document& list(const char* key) const {
    static const Document none = Document::array();
    if (!has(key)) return none;
    if (!value(key).is_array()) refuse(at(key), "is no list");
    return value(key);
  }
  std::string at(const std::string& key) const { return place_ + "/" + key; }

 private:
  const Document& object_;
  std::string place_;
};

/// The position of each text in `names`.
std::vector<std::size_t> positions(const Part& part, const char* key, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (const std::string& text : part.texts(key)) {
    const auto name = std::find(names.begin(), names.end(), text);
    if (name == names.end()) refuse(part.at(key), fmt::format("is '{}'{}", cut_text(text), suggestion(text, names)));
    found.push_back(static_cast<std::size_t>(name - names.begin()));
  }
  return found;
}

/// A name that can be a column of a table and a key of a config.
std::string identifier(const Part& part, std::set<std::string>& taken) {
  const std::string name = part.text("name", "");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > 40 || !std::all_of(name.begin(), name.end(), fits))
    refuse(part.at("name"), fmt::format("is '{}', expected 1 to 40 letters, digits and _", cut_text(name)));
  if (!taken.insert(name).second) refuse(part.at("name"), fmt::format("is '{}', which is taken, expected another", name));
  return name;
}

FieldType type_of(const Part& part) {
  const Document& value = part.value("default");
  const std::vector<std::string> names = {"number", "integer", "flag", "choice"};
  if (part.has("type")) {
    constexpr FieldType types[] = {FieldType::real, FieldType::integer, FieldType::flag, FieldType::choice};
    return types[positions(part, "type", names).front()];
  }
  return value.is_boolean()          ? FieldType::flag
         : value.is_string()         ? FieldType::choice
         : value.is_number_integer() ? FieldType::integer
                                     : FieldType::real;
}

Range range_of(const Part& part) {
  Range range;
  if (part.has("min")) range.min = part.number("min");
  if (part.has("max")) range.max = part.number("max");
  if (part.has("above")) range.min = part.number("above"), range.min_open = true;
  if (part.has("below")) range.max = part.number("below"), range.max_open = true;
  return range;
}

Field setting_of(const Document& entry, const std::string& place, const std::string& source, std::set<std::string>& taken) {
  const Part part(entry, place, {"name", "type", "default", "min", "max", "above", "below", "choices", "unit", "meaning"});
  Field field;
  field.name = identifier(part, taken);
  if (!part.has("default")) refuse(place, "has no 'default'");
  field.type = type_of(part);
  field.unit = part.text("unit", "");
  field.meaning = part.text("meaning", "");
  field.source = source;
  field.range = range_of(part);
  if (field.type == FieldType::choice) {
    if (!part.has("choices")) refuse(place, "has no 'choices'");
    field.choices = part.texts("choices");
  }
  const Document& value = part.value("default");
  if (value.is_boolean())
    field.default_value = value.get<bool>();
  else if (value.is_number_integer() && field.type == FieldType::integer)
    field.default_value = value.get<std::int64_t>();
  else if (value.is_number())
    field.default_value = value.get<double>();
  else
    field.default_value = value.is_string() ? value.get<std::string>() : std::string();
  if (const auto defect = field.check(field.default_value)) refuse(part.at("default"), "cannot be: " + *defect);
  return field;
}

}  // namespace

const std::vector<std::string>& constraint_names() {
  static const std::vector<std::string> names = {"contact", "contact2d", "unilateral", "bilateral"};
  return names;
}

ExternalDescription parse_description(const std::string& text) {
  const Document document = Document::parse(text, nullptr, false);
  if (document.is_discarded()) refuse("it", "is no JSON");
  const Part part(document, "it",
                  {"name", "version", "title", "reference", "models", "constraints", "form", "warm_start", "deterministic",
                   "columns", "settings"});
  ExternalDescription found;
  found.text = text;
  found.name = part.text("name", "");
  if (found.name.empty()) refuse("it", "has no 'name'");
  found.version = part.text("version", "");
  found.title = part.text("title", found.name);
  found.reference = part.text("reference", "a solver of the user");
  if (part.has("models")) {
    found.models.clear();
    for (const std::size_t i : positions(part, "models", model_names())) found.models.push_back(static_cast<Model>(i));
  }
  if (part.has("constraints")) {
    found.constraints.clear();
    for (const std::size_t i : positions(part, "constraints", constraint_names()))
      found.constraints.push_back(static_cast<ConstraintKind>(i));
  }
  if (part.has("form")) {
    const std::size_t form = positions(part, "form", {"local", "global", "both"}).front();
    found.local = form != 1;
    found.global = form != 0;
  }
  found.warm_start = part.flag("warm_start", true);
  found.deterministic = part.flag("deterministic", true);
  found.columns = {{"own_error", "", "the residual that the solver computes"},
                   {"own_iterations", "", "iterations that the solver has counted"}};
  std::set<std::string> columns = {"error", "iterations"}, settings;
  for (const Document& entry : part.list("columns")) {
    const Part column(entry, "a column", {"name", "unit", "meaning"});
    found.columns.push_back({"own_" + identifier(column, columns), column.text("unit", ""), column.text("meaning", "")});
  }
  for (const Document& entry : part.list("settings"))
    found.settings.push_back(setting_of(entry, fmt::format("setting {}", settings.size() + 1), found.name, settings));
  return found;
}

}  // namespace ccp
