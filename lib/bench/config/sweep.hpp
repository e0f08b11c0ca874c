#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"

namespace ccp {

/// The "sweep" of a config: axes that multiply, each of one or more (paired) JSON pointers with as many values each.
class Sweep {
 public:
  /// A pointer may have an asterisk in the place of an index, for each entry of a list.
  /// value: the JSON under "sweep", or null for none. Fails at pointers below "/sweep" for malformed or forbidden pointers
  /// (only problems, model, solvers, stop, limits and trace can be swept), values that are no list or an empty one, pairs of
  /// unequal length, a pointer that stands twice, and more than 100 000 combinations.
  Sweep(const Json& value, const JsonSource& source);

  /// Each pointer, and its place in the config.
  std::vector<std::pair<std::string, std::string>> pointers() const;
  /// Number of combinations, at least 1. The last axis runs fastest.
  std::size_t count() const;
  /// The document with combination `index` in place, and the values put there.
  std::pair<Json, std::vector<SweptValue>> apply(const Json& document, std::size_t index, const JsonSource& source) const;

 private:
  struct Axis {
    std::vector<std::string> pointers;
    std::vector<std::vector<Json>> values;  ///< per pointer
    std::vector<std::string> places;        ///< where each stands in the config
    std::size_t length() const { return values.front().size(); }
  };

  void add_zip(const Json& lists, const JsonSource& source);
  void add_axis(const Json& lists, const std::string& place, const JsonSource& source);
  void check_pointer(const std::string& pointer, const std::string& place, const JsonSource& source) const;

  std::vector<Axis> axes_;
};

}  // namespace ccp
