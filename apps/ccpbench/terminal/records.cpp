#include "terminal/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/record/csv.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

const std::vector<std::string> format_names = {"text", "csv",   "markdown",    "latex",
                                               "json", "junit", "annotations", "benchmark"};
constexpr std::ptrdiff_t values_formats = 5;  // the first ones, of all commands that print tables

std::string plain_text(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return format_double(value.get<double>());
  return dump_json(value);
}

std::string csv_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return format_double(value.get<double>());
  return csv_field(value.is_string() ? value.get<std::string>() : dump_json(value));
}

/// Line breaks would end the row.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '<') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What LaTeX has to be told of, by its UTF-8 bytes. Letters with accents it reads as they are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 60> latex_symbols = {{
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"\\", "\\textbackslash{}"},
    {"<=", "$\\le$"},
    {">=", "$\\ge$"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"\"", "''"},
    {"–", "--"},
    {"—", "---"},
    {"−", "$-$"},
    {"’", "'"},
    {"“", "``"},
    {"”", "''"},
    {"…", "\\ldots{}"},
    {"×", "$\\times$"},
    {"·", "$\\cdot$"},
    {"≤", "$\\le$"},
    {"≥", "$\\ge$"},
    {"≠", "$\\ne$"},
    {"±", "$\\pm$"},
    {"→", "$\\to$"},
    {"∞", "$\\infty$"},
    {"√", "$\\surd$"},
    {"∈", "$\\in$"},
    {"‖", "$\\|$"},
    {"½", "$1/2$"},
    {"°", "$^\\circ$"},
    {"²", "$^2$"},
    {"³", "$^3$"},
    {"¹", "$^1$"},
    {"⁻", "$^-$"},
    {"₀", "$_0$"},
    {"₁", "$_1$"},
    {"₂", "$_2$"},
    {"ᵀ", "$^T$"},
    {"α", "$\\alpha$"},
    {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"θ", "$\\theta$"},
    {"λ", "$\\lambda$"},
    {"μ", "$\\mu$"},
    {"µ", "$\\mu$"},
    {"ρ", "$\\rho$"},
    {"σ", "$\\sigma$"},
    {"τ", "$\\tau$"},
    {"ω", "$\\omega$"},
    {"Δ", "$\\Delta$"},
    {"Σ", "$\\Sigma$"},
    {"Π", "$\\Pi$"},
}};

/// "0.00032" → "3.2e-4", as fmt writes smaller numbers; other texts as they are.
std::string with_exponent(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const auto first = text.find_first_of("123456789");
  const bool small = text.compare(sign, 5, "0.000") == 0 && first != std::string::npos;
  if (!small || text.find_first_not_of("0123456789", sign + 2) != std::string::npos) return text;
  const std::string rest = text.substr(first + 1);
  return fmt::format("{}{}{}e-{}", text.substr(0, sign), text[first], rest.empty() ? "" : "." + rest, first - sign - 1);
}

/// "3.2e-11" → "$3.2\cdot10^{-11}$", and so "0.0001" → "$10^{-4}$", "9.93e+00" → "$9.93$"; empty when the text is no such
/// number.
std::string power_of_ten(const std::string& plain) {
  const std::string text = with_exponent(plain);
  const auto e = text.find('e');
  if (e == std::string::npos || e == 0 || e + 1 == text.size()) return "";
  const std::string mantissa = text.substr(0, e), exponent = text.substr(e + 1);
  if (mantissa.find_first_not_of("+-.0123456789") != std::string::npos) return "";
  if (exponent.find_first_not_of("+-0123456789") != std::string::npos) return "";
  const int power = std::atoi(exponent.c_str());
  if (power == 0) return "$" + mantissa + "$";
  return mantissa == "1" ? fmt::format("$10^{{{}}}$", power) : fmt::format("${}\\cdot10^{{{}}}$", mantissa, power);
}

std::string latex_word(const std::string& word) {
  if (const std::string power = power_of_ten(word); !power.empty()) return power;
  std::string escaped;
  for (std::size_t i = 0; i < word.size();) {
    const std::string_view rest = std::string_view(word).substr(i);
    std::string_view symbol;
    for (const auto& [plain, written] : latex_symbols)
      if (rest.starts_with(plain)) {
        symbol = written;
        i += plain.size();
        break;
      }
    if (symbol.empty())
      escaped += word[i++];
    else
      escaped += symbol;
  }
  return escaped;
}

std::string latex_text(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : one_line(text)) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  for (std::string& word : words) word = latex_word(word);
  return join(words, " ");
}

/// The unit in which a time is 1 or more, and how many of it are a second.
std::pair<const char*, double> unit_of(double seconds) {
  if (seconds >= 1.0) return {"s", 1.0};
  return seconds >= 1e-3 ? std::pair("ms", 1e3) : std::pair("µs", 1e6);
}

}  // namespace

