#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

/// Drives the real binary, as a person at a terminal or a script would.
namespace ccp::testing {

/// A fresh folder. Its name has blanks and letters beyond ASCII, as home folders do.
class Workplace : public TemporaryFolder {
 public:
  Workplace() : TemporaryFolder("ccpbench tests µ 試 XXXXXX") {}

  std::string text(const std::string& name) const { return (*this / name).string(); }
  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& content) const;
  /// All files and folders below, relative, sorted.
  std::vector<std::string> listing() const;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::vector<std::string> lines_of(const std::string& text);

/// What a command left behind. A death by signal s gives code −s.
struct Answer {
  int code = 0;
  std::string out, err;
};

using Arguments = std::vector<std::string>;
/// Variables that a program gets beside those of the tests; an empty value takes the variable away.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// A running ccpbench in a process group of its own, its working directory being `place`.
class Program {
 public:
  Program(const Workplace& place, const Arguments& arguments, const Environment& environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// To the whole process group, as a terminal does.
  void send(int signal) const;
  bool running();
  /// Whether it has a handler for a signal by now.
  bool catches(int signal) const;
  /// Waits up to five minutes, enough for a sanitizer build on a busy machine, then kills it and fails the test.
  Answer wait();

 private:
  bool collect(bool block);

  std::filesystem::path out_, err_;
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
};

Answer run_program(const Workplace& place, const Arguments& arguments, const Environment& environment = {});

/// Waits up to 30 s until the condition holds; false when it never does.
bool wait_until(const std::function<bool()>& condition);

/// Exit code 2, exactly one line on stderr that begins with "ccpbench: error: ". Gives that line.
std::string bad_input_line(const Answer& answer);

}  // namespace ccp::testing
