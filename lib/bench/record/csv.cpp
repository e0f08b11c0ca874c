#include "bench/record/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

std::vector<std::vector<std::string>> csv_lines(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        fields.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        fields.back() += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      lines.push_back(std::move(fields));
      fields.assign(1, "");
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (fields.size() > 1 || !fields.front().empty()) lines.push_back(std::move(fields));
  return lines;
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
  throw InputError(path.string(), "", "cannot be read, expected the results of a run");
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

CsvTable read_csv(const std::filesystem::path& path) { return parse_csv(read_result(path), path); }

CsvTable parse_csv(const std::string& text, const std::filesystem::path& path) {
  auto lines = csv_lines(text);
  if (lines.empty()) throw InputError(path.string(), "", "is empty, expected a header line");
  CsvTable table;
  table.columns = std::move(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != table.columns.size())
      throw InputError(path.string(), fmt::format("record {}", i + 1),
                       fmt::format("has {} fields, expected {}", lines[i].size(), table.columns.size()));
    table.rows.push_back(std::move(lines[i]));
  }
  return table;
}

}  // namespace ccp
