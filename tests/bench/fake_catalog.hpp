#pragma once

#include "bench/config/catalog.hpp"

namespace ccp::testing {

/// Scenes `pebbles` and `quirk`, which harms whoever builds it, and solvers that behave as their names say: good, segfault,
/// abort, hang, hog, throws, throws_int, nan, liar, exits, sleeper, interrupter, picky, gives_up, recursion, exits_71,
/// forker (leaves two processes behind, whose ids it prints), father (the same, and hangs), noisy, wanderer, closer (of all
/// file descriptors), stopper; late_segfault,
/// late_hang, late_throws: after twelve iterations.
Catalog fake_catalog();

}  // namespace ccp::testing
