#pragma once

namespace ccp::testing {

/// Whether sanitizers watch this test. MUMPS allocates 2.4 MB a solution, which costs them a millisecond and no one else:
/// tests that cross all settings with all problems take fewer of these, since the same code runs in each.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ccp::testing
