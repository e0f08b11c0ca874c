#pragma once

#include <string>
#include <vector>

#include "bench/config/config_json.hpp"
#include "terminal/command_line.hpp"
#include "terminal/table.hpp"

/// Output for programs, spreadsheets and papers in place of pages for people: `--format`.
namespace ccp::cli {

/// junit and annotations: of commands that check something (`checks.hpp`); benchmark: of runs (`views/summary.hpp`).
enum class Format { text, csv, markdown, latex, json, junit, annotations, benchmark };

/// The options --format and --json of a command.
struct FormatOption {
  std::string name = "text";
  bool json = false;

  /// Throws InputError where both are given and disagree.
  Format format() const;
  bool text() const { return format() == Format::text; }
};

void add_format(Subcommand& command, FormatOption* target);
/// The same with junit and annotations.
void add_format_of_checks(Subcommand& command, FormatOption* target);
/// The same as add_format() with benchmark.
void add_format_of_runs(Subcommand& command, FormatOption* target);

/// One value of a table: as programs read it (CSV, JSON), and as people do (Markdown, LaTeX).
struct Datum {
  Datum(Json value_);
  Datum(Json value_, std::string text_) : value(std::move(value_)), text(std::move(text_)) {}
  Datum(const char* text_) : Datum(Json(text_)) {}
  Datum(std::string text_) : Datum(Json(std::move(text_))) {}
  Datum(std::string_view text_) : Datum(Json(std::string(text_))) {}

  /// The same as a lower bound: people read "> 25 ms".
  Datum at_least() &&;

  Json value;
  std::string text;
  bool bound = false;
};

/// A number of three digits for people, all of them for programs; null and "–" where there is none.
Datum number(double value);
/// A time in s, "12.4 ms" for people.
Datum seconds(double value);

struct RecordColumn {
  std::string key;    ///< of CSV and JSON, with the unit: "time_s"
  std::string title;  ///< of Markdown and LaTeX
  bool right = false;
};

/// A table of values with a name for each column. Each row has a value for each column.
class Records {
 public:
  explicit Records(std::vector<RecordColumn> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Datum> data);
  bool empty() const { return rows_.empty(); }

  /// As of RFC 4180, with a header of keys; what is not known is empty.
  std::string csv() const;
  /// A pipe table. Here and in LaTeX a column of times, whose key ends in "_s", has one unit.
  std::string markdown() const;
  /// A tabular of the package booktabs. Numbers such as 3.2e-11 become 3.2·10^-11.
  std::string latex() const;
  /// Of the texts for people, the last column wrapped. headed: with the titles.
  Table table(bool headed) const;
  /// A list of objects.
  Json json() const;

 private:
  /// For people: the titles, then each row.
  std::vector<std::vector<std::string>> texts() const;

  std::vector<RecordColumn> columns_;
  std::vector<std::vector<Datum>> rows_;
};

/// Prints the table, or with Format::json the whole document. Not for the other formats.
void print_records(Format format, const Records& table, const Json& document);
inline void print_records(Format format, const Records& table) { print_records(format, table, table.json()); }

}  // namespace ccp::cli
