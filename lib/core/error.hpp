#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ccp {

/// Bad input: a file, a config, a problem or a parameter that cannot be used. The command line prints what() as one line
/// and exits with code 2. Numerical failure is never an InputError, it is a Status.
class InputError : public std::runtime_error {
 public:
  /// what() is "file: place: expectation"; empty parts are left out, line breaks become blanks.
  /// file: path of the input. place: JSON pointer, HDF5 path, option. expectation: what was found and what was expected.
  InputError(const std::string& file, const std::string& place, const std::string& expectation);
  explicit InputError(const std::string& expectation) : InputError("", "", expectation) {}

  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// Several mistakes of one input. what() is the first line, with how many more there are.
class InputErrors : public InputError {
 public:
  /// lines: at least one, what() of an InputError each, but for a last one that counts what is left out.
  explicit InputErrors(std::vector<std::string> lines);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

/// What a user is shown of an error, line by line.
std::vector<std::string> lines_of_error(const InputError& error);

}  // namespace ccp
