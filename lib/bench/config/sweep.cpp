#include "bench/config/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "bench/config/config_tables.hpp"
#include "core/text.hpp"

namespace ccp {

constexpr std::size_t most_combinations = 100000;

Sweep::Sweep(const Json& value, const JsonSource& source) {
  if (value.is_null()) return;
  if (value.empty()) source.fail("/sweep", "'sweep' is empty, expected JSON pointers with lists of values");
  Checks check(source.mistakes);
  for (const auto& item : value.items()) {
    const bool zip = item.key() == "zip";
    const Json lists = zip ? item.value() : Json{{item.key(), item.value()}};
    const bool sound = check([&] {
      if (zip)
        add_zip(lists, source);
      else
        add_axis(lists, "/sweep", source);
    });
    if (!sound) leave_out(lists);
  }
  const bool few = check([&] {
    std::size_t total = 1;
    for (const Axis& axis : axes_) {
      total *= axis.length();
      if (total > most_combinations)
        source.fail("/sweep", fmt::format("has more than {} combinations, expected fewer", most_combinations));
    }
  });
  if (!few) keep([](const std::string&, const Json&, const std::string&) { return false; });
}

void Sweep::leave_out(const Json& lists) {
  if (!lists.is_object()) return;
  Mistakes known_ones;
  Checks check(&known_ones);
  for (const auto& item : lists.items())
    if (check([&] { pointer_tokens(item.key(), {}, ""); })) left_out_.push_back(item.key());
}

void Sweep::add_zip(const Json& lists, const JsonSource& source) {
  if (!lists.is_object() || lists.empty())
    source.fail("/sweep/zip", fmt::format("'zip' is {}, expected an object of JSON pointers with lists of values",
                                          lists.is_object() ? "empty" : json_type_name(lists)));
  add_axis(lists, "/sweep/zip", source);
}

void Sweep::check_pointer(const std::string& pointer, const std::string& place, const JsonSource& source) const {
  const std::string first = pointer_tokens(pointer, source, place).front();
  if (std::find(swept_keys.begin(), swept_keys.end(), first) == swept_keys.end())
    source.fail(place, fmt::format("'{}' cannot be swept{}", first, suggestion(first, swept_keys)));
  for (const Axis& axis : axes_)
    for (const std::string& other : axis.pointers)
      if (is_below(pointer, other) && is_below(other, pointer))
        source.fail(place, fmt::format("'{}' is swept twice", pointer));
}

void Sweep::check_values(const Axis& axis, const JsonSource& source) {
  std::set<std::string> seen;
  for (std::size_t position = 0; position < axis.length(); ++position) {
    std::vector<std::string> texts, distinct;
    for (const auto& values : axis.values) {
      const Json& value = values[position];
      texts.push_back(json_text(value));
      distinct.push_back(value.is_number() ? dump_json(Json(value.get<double>())) : dump_json(value));
    }
    if (!seen.insert(join(distinct, "\n")).second)
      source.fail(axis.places.front(), fmt::format("has {} twice, expected different values", join(texts, " with ")));
  }
}

void Sweep::add_axis(const Json& lists, const std::string& place, const JsonSource& source) {
  Axis axis;
  Checks check(source.mistakes);
  for (const auto& item : lists.items())
    check([&] {
      const std::string& pointer = item.key();
      const Json& list = item.value();
      const std::string own_place = child_pointer(place, pointer);
      check_pointer(pointer, own_place, source);
      if (!list.is_array()) source.fail(own_place, fmt::format("is {}, expected a list of values", json_type_name(list)));
      if (list.empty()) source.fail(own_place, "is an empty list, expected at least one value");
      if (!axis.values.empty() && list.size() != axis.length())
        source.fail(own_place, fmt::format("has {} {}, but {} has {}, expected paired lists of one length", list.size(),
                                           list.size() == 1 ? "value" : "values", axis.pointers.front(), axis.length()));
      axis.pointers.push_back(pointer);
      axis.values.emplace_back(list.begin(), list.end());
      axis.places.push_back(own_place);
    });
  check.finish();
  check_values(axis, source);
  axes_.push_back(std::move(axis));
}

std::size_t Sweep::count() const {
  std::size_t total = 1;
  for (const Axis& axis : axes_) total *= axis.length();
  return total;
}

std::pair<Json, std::vector<SweptValue>> Sweep::apply(const Json& document, std::size_t index,
                                                      const JsonSource& source) const {
  Json variant = document;
  std::vector<SweptValue> swept;
  std::size_t stride = count();
  for (const Axis& axis : axes_) {
    stride /= axis.length();
    const std::size_t position = index / stride % axis.length();
    for (std::size_t i = 0; i < axis.pointers.size(); ++i) {
      const Json& value = axis.values[i][position];
      set_at_pointer(variant, axis.pointers[i], value, source, axis.places[i]);
      swept.push_back({axis.pointers[i], distinct_text(value)});
    }
  }
  return {std::move(variant), std::move(swept)};
}

}  // namespace ccp
