#include "terminal/table.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace ccp::cli {
namespace {

constexpr int gap = 2;                // blanks between columns
constexpr int narrowest_column = 12;  // a column that gives way keeps this many

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Lines of exactly so many columns, broken anywhere.
std::vector<std::string> broken(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    std::size_t bytes = 1;
    while (bytes < text.size() &&
           ((static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80 || display_width(text.substr(0, bytes)) < width))
      ++bytes;
    lines.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  lines.emplace_back(text);
  return lines;
}

std::vector<std::string> cell_lines(const Heading& column, const std::string& text, int width, bool whole) {
  if (whole && column.fit != Fit::fixed && column.fit != Fit::wrap) return broken(text, width);
  switch (column.fit) {
    case Fit::fixed: break;
    case Fit::shorten: return {shorten(text, width)};
    case Fit::shorten_left: return {shorten_left(text, width)};
    case Fit::wrap: return wrap(text, width);
  }
  return {text};
}

}  // namespace

void Table::row(std::vector<Entry> entries) {
  entries.resize(columns_.size(), Entry(""));
  rows_.push_back(std::move(entries));
}

std::vector<int> Table::widths(int available) const {
  std::vector<int> widths;
  int total = -gap;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = display_width(columns_[c].title);
    for (const auto& entries : rows_) width = std::max(width, display_width(entries[c].text));
    widths.push_back(width);
    total += width + gap;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].fit != Fit::fixed && total > available)
      widths[c] = std::max(std::min(narrowest_column, widths[c]), widths[c] - (total - available));
  return widths;
}

std::vector<bool> Table::ambiguous(const std::vector<int>& widths) const {
  std::vector<bool> found;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::set<std::string> whole, cut;
    if (columns_[c].fit == Fit::shorten || columns_[c].fit == Fit::shorten_left)
      for (const auto& entries : rows_) {
        whole.insert(entries[c].text);
        cut.insert(cell_lines(columns_[c], entries[c].text, widths[c], false).front());
      }
    found.push_back(cut.size() < whole.size());
  }
  return found;
}

std::string Table::line(const std::vector<Entry>& entries, const std::vector<int>& widths, const Style& style,
                        int indent) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    cells.push_back(cell_lines(columns_[c], entries[c].text, widths[c], ambiguous_[c]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t l = 0; l < height; ++l) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& part = l < cells[c].size() ? cells[c][l] : std::string();
      const std::string fill(static_cast<std::size_t>(std::max(0, widths[c] - display_width(part))), ' ');
      const std::string painted = style.paint(entries[c].tone, part);
      line += (columns_[c].right ? fill + painted : painted + fill);
      if (c + 1 < columns_.size()) line += std::string(gap, ' ');
    }
    text += trimmed(line) + "\n";
  }
  return text;
}

std::string Table::text(const Style& style, int width, int indent) const {
  const std::vector<int> fitted = widths(width - indent);
  ambiguous_ = ambiguous(fitted);
  std::string text;
  std::vector<Entry> titles;
  bool titled = false;
  for (const Heading& column : columns_) {
    titles.emplace_back(column.title, Tone::dim);
    titled = titled || !column.title.empty();
  }
  if (titled) text += line(titles, fitted, style, indent);
  for (const auto& entries : rows_) text += line(entries, fitted, style, indent);
  return text;
}

Table name_table() { return Table({{""}, {"", false, Fit::wrap}}); }

std::string section_text(const std::string& title, const Table& table) {
  if (table.empty()) return "";
  return "\n" + Style::out().bold(title) + "\n" + table.text(Style::out(), stdout_width());
}

void print_section(const std::string& title, const Table& table) { print(section_text(title, table)); }

}  // namespace ccp::cli
