#pragma once

#include <string>

/// Tests of what this machine may lack. CTest reports a test case that called skip(), and failed nowhere, as skipped.
namespace ccp::testing {

/// Says on stdout that the test case is skipped, and why. The test case then returns.
void skip(const std::string& reason);

/// The folder of FCLib dumps: CCPBENCH_FCLIB_DIR, else shared/fclib beside the source tree. Empty, after skip(), where there
/// is none.
std::string fclib_dumps();

}  // namespace ccp::testing
