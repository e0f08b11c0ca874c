#include "bench/config/mistakes.hpp"

#include <algorithm>

#include "bench/config/config_json.hpp"

namespace ccp {
namespace {

std::string without_ending(const std::string& text, const std::string& ending) {
  return !ending.empty() && text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : text;
}

}  // namespace

void Mistakes::begin_reading(const std::vector<std::string>& varied, const std::vector<std::string>& unset,
                             const std::string& context) {
  earlier_.merge(current_);
  current_.clear();
  varied_.clear();
  unset_.clear();
  for (const std::string& pointer : varied) varied_.push_back(shown_pointer(pointer));
  for (const std::string& pointer : unset) unset_.push_back(shown_pointer(pointer));
  context_ = context.empty() ? "" : " (" + context + ")";
}

bool Mistakes::is_varied(const std::string& place) const {
  return std::any_of(varied_.begin(), varied_.end(),
                     [&place](const std::string& pointer) { return is_below(place, pointer); });
}

bool Mistakes::lacks_value(const std::string& place) const {
  return std::any_of(unset_.begin(), unset_.end(),
                     [&place](const std::string& pointer) { return pointer != place && is_below(pointer, place); });
}

void Mistakes::add(const InputError& error) {
  for (const InputError& mistake : mistakes_of_error(error)) add_one(mistake);
}

void Mistakes::add_one(const InputError& mistake) {
  const std::string& place = mistake.place();
  const bool known = !place.empty() && earlier_.count(place) > 0;
  if (known && !is_varied(place)) return;
  const bool follow_up = lacks_value(place);
  const std::string text = (follow_up ? "follows: " : "") + place + "\n" + without_ending(mistake.what(), context_);
  if (!texts_.insert(text).second) return;
  if (follow_up) return follow_ups_.push_back(mistake);
  current_.insert(place);
  mistakes_.push_back(mistake);
}

void Mistakes::raise() const {
  if (!none()) throw InputErrors(mistakes_.empty() ? follow_ups_ : mistakes_);
}

}  // namespace ccp
