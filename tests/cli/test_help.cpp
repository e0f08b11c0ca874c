#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "cli/program.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp::testing;

namespace {

const std::vector<std::string> commands = {"run",        "solve",        "check",   "list",    "inspect", "generate",
                                           "report",     "claims",       "compare", "profile", "plot",    "completion",
                                           "man",        "new",          "convert", "rank",    "merge",   "cite",
                                           "new-solver", "check-solver", "tune",    "history", "publish"};

bool has_colour(const std::string& text) { return text.find('\x1b') != std::string::npos; }

}  // namespace

TEST_CASE("the help page names every command and exit code") {
  const Workplace place;
  const Answer answer = run_program(place, {"--help"});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  for (const std::string& command : commands) CHECK_THAT(answer.out, Catch::Contains("\n  " + command + " "));
  for (const char* code : {"0", "2", "3", "70", "130"})
    CHECK_THAT(answer.out, Catch::Contains(std::string("\n  ") + code + " "));
}

TEST_CASE("every command has a help page with examples") {
  const Workplace place;
  for (const std::string& command : commands) {
    INFO(command);
    const Answer answer = run_program(place, {command, "--help"});
    CHECK(answer.code == 0);
    CHECK(answer.err.empty());
    CHECK_THAT(answer.out, Catch::StartsWith("ccpbench " + command + ": "));
    CHECK_THAT(answer.out, Catch::Contains("Usage: ccpbench " + command + " "));
    CHECK_THAT(answer.out, Catch::Contains("\nExamples\n  ccpbench " + command + " "));
    CHECK_FALSE(has_colour(answer.out));
  }
  CHECK(place.listing().empty());
}

TEST_CASE("help pages fit narrow terminals") {
  const Workplace place;
  for (const std::string& command : commands) {
    INFO(command);
    const Answer answer = run_program(place, {command, "--help"}, {{"COLUMNS", "60"}});
    const std::size_t end_of_options = answer.out.find("\n\n", answer.out.find("\nOptions\n"));
    for (const std::string& line : lines_of(answer.out.substr(0, end_of_options))) {
      INFO(line);
      CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }) <= 60);
    }
    for (const std::string& line : lines_of(answer.out.substr(end_of_options))) {
      INFO(line);  // examples and lists keep their lines, sentences do not
      if (!line.empty() && line[0] != ' ')
        CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }) <= 60);
    }
    if (command != "list")
      CHECK_THAT(answer.out, Catch::Contains("\nExit codes: 0 ") || Catch::Contains("\nWrites NAME.local"));
  }
}

TEST_CASE("the version is one line") {
  const Workplace place;
  const Answer answer = run_program(place, {"--version"});
  CHECK(answer.code == 0);
  CHECK(lines_of(answer.out).size() == 1);
  CHECK_THAT(answer.out, Catch::StartsWith("ccpbench 0."));
}

TEST_CASE("no command, unknown commands and options are refused with the nearest name") {
  const Workplace place;
  CHECK_THAT(bad_input_line(run_program(place, {})), Catch::Contains("no command"));
  CHECK_THAT(bad_input_line(run_program(place, {"rnu", "x.json"})),
             Catch::Contains("'rnu' (did you mean 'run' or 'rank'?)"));
  CHECK_THAT(bad_input_line(run_program(place, {"frobnicate"})), Catch::Contains("known: run, solve"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", "x.json", "--szie", "small"})),
             Catch::Contains("'--szie' (did you mean '--size'?)"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", "x.json", "--shrad=1/2"})),
             Catch::Contains("'--shrad' (did you mean '--shard'?)"));
  CHECK_THAT(bad_input_line(run_program(place, {"check", "x.json", "--zzzzzzzz"})),
             Catch::Contains("ccpbench check --help"));
  CHECK_THAT(bad_input_line(run_program(place, {"--quiet", "run", "x.json"})), Catch::Contains("unknown option '--quiet'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solvers", "admm", "more"})),
             Catch::Contains("unexpected argument 'more'"));
  CHECK(place.listing().empty());
}

TEST_CASE("missing arguments and values are refused") {
  const Workplace place;
  for (const std::string& command : commands) {
    // Need none: all configs, the page; or one of two.
    if (command == "claims" || command == "man" || command == "cite" || command == "publish") continue;
    INFO(command);
    CHECK_THAT(bad_input_line(run_program(place, {command})), Catch::Contains("required"));
  }
  CHECK_THAT(bad_input_line(run_program(place, {"run", "x.json", "--out"})), Catch::Contains("--out: expected a value"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", "x.json", "--out", "a", "--out", "b"})),
             Catch::Contains("--out: given more than once"));
}

TEST_CASE("an output that cannot be written is an error") {
  const Workplace place;
  const std::string command = std::string("'") + program_file + "' list measures > /dev/full 2> '" + place.text("err") + "'";
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 2);
  CHECK(lines_of(read_text(place / "err")).size() == 1);
}
