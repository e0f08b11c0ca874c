#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"

namespace ccp {

/// The claims of a config; those with mistakes are left out. Labels in `of` and `problem`
/// have to match something in `variants`, pointers in `cells` and `against` have to be swept; a value that is not swept is
/// accepted only where a size of the config changes the sweep. Problems that are FCLib files are not known yet and not
/// checked.
std::vector<Claim> read_claims(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                               const JsonSource& source);

/// The facts of the scenes in time.
std::set<std::string> facts_of(const std::vector<ConfigVariant>& variants);

/// Refuses a name that is neither a metric nor such a fact, as far as these are known.
void check_metric(const std::string& name, const std::set<std::string>& facts, const Known& known, const std::string& place,
                  const JsonSource& source);

/// Refuses a metric to a decade without one (at = 0), a decade that is no power of ten, and one of a metric that takes none.
/// place: of the claim or the plot.
void check_decade(const std::string& metric, double at, const std::string& place, const JsonSource& source);

/// Whether a label is meant: the pattern is the label, or the label without swept values, or a shell pattern that matches
/// one of them.
bool label_matches(const std::string& pattern, const std::string& label, const std::string& base_label);

/// Whether two texts of swept values are the same value ("1" and "1.0" are).
bool same_swept_value(const std::string& a, const std::string& b);

}  // namespace ccp
