#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/config_keys.hpp"

namespace ccp {

/// Puts the JSON object "parameters" of an entry into the table of a scene or solver, and returns all its values. Lists
/// every value that is wrong.
Parameters read_parameters(const Json& entry, FieldTable& table, const std::string& pointer, const JsonSource& source);

/// Refuses a pointer to a parameter of all solvers or all problems, "/solvers/*/parameters/rho", when some of them do not
/// have it: fails at `place` with their labels.
void check_common_parameter(const Json& document, const std::string& pointer, const Catalog& catalog,
                            const JsonSource& source, const std::string& place);

/// Turns the JSON of a config into structs. Entries that are equal in several variants of a sweep are read once and shared.
class ConfigReader {
 public:
  /// of_results: as in ConfigOverrides.
  ConfigReader(const Catalog& catalog, const ConfigKeys& keys, bool of_results)
      : catalog_(catalog), keys_(keys), of_results_(of_results) {}

  /// problems, model, solvers, stop, limits and trace of one variant, with its labels. Of an entry that has no form only the
  /// parameters are checked.
  ConfigVariant read_variant(const Json& document, std::vector<SweptValue> swept, const JsonSource& source);

 private:
  void read_entries(const Json& document, ConfigVariant& variant, const JsonSource& source);
  void check_parameters(const Json& entry, const std::string& pointer, const JsonSource& source) const;
  std::shared_ptr<const ProblemSpec> read_problem(const Json& entry, const std::string& suffix, const std::string& pointer,
                                                  const JsonSource& source);
  std::shared_ptr<const SolverSpec> read_solver(const Json& entry, const std::string& suffix, const std::string& pointer,
                                                const JsonSource& source);

  const Catalog& catalog_;
  const ConfigKeys& keys_;
  const bool of_results_;
  std::map<std::string, std::shared_ptr<const ProblemSpec>> problems_;  ///< by suffix and JSON text
  std::map<std::string, std::shared_ptr<const SolverSpec>> solvers_;
};

}  // namespace ccp
