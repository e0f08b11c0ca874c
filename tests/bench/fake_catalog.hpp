#pragma once

#include "bench/catalog.hpp"

namespace ccp::testing {

/// A scene `pebbles` and solvers that behave as their names say: good, slow_start, segfault, abort, hang, hog, throws,
/// throws_int, nan, liar, exits, sleeper, interrupter, picky, gives_up.
Catalog fake_catalog();

}  // namespace ccp::testing
