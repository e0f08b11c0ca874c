#pragma once

#include <string>
#include <vector>

#include "terminal/records.hpp"

/// Results of checks as CI systems read them.
namespace ccp::cli {

struct Check {
  enum class Outcome { passed, warned, failed, skipped, unjudged };

  std::string suite;    ///< such as a config
  std::string name;     ///< such as a cell or a claim
  Outcome outcome = Outcome::passed;
  std::string message;  ///< why it did not pass
};

/// JUnit XML of the checks, a suite each; a warning has passed, with its message as output, and what could
/// not be judged was skipped.
std::string junit_xml(const std::vector<Check>& checks);

/// A line for each check that failed, warns or could not be judged, "::error title=SUITE: NAME::MESSAGE".
std::string annotations(const std::vector<Check>& checks);

/// Prints them where the format is one of the two. Whether it is.
bool print_checks(Format format, const std::vector<Check>& checks);

}  // namespace ccp::cli
