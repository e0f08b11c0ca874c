#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"

namespace CLI {
class App;
}

/// The command line: subcommands with their arguments, help pages and errors. Only command_line.cpp includes CLI11, whose
/// header takes longer to compile than most files of this program.
namespace ccp::cli {

/// Exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_different = 1,     ///< of `compare`, and faults of `check-solver`
  exit_claim_failed = 1,  ///< of `claims`
  exit_bad_input = 2,
  exit_some_failed = 3,
  exit_internal_error = 70,  ///< a defect of the program, EX_SOFTWARE of sysexits.h
  exit_interrupted = 130     ///< 128 + SIGINT
};

enum class Need { optional, required };

/// One argument of a command, as help pages, the manual and completions know it.
struct ArgumentText {
  std::vector<std::string> names;    ///< "-h", "--help"; of an operand its name
  std::string label;                 ///< "-h, --help", "--size NAME", "CONFIG...", "[NAME]"
  std::string value;                 ///< "NAME", "DIR", …; empty: a flag
  std::string meaning;               ///< with the default
  std::vector<std::string> choices;  ///< empty: any text
  bool positional = false, repeated = false;
};

/// One command, or the program itself.
struct CommandText {
  std::string name, meaning, usage;
  std::string footer;  ///< examples and exit codes; a line without indentation is a heading, "  $ " begins a command to type
  std::vector<ArgumentText> arguments;
};

/// One subcommand. Its arguments are read and checked while the command line is parsed, into targets that outlive the
/// parsing. value: how the help page shows the value of an option. Numbers and choices add their default to the meaning, and
/// throw InputError("", name, ...) for what they cannot take.
class Subcommand {
 public:
  explicit Subcommand(CLI::App& app) : app_(app) {}

  void operand(const std::string& name, std::string* target, const std::string& meaning, Need need);
  /// Any number of them, at least one where they are required.
  void operands(const std::string& name, std::vector<std::string>* target, const std::string& meaning, Need need);
  /// One of a list of names that must be given.
  void chosen_operand(const std::string& name, std::string* target, const std::vector<std::string>& choices,
                      const std::string& meaning);
  void flag(const std::string& name, bool* target, const std::string& meaning);
  void text(const std::string& name, std::string* target, const std::string& value, const std::string& meaning,
            Need need = Need::optional);
  /// An option that may be given several times, one value each.
  void repeated(const std::string& name, std::vector<std::string>* target, const std::string& value,
                const std::string& meaning, Need need = Need::optional);
  void integer(const std::string& name, int* target, Range range, const std::string& value, const std::string& meaning);
  void real(const std::string& name, double* target, Range range, const std::string& value, const std::string& meaning);
  /// The same without a default.
  void real(const std::string& name, std::optional<double>* target, Range range, const std::string& value,
            const std::string& meaning);
  /// A positive time, in seconds or with its unit.
  void seconds(const std::string& name, double* target, const std::string& meaning);
  /// One of a list of names; the nearest one is offered for another.
  void choice(const std::string& name, std::string* target, const std::vector<std::string>& choices,
              const std::string& meaning);
  /// The targets of its arguments. `act` gets them when it is chosen, and returns the exit code; it throws InputError for
  /// bad input.
  template <typename Options>
  Options& options(const std::function<int(Options&)>& act) {
    const auto targets = std::make_shared<Options>();
    action_ = [targets, act] { return act(*targets); };
    return *targets;
  }

  bool chosen() const;
  int act() const { return action_(); }
  CommandText text() const;

 private:
  std::function<void(const std::string&)> one_of(const std::string& name, std::string* target,
                                                 const std::vector<std::string>& choices);

  CLI::App& app_;
  std::map<std::string, std::vector<std::string>> choices_;  ///< by argument
  std::function<int()> action_;
};

/// The program: --help, --version and its subcommands.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  /// Stays where it is as long as the command line. footer: the end of its help page.
  Subcommand& subcommand(const std::string& name, const std::string& description, const std::string& footer);

  /// The help pages: of the program, then of each command.
  std::vector<CommandText> texts() const;
  const std::string& version() const { return version_; }

  /// Parses the arguments, reports what is wrong with them, and acts. Returns the exit code.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::string version_;
  std::deque<Subcommand> subcommands_;
};

}  // namespace ccp::cli
