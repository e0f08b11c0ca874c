#include "bench/record/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    fields_.emplace_back();
  }

  void end_record() {
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
  return {path.string(), "", "cannot be read, expected the results of a run"};
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
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
