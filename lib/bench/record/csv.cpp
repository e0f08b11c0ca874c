#include "bench/record/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

constexpr std::size_t longest_field = std::size_t{1} << 20;  // bytes
constexpr std::size_t most_columns = 10000;

/// "-1.5e3", "inf"
bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return true;
  if (text.empty() || std::string_view(".0123456789").find(text.front()) == std::string_view::npos) return false;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// To a spreadsheet, or once the apostrophes before it are gone.
bool looks_like_formula(std::string_view text) {
  const std::size_t begin = text.find_first_not_of('\'');
  return begin != std::string_view::npos && std::string_view("=+-@\t\r\n").find(text[begin]) != std::string_view::npos &&
         !is_number(text);
}

/// Reads a table piece by piece, and stops at the first record that cannot be one of it: memory is that of the table,
/// however long the lines of a damaged file are.
class CsvParser {
 public:
  explicit CsvParser(const std::filesystem::path& path) : path_(path) {}

  void read(std::string_view piece) {
    for (const char c : piece) take(c);
  }

  CsvTable finish() {
    if (fields_.size() > 1 || !fields_.front().empty()) end_record();
    if (records_ == 0) throw InputError(path_.string(), "", "is empty, expected a header line");
    return std::move(table_);
  }

 private:
  void take(char c) {
    const bool closing = std::exchange(quote_in_quotes_, false);
    if (quoted_ && c == '"')
      quoted_ = false, quote_in_quotes_ = true;
    else if (quoted_)
      add(c);
    else if (closing && c == '"')
      quoted_ = true, add(c);  // a quotation mark is written twice
    else if (c == '"')
      quoted_ = true;
    else if (c == ',')
      begin_field();
    else if (c == '\n')
      end_record();
    else if (c != '\r')
      add(c);
  }

  void add(char c) {
    if (fields_.back().size() == longest_field) fail(fmt::format("has a field of more than {} bytes", longest_field));
    fields_.back() += c;
  }

  void begin_field() {
    const std::size_t most = records_ == 0 ? most_columns : table_.columns.size();
    if (fields_.size() == most) fail(fmt::format("has more fields, expected {}{}", records_ == 0 ? "at most " : "", most));
    end_field();
    fields_.emplace_back();
  }

  /// As csv_field() was given it.
  void end_field() {
    if (std::string& field = fields_.back(); field.starts_with('\'') && looks_like_formula(field)) field.erase(0, 1);
  }

  void end_record() {
    end_field();
    if (records_ == 0 && is_lfs_pointer(fields_.front())) throw lfs_pointer(path_);
    if (records_ == 0)
      table_.columns = std::move(fields_);
    else if (fields_.size() != table_.columns.size())
      fail(fmt::format("has {} {}, expected {}", fields_.size(), fields_.size() == 1 ? "field" : "fields",
                       table_.columns.size()));
    else
      table_.rows.push_back(std::move(fields_));
    ++records_;
    fields_.assign(1, "");
  }

  [[noreturn]] void fail(const std::string& expectation) const {
    throw InputError(path_.string(), fmt::format("record {}", records_ + 1), expectation);
  }

  const std::filesystem::path& path_;
  CsvTable table_;
  std::vector<std::string> fields_{1};
  std::size_t records_ = 0;
  bool quoted_ = false, quote_in_quotes_ = false;  ///< the latter: the quotation may go on
};

InputError no_result(const std::filesystem::path& path) {
  const std::filesystem::path usual = "results" / path.parent_path();  // where runs write unless told otherwise
  std::error_code none;
  const bool there = !std::filesystem::exists(path.parent_path(), none) && std::filesystem::is_directory(usual, none);
  return {
      path.string(), "",
      "cannot be read, expected the results of a run" + (there ? fmt::format("; did you mean {}?", usual.string()) : "")};
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string mark = looks_like_formula(text) ? "'" : "";  // "this is text"
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return mark + std::string(text);
  std::string quoted = "\"" + mark;
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

std::string csv_number(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.17g}", value); }

std::string read_result(const std::filesystem::path& path) {
  if (auto text = read_file(path)) return std::move(*text);
  throw no_result(path);
}

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

double CsvTable::number(std::size_t row, const std::string& name) const {
  const int position = column(name);
  if (position < 0) return unknown_number;
  const std::string& text = rows[row][static_cast<std::size_t>(position)];
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? unknown_number : value;
}

CsvTable read_csv(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code ignored;
  if (!stream || std::filesystem::is_directory(path, ignored)) throw no_result(path);
  CsvParser parser(path);
  std::string piece(std::size_t{1} << 16, '\0');
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())), stream.gcount() > 0)
    parser.read(std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())));
  if (stream.bad()) throw no_result(path);
  return parser.finish();
}

CsvTable parse_csv(const std::string& text, const std::filesystem::path& path) {
  CsvParser parser(path);
  parser.read(text);
  return parser.finish();
}

}  // namespace ccp
