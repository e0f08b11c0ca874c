#pragma once

#include <stdexcept>
#include <string>

namespace ccp {

/// Bad input: a file, a config, a problem or a parameter that cannot be used. The command line prints what() as one line
/// and exits with code 2. Numerical failure is never an InputError, it is a Status.
class InputError : public std::runtime_error {
 public:
  /// what() is "file: place: expectation"; empty parts are left out, line breaks become blanks.
  /// file: path of the input. place: JSON pointer, HDF5 path, option. expectation: what was found and what was expected.
  InputError(const std::string& file, const std::string& place, const std::string& expectation);
  explicit InputError(const std::string& expectation) : InputError("", "", expectation) {}
};

}  // namespace ccp
