#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/fields.hpp"

namespace CLI {
class App;
}

/// The command line: subcommands with their arguments, help pages and errors. Only command_line.cpp includes CLI11, whose
/// header takes longer to compile than most files of this program.
namespace ccp::cli {

enum class Need { optional, required };

/// One subcommand. Its arguments are read and checked while the command line is parsed, into targets that outlive the
/// parsing. value: how the help page shows the value of an option. Numbers and choices add their default to the meaning, and
/// throw InputError("", name, ...) for what they cannot take.
class Subcommand {
 public:
  /// What it does when chosen; returns the exit code. Throws InputError for bad input.
  using Action = std::function<int()>;

  explicit Subcommand(CLI::App& app) : app_(app) {}

  void operand(const std::string& name, std::string* target, const std::string& meaning, Need need);
  /// Any number of them, at least one where they are required.
  void operands(const std::string& name, std::vector<std::string>* target, const std::string& meaning, Need need);
  void flag(const std::string& name, bool* target, const std::string& meaning);
  void text(const std::string& name, std::string* target, const std::string& value, const std::string& meaning,
            Need need = Need::optional);
  /// An option that may be given several times, one value each.
  void repeated(const std::string& name, std::vector<std::string>* target, const std::string& value,
                const std::string& meaning);
  void integer(const std::string& name, int* target, Range range, const std::string& value, const std::string& meaning);
  void real(const std::string& name, double* target, Range range, const std::string& value, const std::string& meaning);
  /// One of a list of names; the nearest one is offered for another.
  void choice(const std::string& name, std::string* target, const std::vector<std::string>& choices,
              const std::string& meaning);
  /// The end of its help page (terminal/help.hpp).
  void footer(const std::string& text);
  void action(Action action) { action_ = std::move(action); }

  bool chosen() const;
  int act() const { return action_(); }

 private:
  CLI::App& app_;
  Action action_;
};

/// The program: --help, --version and its subcommands.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  /// Stays where it is as long as the command line.
  Subcommand& subcommand(const std::string& name, const std::string& description);

  /// Parses the arguments, reports what is wrong with them, and acts. Returns the exit code.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::string version_;
  std::deque<Subcommand> subcommands_;
};

}  // namespace ccp::cli
