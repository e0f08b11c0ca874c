#pragma once

#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/config_json.hpp"
#include "core/fields.hpp"

namespace ccp {

enum class KeyType {
  text,  ///< not empty
  name,  ///< letters, digits, _ and -
  flag,
  number,
  integer,
  choice,   ///< one of a list of texts
  choices,  ///< one of them or a list of some of them, without repetition
  object,   ///< an object of a named shape
  objects,  ///< a list of such objects
  bound,    ///< a number, or an object of a named shape
  table     ///< an object with keys of its own, checked by its reader
};

/// One key of the config: declared once, for validation and for the schema.
struct Key {
  std::string name;
  KeyType type = KeyType::text;
  std::string meaning;
  bool required = false;
  std::string unit{};
  Range range{};
  std::vector<std::string> choices{};
  std::string shape{};
};

struct Shape {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;
};

/// The table of all keys: what a config may hold.
class ConfigKeys {
 public:
  explicit ConfigKeys(const Catalog& catalog);

  const std::vector<Shape>& shapes() const { return shapes_; }
  /// The shape of the whole file is "config".
  const Shape& shape(const std::string& name) const;
  const Key& key(const std::string& shape, const std::string& name) const;

  /// Throws InputError at the first unknown or missing key, wrong type, value out of range or unknown name.
  void check_object(const Json& value, const std::string& shape, const std::string& pointer, const JsonSource& source) const;
  void check_value(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) const;

 private:
  std::vector<Shape> shapes_;
};

/// Metrics of claims that take a decade in `at`.
bool metric_takes_decade(const std::string& metric);
/// What a claim can bound: columns of summary.csv and what is derived from them.
const std::vector<std::string>& claim_metrics();
/// Bounds a claim can set: "less_than", …
const std::vector<std::string>& claim_relations();
/// The names of ClaimOver, in its order.
const std::vector<std::string>& claim_overs();

}  // namespace ccp
