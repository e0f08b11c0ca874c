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
  integers,  ///< a list of whole numbers, without repetition
  choice,    ///< one of a list of texts
  choices,   ///< one of them or a list of some of them, without repetition; `open` without any: of texts
  object,    ///< an object of a named shape
  objects,   ///< a list of such objects
  bound,     ///< a number, or an object of a named shape
  table      ///< an object with keys of its own, checked by its reader
};

/// One key of the config: declared once, for validation, reading, help and the schema.
struct Key {
  std::string name;
  KeyType type = KeyType::text;
  std::string meaning;   ///< with the default, where there is one to tell
  Json default_value{};  ///< null: none
  bool required = false;
  std::string unit{};
  Range range{};
  std::vector<std::string> choices{};
  std::string shape{};
  bool open = false;  ///< a choice that has more than these, which the reader of the key knows
};

struct Shape {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;

  const Key& key(const std::string& key_name) const;

  /// The value of a key in an object of this shape (null: an empty one) or its default; T{} where there is neither.
  template <typename T>
  T value(const Json& object, const std::string& key_name) const {
    const auto found = object.find(key_name);
    const Json& value = found != object.end() ? *found : key(key_name).default_value;
    return value.is_null() ? T{} : value.get<T>();
  }
};

/// The table of all keys: what a config may hold.
class ConfigKeys {
 public:
  explicit ConfigKeys(const Catalog& catalog);

  const std::vector<Shape>& shapes() const { return shapes_; }
  /// The shape of the whole file is "config".
  const Shape& shape(const std::string& name) const;

  /// Throws InputError for unknown and missing keys, wrong types, values out of range and unknown names.
  void check_object(const Json& value, const std::string& shape, const std::string& pointer, const JsonSource& source) const;
  void check_value(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) const;
  /// Whether check_object() finds nothing.
  bool is_sound(const Json& value, const std::string& shape) const;

 private:
  void check_objects(const Json& list, const std::string& shape, const std::string& pointer, const JsonSource& source) const;

  std::vector<Shape> shapes_;
};

/// Names of the measures that a run can stop by.
std::vector<std::string> stoppable_measures();
/// Keys of the config whose values a sweep can change.
inline const std::vector<std::string> swept_keys = {"problems", "model", "solvers", "stop", "limits", "trace"};
/// The names of Relation, in its order.
inline const std::vector<std::string> claim_relations = {"less_than", "at_most", "at_least", "greater_than"};
/// The names of Trajectory, in its order.
inline const std::vector<std::string> trajectories = {"shared", "own"};
/// The names of StartMatch, in its order.
inline const std::vector<std::string> start_matches = {"contacts", "same"};
/// The names of ClaimOver, in its order.
inline const std::vector<std::string> claim_overs = {"each",       "largest",        "smallest", "spread",
                                                     "slope",      "lower_quartile", "median",   "upper_quartile",
                                                     "mean_ratio", "affine_slope",   "r_squared"};
/// What a table says of several values.
inline const std::vector<std::string> plot_overs = {"mean", "median", "smallest", "largest"};

}  // namespace ccp
