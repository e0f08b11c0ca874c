#include "terminal/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

/// Each of `replaced` by its text.
std::string replace_each(const std::string& text, const std::vector<std::pair<char, std::string>>& replaced) {
  std::string result;
  for (const char c : text) {
    const auto found = std::find_if(replaced.begin(), replaced.end(), [&](const auto& pair) { return pair.first == c; });
    result += found == replaced.end() ? std::string(1, c) : found->second;
  }
  return result;
}

std::string xml_text(const std::string& text) {
  return replace_each(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

std::string junit_case(const Check& check) {
  const std::string message = xml_text(check.message);
  std::string inside;
  switch (check.outcome) {
    case Check::Outcome::passed: break;
    case Check::Outcome::warned: inside = fmt::format("<system-out>{}</system-out>", message); break;
    case Check::Outcome::failed: inside = fmt::format("<failure message=\"{}\"/>", message); break;
    case Check::Outcome::skipped:
    case Check::Outcome::unjudged: inside = fmt::format("<skipped message=\"{}\"/>", message); break;
  }
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", xml_text(check.suite), xml_text(check.name),
                     inside);
}

}  // namespace

std::string junit_xml(const std::vector<Check>& checks) {
  std::vector<std::string> suites;
  for (const Check& check : checks)
    if (std::find(suites.begin(), suites.end(), check.suite) == suites.end()) suites.push_back(check.suite);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const std::string& suite : suites) {
    std::string cases;
    std::size_t tests = 0, failures = 0, skipped = 0;
    for (const Check& check : checks) {
      if (check.suite != suite) continue;
      ++tests;
      failures += check.outcome == Check::Outcome::failed ? 1 : 0;
      skipped += check.outcome == Check::Outcome::skipped || check.outcome == Check::Outcome::unjudged ? 1 : 0;
      cases += junit_case(check);
    }
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
                        xml_text(suite), tests, failures, skipped, cases);
  }
  return text + "</testsuites>\n";
}

std::string annotations(const std::vector<Check>& checks) {
  // What ends a line or a property is written as GitHub decodes it.
  const std::vector<std::pair<char, std::string>> line = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
  auto property = line;
  property.insert(property.end(), {{':', "%3A"}, {',', "%2C"}});
  std::string text;
  for (const Check& check : checks)
    if (check.outcome != Check::Outcome::passed && check.outcome != Check::Outcome::skipped)
      text += fmt::format("::{} title={}::{}\n", check.outcome == Check::Outcome::failed ? "error" : "warning",
                          replace_each(check.suite + ": " + check.name, property), replace_each(check.message, line));
  return text;
}

bool print_checks(Format format, const std::vector<Check>& checks) {
  if (format == Format::junit) print(junit_xml(checks));
  if (format == Format::annotations) print(annotations(checks));
  return format == Format::junit || format == Format::annotations;
}

}  // namespace ccp::cli
