#pragma once

#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/config_keys.hpp"

namespace ccp {

/// The claims of a config whose form was checked already; those without a form are left out. Labels in `of` and `problem`
/// have to match something in `variants`, pointers in `cells` and `against` have to be swept; a value that is not swept is
/// accepted only where a size of the config changes the sweep. Problems that are FCLib files are not known yet and not
/// checked.
std::vector<Claim> read_claims(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                               const ConfigKeys& keys, const JsonSource& source);

/// Whether a label is meant: the pattern is the label, or the label without swept values, or a shell pattern that matches
/// one of them.
bool label_matches(const std::string& pattern, const std::string& label, const std::string& base_label);

/// Whether two texts of swept values are the same value ("1" and "1.0" are).
bool same_swept_value(const std::string& a, const std::string& b);

}  // namespace ccp
