#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/status.hpp"
#include "problem/judge/measure.hpp"

/// What a terminal can show: colours, widths, numbers for people. Nothing else of the program knows terminals.
namespace ccp::cli {

enum class Tone { plain, bold, dim, good, warning, bad, accent };

/// Emphasis on one stream; plain text when it is no terminal, NO_COLOR is set or TERM is "dumb".
class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}
  static const Style& out();  ///< of stdout
  static const Style& err();  ///< of stderr

  std::string paint(Tone tone, std::string_view text) const;
  std::string bold(std::string_view text) const { return paint(Tone::bold, text); }
  std::string dim(std::string_view text) const { return paint(Tone::dim, text); }

 private:
  bool coloured_;
};

/// How a status looks: good when solved, bad when it is a failure, a warning otherwise.
Tone status_tone(Status status);

bool stderr_is_terminal();
/// Columns of the terminal behind stdout or stderr; 100 when it is none, unless COLUMNS says otherwise. At least 40.
int stdout_width();
int stderr_width();

/// Columns a UTF-8 text takes: combining marks take none, East Asian wide characters and emoji take two.
int display_width(std::string_view text);
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);
/// The beginning, ended by "…" when it is wider than `width`.
std::string shorten(std::string_view text, int width);
/// The end, begun by "…" when it is wider than `width`: for paths.
std::string shorten_left(std::string_view text, int width);
/// Lines of at most `width` columns, broken at blanks; a longer word stands alone. At least one line.
std::vector<std::string> wrap(std::string_view text, int width);
/// Control characters (line breaks, escapes) become '?' so that a file name cannot move the cursor.
std::string printable(std::string_view text);

/// "3.21e-11", "0", "nan": a residual or an amount, three digits.
std::string short_number(double value);

/// "16.9", "1234", "–": a count or a mean of counts without an exponent.
std::string plain_number(double value);
/// The same for a measure; the objective, which does not go to zero, has six digits.
std::string measure_number(Measure measure, double value);
/// "530 µs", "12.4 s", "3 min 05 s", "2 h 07 min".
std::string duration(double seconds);
/// "1 cell", "5 cells"; the plural may be given where it is not the singular with an s.
std::string counted(std::size_t count, std::string_view singular, std::string_view plural = "");

/// Before any work: whether the file that a user names can be written, see OutputFile. Where it is the standard output, what
/// print() says goes to stderr from now on. Throws InputError.
void check_output(const std::string& file);

void print(std::string_view text);           ///< to stdout
/// To stderr. One that cannot be written to, such as a full disk, stops no run.
template <typename... Values>
void print_error_stream(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_line(std::string_view text);      ///< to stdout, with the line break
void report_error(std::string_view text);    ///< one line "ccpbench: error: text" on stderr
void report_error(const InputError& error);  ///< the same for each of its lines
void report_note(std::string_view text);     ///< one line "ccpbench: note: text" on stderr

}  // namespace ccp::cli
