#pragma once

#include <algorithm>
#include <array>

namespace ccp::linalg {

// ICNTL(14) of MUMPS, the workspace beyond the estimate of the analysis, %, and how often it grows.
constexpr int workspace_start = 20, workspace_tries = 10;
constexpr int grown_workspace(int percent) { return 2 * percent + workspace_start; }

/// INFOG(1) of a factorisation or a solution that ran out of the workspace the analysis had estimated (MUMPS guide, section
/// 8): more of it, ICNTL(14), may help.
inline bool is_workspace_error(int infog1) {
  constexpr std::array codes = {-8, -9, -11, -12, -14, -15, -17, -20};
  return std::find(codes.begin(), codes.end(), infog1) != codes.end();
}

}  // namespace ccp::linalg
