#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ccp {

/// Bad input: a file, a config, a problem or a parameter that cannot be used. The command line prints what() as one line
/// and exits with code 2. Numerical failure is never an InputError, it is a Status.
class InputError : public std::runtime_error {
 public:
  /// what() is "file: place: expectation"; empty parts are left out, line breaks become blanks, and
  /// bytes that are no UTF-8 or control characters "\xFC", as in file().
  /// file: path of the input. place: JSON pointer, HDF5 path, option. expectation: what was found and what was expected.
  InputError(const std::string& file, const std::string& place, const std::string& expectation);
  explicit InputError(const std::string& expectation) : InputError("", "", expectation) {}

  const std::string& file() const { return file_; }
  const std::string& place() const { return place_; }
  /// The expectation alone.
  const std::string& message() const { return message_; }
  /// What the message says was found, and what was expected: its parts before and after ", expected", or what it takes to be
  /// meant; the latter is empty where it says neither.
  std::string found() const;
  std::string expected() const;

 private:
  std::string file_, place_, message_;
};

/// Several mistakes of one input. what() is the first line, with how many more there are.
class InputErrors : public InputError {
 public:
  /// At least one.
  explicit InputErrors(std::vector<InputError> mistakes);

  const std::vector<InputError>& mistakes() const { return mistakes_; }

 private:
  std::vector<InputError> mistakes_;
};

/// All mistakes that an error stands for, one or several.
std::vector<InputError> mistakes_of_error(const InputError& error);

/// What a user is shown of an error, line by line: at most 20 lines, then one that counts the others.
std::vector<std::string> lines_of_error(const InputError& error);

}  // namespace ccp
