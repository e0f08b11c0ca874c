#pragma once

#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"

namespace ccp {

/// The "plots" of a config name columns, solvers and swept values that there are; scripts draw them. Throws InputError.
void check_plots(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                 const Catalog& catalog, const JsonSource& source);

}  // namespace ccp