Format FormatOption::format() const {
  if (json && name != "text" && name != "json")
    throw InputError("", "--json", fmt::format("goes with no --format {}", name));
  if (json) return Format::json;
  for (std::size_t i = 0; i < format_names.size(); ++i)
    if (format_names[i] == name) return static_cast<Format>(i);
  throw std::logic_error("no format " + name);
}

void add_format(Subcommand& command, FormatOption* target) {
  command.choice("--format", &target->name, {format_names.begin(), format_names.begin() + values_formats},
                 "text, csv, markdown, latex (booktabs) or json; all but text print a table of values alone");
  command.flag("--json", &target->json, "the same as --format json");
}

void add_format_of_checks(Subcommand& command, FormatOption* target) {
  command.choice("--format", &target->name, {format_names.begin(), format_names.end() - 1},
                 "text, a table of values alone as csv, markdown, latex (booktabs) or json, or for CI junit (XML) or "
                 "annotations (as GitHub reads them)");
  command.flag("--json", &target->json, "the same as --format json");
}

void add_format_of_runs(Subcommand& command, FormatOption* target) {
  std::vector<std::string> names(format_names.begin(), format_names.begin() + values_formats);
  names.push_back(format_names.back());
  command.choice("--format", &target->name, names,
                 "text, a table of values alone as csv, markdown, latex (booktabs) or json, or for CI benchmark (JSON for "
                 "github-action-benchmark)");
  command.flag("--json", &target->json, "the same as --format json");
}

Datum::Datum(Json value_) : value(std::move(value_)), text(plain_text(value)) {}

Datum Datum::at_least() && {
  bound = true;
  return std::move(*this);
}

Datum number(double value) { return {json_number(value), std::isnan(value) ? "–" : short_number(value)}; }

Datum seconds(double value) { return {json_number(value), std::isfinite(value) ? duration(value) : "–"}; }

void Records::row(std::vector<Datum> data) {
  if (data.size() != columns_.size()) throw std::logic_error("a row with another number of values than columns");
  rows_.push_back(std::move(data));
}

std::string Records::csv() const {
  std::vector<std::string> fields;
  for (const RecordColumn& column : columns_) fields.push_back(csv_field(column.key));
  std::string text = join(fields, ",") + "\n";
  for (const auto& row : rows_) {
    fields.clear();
    for (const Datum& datum : row) fields.push_back(csv_text(datum.value));
    text += join(fields, ",") + "\n";
  }
  return text;
}

std::vector<std::vector<std::string>> Records::texts() const {
  std::vector<std::vector<std::string>> texts(rows_.size() + 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    double largest = 0.0;
    if (columns_[c].key.ends_with("_s"))
      for (const auto& row : rows_)
        if (row[c].value.is_number()) largest = std::max(largest, row[c].value.get<double>());
    const auto [unit, factor] = unit_of(largest);
    texts[0].push_back(columns_[c].title + (largest > 0.0 ? fmt::format(" ({})", unit) : ""));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Datum& datum = rows_[r][c];
      const bool time = largest > 0.0 && datum.value.is_number();
      texts[r + 1].push_back((datum.bound ? "> " : "") +
                             (time ? plain_number(factor * datum.value.get<double>()) : datum.text));
    }
  }
  return texts;
}

std::string Records::markdown() const {
  std::string rule = "|", text;
  for (const RecordColumn& column : columns_) rule += column.right ? "---:|" : "---|";
  for (const auto& row : texts()) {
    std::string line = "|";
    for (const std::string& field : row) line += " " + markdown_text(field) + " |";
    text += line + "\n" + (text.empty() ? rule + "\n" : "");
  }
  return text;
}

std::string Records::latex() const {
  std::string aligned, rule = "\\midrule\n";
  for (const RecordColumn& column : columns_) aligned += column.right ? 'r' : 'l';
  std::string text = fmt::format("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n", aligned);
  for (std::vector<std::string>& row : texts()) {
    for (std::string& field : row) field = latex_text(field);
    text += join(row, " & ") + " \\\\\n" + std::exchange(rule, "");
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

Table Records::table(bool headed) const {
  std::vector<Heading> headings;
  for (const RecordColumn& column : columns_) headings.push_back({headed ? column.title : "", column.right});
  headings.back().fit = Fit::wrap;
  Table table(headings);
  for (const auto& row : rows_) {
    std::vector<Entry> entries;
    for (const Datum& datum : row) entries.emplace_back(datum.text, entries.empty() ? Tone::accent : Tone::plain);
    table.row(std::move(entries));
  }
  return table;
}

Json Records::json() const {
  Json list = Json::array();
  for (const auto& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c) object[columns_[c].key] = row[c].value;
    list.push_back(std::move(object));
  }
  return list;
}

void print_records(Format format, const Records& table, const Json& document) {
  switch (format) {
    case Format::csv: return print(table.csv());
    case Format::markdown: return print(table.markdown());
    case Format::latex: return print(table.latex());
    case Format::json: return print_line(dump_json(document, 2));
    default: throw std::logic_error("no table of values");
  }
}

}  // namespace ccp::cli
