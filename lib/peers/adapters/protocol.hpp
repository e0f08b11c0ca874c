#pragma once

#include <cstdint>

/// What goes over the socket between ccpbench and the adapter of a peer, in the byte order of the machine. Nothing else is
/// shared with the adapters, so that no library of a peer is linked into the program.
namespace ccp {

/// What the program sends first. After it: row_start (int32, contacts + 1), column (int32, blocks), the blocks of N (9
/// doubles each, by columns), the velocity q (3·contacts: r with the local form, b with the global one), μ (contacts) and
/// the start reaction (3·contacts). With the global form (velocities > 0, no blocks) then H and D, each as row (int32),
/// column (int32) and value (double) of its entries, and k (velocities).
struct AdapterRequest {
  std::int64_t contacts = 0, blocks = 0;
  std::int64_t max_iterations = 0;
  double tolerance = 0.0;  ///< of the peer's own criterion
  std::int64_t velocities = 0, mass_entries = 0, jacobian_entries = 0;
};

/// What an adapter answers, each followed by `bytes` of payload. It waits for one byte after `ready` and after each
/// `iterate`, so that it and the judge never work at the same time.
struct AdapterFrame {
  enum Kind : std::int32_t {
    ready = 1,    ///< the problem is read; info: 1 when iterates are whole runs from the start, 0 when they are iterations
    iterate = 2,  ///< payload: reaction
    end = 3,      ///< the peer is done; info: its return value, 0 for converged; payload: reaction
    failure = 4   ///< payload: why, as text; info: 1 for lack of memory
  };
  std::int32_t kind = 0;
  std::int32_t bytes = 0;
  std::int64_t iterations = 0;  ///< of the peer; 0 where it tells none
  std::int64_t info = 0;
  double seconds = 0.0;  ///< spent in the peer's solve call so far, by the adapter's steady clock
  double error = 0.0;    ///< the peer's own residual; NaN where it tells none
};

}  // namespace ccp
