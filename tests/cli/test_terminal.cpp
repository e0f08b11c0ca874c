#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "cli/program.hpp"
#include "support/places.hpp"
#include "support/skip.hpp"

using namespace ccp::testing;

namespace {

/// What the program shows on a terminal of that many columns.
std::string shown(const Workplace& place, const Arguments& arguments, unsigned short columns,
                  const Environment& environment = {}) {
  winsize size{24, columns, 0, 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed although openpty worked");
  if (child == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (::chdir(place.path().c_str()) != 0) ::_exit(126);
    std::vector<char*> words = {const_cast<char*>(program_file)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(program_file, words.data());
    ::_exit(127);
  }
  std::string text;
  char buffer[4096];
  pollfd ready{terminal, POLLIN, 0};
  while (::poll(&ready, 1, 60000) > 0) {
    const ssize_t count = ::read(terminal, buffer, sizeof buffer);
    if (count <= 0) break;  // the end of a pseudo-terminal reads as an error
    text.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  return text;
}

/// False, with a line that says so, where there are no pseudo-terminals (a chroot without /dev/pts).
bool have_terminals() {
  int terminal = -1, other = -1;
  if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) {
    skip("no pseudo-terminals here");
    return false;
  }
  ::close(terminal);
  ::close(other);
  return true;
}

/// Columns of each line as it stays on the screen, without colours.
std::vector<std::string> visible_lines(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm' && text[i] != 'K') ++i;
    } else if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      plain.erase(plain.rfind('\n') == std::string::npos ? 0 : plain.rfind('\n') + 1);
    } else if (text[i] != '\r') {
      plain += text[i];
    }
  }
  return lines_of(plain);
}

std::ptrdiff_t characters(const std::string& line) {
  std::ptrdiff_t count = 0;
  for (const char c : line) count += (c & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("terminals have colours unless NO_COLOR or a dumb terminal forbids it") {
  if (!have_terminals()) return;
  const Workplace place;
  const Arguments arguments = {"solve", "scene:odd_mass_stack", "--solver", "admm"};
  CHECK_THAT(shown(place, arguments, 100), Catch::Contains("\x1b[32msolved\x1b[0m"));
  CHECK_THAT(shown(place, arguments, 100, {{"NO_COLOR", "1"}}), !Catch::Contains("\x1b[3"));
  CHECK_THAT(shown(place, arguments, 100, {{"TERM", "dumb"}}), !Catch::Contains("\x1b[3"));
}

TEST_CASE("a run shows a line that rewrites itself, and leaves one line a cell") {
  if (!have_terminals()) return;
  const Workplace place;
  const std::string text = shown(place, {"run", config_file("test1a"), "--out", "out"}, 100);
  CHECK_THAT(text, Catch::Contains("\r\x1b[K"));
  CHECK_THAT(text, Catch::Contains(" left"));
  int cells = 0;
  for (const std::string& line : visible_lines(text)) {
    CHECK_THAT(line, !Catch::Contains("━"));
    cells += line.find("/9  odd_mass_stack/ccp/") != std::string::npos ? 1 : 0;  // a warning may name a cell as well
  }
  CHECK(cells == 9);
}

TEST_CASE("the line of a run tells failed and running cells, moves while a cell takes its time, and fits") {
  if (!have_terminals()) return;
  const Workplace place;
  const std::string config = place.write("c.json", R"({ "name": "c", "model": "ccp",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 30 } } ],
    "solvers": [
      { "solver": "admm", "label": "liar", "parameters": { "tolerance_primal": 1e3, "tolerance_dual": 1e3 } },
      { "solver": "jacobi", "label": "slow" }, { "solver": "gauss_seidel", "label": "slow as well" } ],
    "stop": { "tolerance": 1e-15, "native": true, "max_iterations": 100000000, "time_limit_s": 0.5 } })");
  for (const unsigned short columns : std::initializer_list<unsigned short>{100, 45}) {
    const std::string text = shown(place, {"run", config, "--out", "out", "--fresh", "--jobs", "2"}, columns);
    std::vector<std::string> bars;
    for (std::size_t start = 0; (start = text.find("\r\x1b[K", start)) != std::string::npos; ++start) {
      const std::string begun = text.substr(0, start);
      const std::size_t line = std::max(begun.rfind('\n') + 1, begun.rfind("\r\x1b[K") + 4);
      bars.push_back(visible_lines(begun.substr(line)).at(0));
    }
    const auto some = [&](const std::string& words) {
      return std::any_of(bars.begin(), bars.end(),
                         [&](const std::string& bar) { return bar.find(words) != std::string::npos; });
    };
    INFO(text);
    CHECK(some("1 of 3, 1 failed"));
    CHECK(some("2 of 3, 1 failed"));
    CHECK(some(" left"));
    if (columns == 100) CHECK(some("2 running"));
    CHECK(bars.size() > 7);  // more than one for each beginning and end of a cell
    for (const std::string& bar : bars) CHECK(characters(bar) <= columns);
  }
}

TEST_CASE("what a run and a solve show fits 80 columns") {
  if (!have_terminals()) return;
  const Workplace place;
  const std::vector<Arguments> commands = {
      {"run", config_file("test1a"), "--out", "out"},
      {"solve", "scene:odd_mass_stack", "--solver", "admm", "--set", "preconditioner=diagonal"},
      {"list", "solvers", "admm"},
      {"list", "config"}};
  for (const Arguments& arguments : commands)
    for (const std::string& line : visible_lines(shown(place, arguments, 80))) {
      INFO(line);
      CHECK(characters(line) <= 80);
    }
}
