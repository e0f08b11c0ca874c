#pragma once

#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_tables.hpp"
#include "terminal/records.hpp"

/// The output of `list` as values: a table, and everything known as JSON.
namespace ccp::cli {

struct Listing {
  Records table;
  Json json;
};

/// Name, title, models, school and source of each.
Listing solvers_listing();
/// The settings of one; in JSON also the columns of its trace.
Listing solver_listing(const std::string& name);
Listing scenes_listing();
/// The parameters of one.
Listing scene_listing(const std::string& name);
/// Name, file and title of configs.
Listing configs_listing(const std::vector<Config>& configs);
/// The solvers of one; in JSON the whole config, resolved.
Listing config_listing(const Config& config);
/// The keys of parts of a config.
Listing sections_listing(const std::vector<ConfigSection>& sections);

}  // namespace ccp::cli
