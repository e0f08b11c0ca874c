#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

/// "━━━━━─────": done of total in `width` columns.
std::string bar(std::size_t done, std::size_t total, int width) {
  const int filled = total == 0 ? width : static_cast<int>(static_cast<std::size_t>(width) * done / total);
  std::string full, open;
  for (int i = 0; i < filled; ++i) full += "━";
  for (int i = filled; i < width; ++i) open += "─";
  return Style::err().paint(Tone::accent, full) + Style::err().dim(open);
}

/// "10 000"
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, " ");
  return text;
}

/// "step 312 of 10 000, 40 s left"
std::string steps_text(const StepsDone& steps) {
  const std::string left = steps.left_s ? fmt::format(", {} left", duration(std::ceil(*steps.left_s))) : std::string();
  return fmt::format("step {} of {}{}", grouped(std::min(steps.done + 1, steps.total)), grouped(steps.total), left);
}

}  // namespace

TerminalProgress::TerminalProgress(bool quiet, Warnings warnings)
    : quiet_(quiet), terminal_(stderr_is_terminal()), warnings_(warnings) {
  clock_.start();
}

TerminalProgress::~TerminalProgress() { clear_bar(); }

void TerminalProgress::planned(const Config& config, std::size_t selected, std::size_t reused) {
  if (quiet_) return;
  const std::string known = reused == 0 ? "" : fmt::format(", {} there already", reused);
  print_error_stream("{}: {}{}\n", Style::err().bold(printable(config.name)), counted(selected, "cell"), known);
  for (const std::string& change : config.changes)
    print_error_stream("  {} {}\n", Style::err().paint(Tone::warning, "changed:"), printable(change));
}

void TerminalProgress::building(const Cell& cell, const RunCounts& counts) {
  now_ = (cell.tape_key.empty() ? "building " : "driving ") + cell.problem;
  show_bar(counts);
}

void TerminalProgress::started(const Cell& cell, const RunCounts& counts) {
  now_ = cell.id();
  show_bar(counts);
}

void TerminalProgress::finished(const Cell& cell, const CellRecord& record, const RunCounts& counts) {
  if (quiet_) return;
  clear_bar();
  print_error_stream("{}\n", cell_line(cell, record, counts));
  show_bar(counts);
}

void TerminalProgress::say(const std::string& text) {
  clear_bar();
  if (!terminal_) return print_error_stream("{}\n", text);
  for (const std::string& line : wrap(text, stderr_width())) print_error_stream("{}\n", line);
}

void TerminalProgress::warning(const std::string& text) {
  if (quiet_ || warnings_ == Warnings::left_out) return;
  say("warning: " + printable(text));
}

void TerminalProgress::note(const std::string& text) {
  if (quiet_) return;
  say("note: " + printable(text));
}

void TerminalProgress::waiting(const RunCounts& counts) { show_bar(counts); }

std::string TerminalProgress::cell_line(const Cell& cell, const CellRecord& record, const RunCounts& counts) const {
  const std::string total = fmt::format("{}", counts.total);
  const std::string place = fmt::format("{}/{}", pad_left(fmt::format("{}", counts.done), display_width(total)), total);
  const std::string status = Style::err().paint(status_tone(record.status), pad_right(status_name(record.status), 15));
  const std::string facts = fmt::format("{} {} it {}  {}", status, pad_left(fmt::format("{}", record.iterations), 7),
                                        pad_left(duration(record.setup_s + record.solve_s), 11),
                                        pad_left(short_number(record.measures[measure_index(cell.stop.measure)]), 9));
  constexpr int facts_width = 15 + 1 + 7 + 4 + 11 + 2 + 9;
  constexpr int narrowest = 16, widest = 60, remark_width = 6;  // kept free on lines without a remark, so that columns align
  const bool busy = !record.runs.empty() && !record.runs.back().busy.empty();
  const std::string remark = busy ? "  busy" : "";
  const int room = (terminal_ ? stderr_width() : 120) - display_width(place) - facts_width - 5 - remark_width;
  const int width = std::clamp(room, narrowest, widest);
  return fmt::format(" {}  {}  {}{}", Style::err().dim(place), pad_right(shorten_left(printable(cell.id()), width), width),
                     facts, Style::err().paint(Tone::warning, remark));
}

void TerminalProgress::show_bar(const RunCounts& counts) {
  if (quiet_ || !terminal_) return;
  const int width = stderr_width();
  const int bar_width = std::clamp(width / 5, 8, 30);
  std::string text = fmt::format("  {} of {}", counts.done, counts.total);
  const auto room = [&] { return width - bar_width - display_width(text) - 2; };
  const auto add_if_it_fits = [&](const std::string& piece) {
    if (display_width(piece) <= room()) text += piece;
  };
  if (counts.failed > 0) add_if_it_fits(fmt::format(", {} failed", counts.failed));
  if (counts.left_s)
    add_if_it_fits(fmt::format("  about {} left", duration(std::ceil(*counts.left_s))));
  else  // the first cell: nothing else moves
    add_if_it_fits(fmt::format("  {} so far", duration(std::floor(clock_.seconds()))));
  if (counts.steps) add_if_it_fits("  " + steps_text(*counts.steps));
  if (counts.running > 1) add_if_it_fits(fmt::format("  {} running", counts.running));
  constexpr int least_of_a_name = 12;
  const std::string now = room() >= least_of_a_name + 2 ? "  " + shorten_left(printable(now_), room() - 2) : std::string();
  clear_bar();
  print_error_stream(" {}{}{}", bar(counts.done, counts.total, bar_width), text, Style::err().dim(now));
  std::fflush(stderr);
  bar_shown_ = true;
}

void TerminalProgress::clear_bar() {
  if (bar_shown_) std::fputs("\r\x1b[K", stderr);
  bar_shown_ = false;
}

RunReport run_in_terminal(const Config& config, const Plan& plan, const RunOptions& options, bool quiet, Warnings warnings) {
  TerminalProgress progress(quiet, warnings);
  return run_config(config, plan, catalog(), options, progress);
}

}  // namespace ccp::cli
