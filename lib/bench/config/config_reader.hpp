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

  /// Appends what could be read of one variant: problems, model, solvers, stop, limits and trace, with its labels. Of an
  /// entry with mistakes that is an outline; where it has no form, its parameters are checked all the same. left_out: as in
  /// Sweep. Throws KnownMistakes when there are mistakes.
  void read_variant(const Json& document, std::vector<SweptValue> swept, const std::vector<std::string>& left_out,
                    const JsonSource& source, std::vector<ConfigVariant>& variants);

  /// What is known from the variants read so far; `sweep` is not looked at.
  const Known& known() const { return known_; }

 private:
  void read_entries(const Json& document, bool formed, ConfigVariant& variant, const JsonSource& source);
  std::shared_ptr<const ProblemSpec> outline_problem(const Json& entry, const std::string& suffix);
  std::shared_ptr<const SolverSpec> outline_solver(const Json& entry, const std::string& suffix);
  void check_parameters(const Json& entry, const std::string& pointer, const JsonSource& source) const;
  std::shared_ptr<const ProblemSpec> read_problem(const Json& entry, const std::string& suffix, const std::string& pointer,
                                                  const JsonSource& source);
  std::shared_ptr<const SolverSpec> read_solver(const Json& entry, const std::string& suffix, const std::string& pointer,
                                                const JsonSource& source);

  const Catalog& catalog_;
  const ConfigKeys& keys_;
  const bool of_results_;
  Known known_;
  std::map<std::string, std::shared_ptr<const ProblemSpec>> problems_;  ///< by suffix and JSON text
  std::map<std::string, std::shared_ptr<const SolverSpec>> solvers_;
};

}  // namespace ccp
