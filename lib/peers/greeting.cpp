#include "peers/greeting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "peers/external/skeletons/ccpbench_solver.h"

namespace ccp {
namespace {

constexpr int longest_description = 1 << 20;

std::string defect_of(const ccpbench_greeting& greeting, const std::string& program) {
  if (!std::equal(std::begin(greeting.magic), std::end(greeting.magic), CCPBENCH_MAGIC))
    return fmt::format("{} does not greet as a solver does: its first bytes are no \"" CCPBENCH_MAGIC "\"", program);
  if (greeting.byte_order != CCPBENCH_BYTE_ORDER)
    return fmt::format("{} writes numbers in another byte order than this machine", program);
  if (greeting.version != CCPBENCH_PROTOCOL)
    return fmt::format("{} speaks version {} of the protocol, expected {}", program, greeting.version,
                       static_cast<int>(CCPBENCH_PROTOCOL));
  if (greeting.bytes < 0 || greeting.bytes > longest_description)
    return fmt::format("{} announces a description of {} bytes, expected at most {}", program, greeting.bytes,
                       longest_description);
  return "";
}

}  // namespace

Greeting read_greeting(ChildProgram& process, const std::string& program, double longest_s) {
  const std::chrono::duration<double> longest(longest_s);
  ccpbench_greeting head{};
  Greeting greeting;
  auto reading = process.receive(&head, sizeof head, longest);
  if (reading == ChildProgram::Transfer::done) {
    greeting.defect = defect_of(head, program);
    if (!greeting.defect.empty()) return greeting;
    greeting.description.resize(static_cast<std::size_t>(head.bytes));
    reading = process.receive(greeting.description.data(), greeting.description.size(), longest);
  }
  if (reading == ChildProgram::Transfer::timed_out)
    greeting.defect = fmt::format("{} did not greet within {:g} s", program, longest_s);
  if (reading == ChildProgram::Transfer::closed) {
    greeting.died = true;
    greeting.defect = fmt::format("{} ended before it had greeted: {}", program, process.exit_text());
  }
  return greeting;
}

}  // namespace ccp
