#pragma once

#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace ccp::cli {

/// One cell of a table.
struct Entry {
  Entry(std::string text_, Tone tone_ = Tone::plain) : text(std::move(text_)), tone(tone_) {}
  Entry(const char* text_) : text(text_) {}
  std::string text;
  Tone tone = Tone::plain;
};

/// The treatment of a column when the table is too wide. Texts that shortening would make equal are broken into lines.
enum class Fit { fixed, shorten, shorten_left, wrap };

struct Heading {
  std::string title;  ///< no header line is drawn when all titles are empty
  bool right = false;
  Fit fit = Fit::fixed;  ///< at most one column may be other than fixed
};

/// Aligned columns, fitted to the width of the terminal.
class Table {
 public:
  explicit Table(std::vector<Heading> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Entry> entries);
  /// A row of a name_table(), with the name dimmed.
  void fact(const std::string& name, std::string value) { row({Entry(name, Tone::dim), std::move(value)}); }
  bool empty() const { return rows_.empty(); }
  /// Lines, each ended by a line break. width: columns of the terminal. indent: blanks before each line.
  std::string text(const Style& style, int width, int indent = 2) const;

 private:
  std::vector<int> widths(int available) const;
  /// Columns that shortening would make texts equal in: they are broken into lines instead.
  std::vector<bool> ambiguous(const std::vector<int>& widths) const;
  std::string line(const std::vector<Entry>& entries, const std::vector<int>& widths, const Style& style, int indent) const;

  std::vector<Heading> columns_;
  std::vector<std::vector<Entry>> rows_;
  mutable std::vector<bool> ambiguous_;  ///< of the text that is being made
};

/// "name  value" rows without a header; the value wraps.
Table name_table();

/// A section of a page: an empty line, a bold title, the table. Empty when the table is.
std::string section_text(const std::string& title, const Table& table);
void print_section(const std::string& title, const Table& table);

}  // namespace ccp::cli
