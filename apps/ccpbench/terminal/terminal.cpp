#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/run/runner.hpp"
#include "io/file.hpp"
#include "process/interrupt_guard.hpp"

namespace ccp::cli {
namespace {

std::FILE* words_go_to = stdout;

bool wants_colour(int stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return ::isatty(stream) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

int stream_width(int stream) {
  constexpr int least_width = 40, without_terminal = 100;
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<int>(size.ws_col, least_width);
  const char* columns = std::getenv("COLUMNS");
  const int wanted = columns != nullptr ? std::atoi(columns) : 0;
  return wanted > 0 ? std::max(wanted, least_width) : without_terminal;
}

/// One character of a UTF-8 text; a broken byte counts as one character of its own.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

Character decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xe ? 3 : lead >> 3 == 0x1e ? 4 : 0;
  if (bytes <= 1 || bytes > text.size()) return {lead, 1};
  char32_t code = lead & (0xff >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 0x2) return {lead, 1};
    code = (code << 6) | (next & 0x3f);
  }
  return {code, bytes};
}

int character_width(char32_t code) {
  const auto within = [code](char32_t low, char32_t high) { return code >= low && code <= high; };
  if (within(0x300, 0x36f) || within(0x20d0, 0x20ff) || within(0x200b, 0x200f) || within(0xfe00, 0xfe0f)) return 0;
  if (within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) || within(0xf900, 0xfaff) ||
      within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) || within(0xffe0, 0xffe6) || within(0x1f300, 0x1faff) ||
      within(0x20000, 0x3fffd))
    return 2;
  return 1;
}

/// Bytes of the longest beginning that takes at most `width` columns.
std::size_t fitting_bytes(std::string_view text, int width) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character next = decode(text.substr(bytes));
    width -= character_width(next.code);
    if (width < 0) break;
    bytes += next.bytes;
  }
  return bytes;
}

void report(Tone tone, const char* kind, std::string_view text) {
  std::fflush(stdout);
  const std::string line = fmt::format("ccpbench: {} {}\n", Style::err().paint(tone, kind), printable(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

const Style& Style::out() {
  static const Style style(wants_colour(::fileno(words_go_to)));
  return style;
}

const Style& Style::err() {
  static const Style style(wants_colour(STDERR_FILENO));
  return style;
}

std::string Style::paint(Tone tone, std::string_view text) const {
  if (!coloured_ || tone == Tone::plain || text.empty()) return std::string(text);
  constexpr const char* codes[] = {"", "1", "2", "32", "33", "1;31", "36"};  // by Tone
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(tone)], text);
}

Tone status_tone(Status status) {
  if (status == Status::solved) return Tone::good;
  if (is_failure(status)) return Tone::bad;
  return status == Status::unsupported ? Tone::dim : Tone::warning;
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }
int stdout_width() { return stream_width(::fileno(words_go_to)); }
int stderr_width() { return stream_width(STDERR_FILENO); }

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character next = decode(text);
    width += character_width(next.code);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') + std::string(text);
}

std::string shorten(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  return std::string(text.substr(0, fitting_bytes(text, width - 1))) + "…";
}

std::string shorten_left(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  while (!text.empty() && display_width(text) > width - 1) text.remove_prefix(decode(text).bytes);
  return "…" + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line += " " + std::string(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return clean;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "–";
  if (value == 0.0) return "0";
  return fmt::format("{:.2e}", value);
}

std::string plain_number(double value) {
  if (!std::isfinite(value)) return "–";
  return std::abs(value) >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string measure_number(Measure measure, double value) {
  if (measure == Measure::objective && std::isfinite(value)) return fmt::format("{:.6g}", value);
  return short_number(value);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", 1e6 * seconds);
  if (seconds < 0.0995) return fmt::format("{:.2g} ms", 1e3 * seconds);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", 1e3 * seconds);
  if (seconds < 119.5) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", count, singular) : fmt::format("{} {}", count, plural);
}

void check_output(const std::string& file) {
  const InterruptHold hold;  // a probe leaves nothing behind
  if (OutputFile(file).is_standard_output()) words_go_to = stderr;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), words_go_to); }

void print_line(std::string_view text) {
  print(text);
  print("\n");
}

void report_error(std::string_view text) { report(Tone::bad, "error:", text); }

void report_error(const InputError& error) {
  for (const std::string& line : lines_of_error(error)) report_error(line);
}

void report_note(std::string_view text) { report(Tone::warning, "note:", text); }

}  // namespace ccp::cli
