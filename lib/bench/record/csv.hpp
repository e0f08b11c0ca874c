#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// CSV files as of RFC 4180, with "\n" for the line end.
namespace ccp {

/// A number that is not known.
constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();

/// A text as a field: quoted, with inner quotes doubled, when it holds a comma, a quote or a line break; else as it is. A
/// text that begins with = + - @, a tab or a line break, or with apostrophes before these, and is no number, gets an
/// apostrophe before it: to a spreadsheet it would be a formula. read_csv() and parse_csv() take the apostrophe away.
std::string csv_field(std::string_view text);

/// "%.17g", which reads back as the same double; "nan", "inf", "-inf".
std::string csv_number(double value);

/// The bytes of a file that a run has written. Throws InputError when it cannot be read.
std::string read_result(const std::filesystem::path& path);

/// A CSV file as texts.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`

  /// Position of a column; −1 when there is none.
  int column(const std::string& name) const;
  /// The value as a number; NaN for an empty field, a text or a column that is not there.
  double number(std::size_t row, const std::string& name) const;
};

/// path: for messages. Throws InputError as read_csv() does.
CsvTable parse_csv(const std::string& text, const std::filesystem::path& path);

/// Throws InputError when the file cannot be read or a line has another number of fields than the header.
CsvTable read_csv(const std::filesystem::path& path);

}  // namespace ccp
