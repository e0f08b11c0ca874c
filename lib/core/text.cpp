#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/nearest_names.hpp"

namespace ccp {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

constexpr std::size_t most_likely = 4;                   // names that are taken to be meant
constexpr std::size_t most_listed = 24, few_listed = 8;  // names in a message

/// "Admm-Chrono" → "admm_chrono"
std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c == '-' || c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

std::string without_underscores(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

/// Whether some words of a name, in their order, are the other name.
bool has_words(const std::string& name, const std::string& words) {
  return ("_" + name + "_").find("_" + words + "_") != std::string::npos;
}

/// Whether `name` abbreviates the candidate or is some of its words; or the other way round.
bool is_part(const std::string& name, const std::string& candidate) {
  if (name.size() < 3) return false;
  return candidate.starts_with(name) || without_underscores(candidate).starts_with(without_underscores(name)) ||
         has_words(candidate, name) || (candidate.size() > 3 && has_words(name, candidate));
}

/// The candidates at the least distance, when that is within `most`.
std::vector<std::string> misspelt(const std::string& name, const std::vector<std::string>& candidates, std::size_t most) {
  std::vector<std::string> best;
  std::size_t best_distance = most;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, plain(candidate));
    if (distance > best_distance || distance >= std::max(name.size(), candidate.size())) continue;
    if (distance < best_distance) best.clear();
    best_distance = distance;
    best.push_back(candidate);
  }
  return best;
}

/// Candidates for the name that was meant, the likeliest first: the same but for case, one edit, a part, several edits.
std::vector<std::string> likely_names(std::string_view given, const std::vector<std::string>& candidates) {
  const std::string name = plain(given);
  std::vector<std::string> likely;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(likely),
               [&](const std::string& candidate) { return plain(candidate) == name; });
  if (likely.empty()) likely = misspelt(name, candidates, 1);
  if (likely.empty())
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(likely),
                 [&](const std::string& candidate) { return is_part(name, plain(candidate)); });
  if (likely.empty() || likely.size() > most_likely) {
    const auto near = misspelt(name, candidates, std::max<std::size_t>(2, name.size() / 3));
    likely = near.empty() ? nearest_names(name, likely, most_likely) : near;
  }
  if (likely.size() > most_likely) likely.resize(most_likely);
  return likely;
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> likely = likely_names(name, candidates);
  return likely.empty() ? "" : likely.front();
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) ranked.emplace_back(edit_distance(name, candidate), candidate);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) nearest.push_back(ranked[i].second);
  return nearest;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::string> likely = likely_names(name, candidates);
  if (!likely.empty()) {
    const std::string last = std::exchange(likely.back(), {});
    likely.pop_back();
    if (likely.empty()) return fmt::format(" (did you mean '{}'?)", last);
    return fmt::format(" (did you mean '{}' or '{}'?)", join(likely, "', '"), last);
  }
  if (candidates.empty()) return "";
  if (candidates.size() <= most_listed) return " (known: " + join(candidates, ", ") + ")";
  return fmt::format(" (the nearest of {}: {})", candidates.size(), join(nearest_names(name, candidates, few_listed), ", "));
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : (first & 0xF0) == 0xE0         ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

bool is_control_character(std::string_view character) {
  const auto byte = [character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  return (character.size() == 1 && (byte(0) < 0x20 || byte(0) == 0x7F)) ||
         (character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0);
}

std::string escaped_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control_character(character))
      escaped += character;
    else
      for (const char c : character) escaped += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    text.remove_prefix(character.size());
  }
  return escaped;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string cut_text(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string format_double(double value) { return fmt::format("{}", value); }

}  // namespace ccp
