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
  /// unequal length, a pointer that stands twice, and more than 100 000 combinations. Where mistakes are listed, an axis
  /// with one is left out.
  Sweep(const Json& value, const JsonSource& source);

  /// Leaves out the axes of which `check` refuses a pointer: called with each, its first value, and its place in the config.
  template <typename Check>
  void keep(const Check& check);
  /// The pointers of the axes that were left out.
  const std::vector<std::string>& left_out() const { return left_out_; }

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

  void leave_out(const Json& lists);
  void add_zip(const Json& lists, const JsonSource& source);
  void add_axis(const Json& lists, const std::string& place, const JsonSource& source);
  /// Refuses a combination of values that occurs twice.
  static void check_values(const Axis& axis, const JsonSource& source);
  void check_pointer(const std::string& pointer, const std::string& place, const JsonSource& source) const;

  std::vector<Axis> axes_;
  std::vector<std::string> left_out_;
};

template <typename Check>
void Sweep::keep(const Check& check) {
  for (std::size_t a = 0; a < axes_.size();) {
    bool sound = true;
    for (std::size_t i = 0; i < axes_[a].pointers.size(); ++i)
      sound = check(axes_[a].pointers[i], axes_[a].values[i].front(), axes_[a].places[i]) && sound;
    if (sound) {
      ++a;
    } else {
      left_out_.insert(left_out_.end(), axes_[a].pointers.begin(), axes_[a].pointers.end());
      axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(a));
    }
  }
}

}  // namespace ccp
