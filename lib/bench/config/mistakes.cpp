#include "bench/config/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/config/config_json.hpp"

namespace ccp {
namespace {

constexpr std::size_t most_lines = 20;

std::string without_ending(const std::string& text, const std::string& ending) {
  return !ending.empty() && text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : text;
}

}  // namespace

void Mistakes::begin_reading(const std::vector<std::string>& varied, const std::string& context) {
  earlier_.merge(current_);
  current_.clear();
  varied_.clear();
  for (const std::string& pointer : varied) varied_.push_back(shown_pointer(pointer));
  context_ = context.empty() ? "" : " (" + context + ")";
}

bool Mistakes::is_varied(const std::string& place) const {
  return std::any_of(varied_.begin(), varied_.end(),
                     [&place](const std::string& pointer) { return is_below(place, pointer); });
}

void Mistakes::add(const InputError& mistake) {
  const std::string& place = mistake.place();
  const bool known = !place.empty() && earlier_.count(place) > 0;
  if (known && !is_varied(place)) return;
  if (!texts_.insert(place + "\n" + without_ending(mistake.what(), context_)).second) return;
  current_.insert(place);
  lines_.emplace_back(mistake.what());
}

void Mistakes::raise(const std::string& file) const {
  if (lines_.empty()) return;
  if (lines_.size() <= most_lines) throw InputErrors(lines_);
  std::vector<std::string> shown(lines_.begin(), lines_.begin() + most_lines);
  const std::size_t more = lines_.size() - most_lines;
  shown.emplace_back(InputError(file, "", fmt::format("… and {} more", more)).what());
  throw InputErrors(std::move(shown));
}

}  // namespace ccp
