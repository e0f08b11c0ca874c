#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"

namespace ccp {

/// Puts the JSON object "parameters" of an entry into the table of a scene or solver, and returns all its values. Lists
/// every value that is wrong.
Parameters read_parameters(const Json& entry, const FieldTable& table, const std::string& pointer, const JsonSource& source);

/// The same for the settings of a solver. Of a solver of the user they are those given, sorted by name, and checked once it
/// has said what it takes.
Parameters read_settings(const Json& entry, Solver& solver, const std::string& pointer, const JsonSource& source);

/// Refuses a pointer to a parameter of all solvers or all problems, "/solvers/*/parameters/rho", when some of them do not
/// have it: fails at `place` with their labels.
void check_common_parameter(const Json& document, const std::string& pointer, const Catalog& catalog,
                            const JsonSource& source, const std::string& place);

/// Turns the JSON of a config into structs. An entry that is the same in several sizes and variants of a sweep is read once
/// and shared.
class ConfigReader {
 public:
  /// of_results: as in ConfigOverrides.
  ConfigReader(const Catalog& catalog, bool of_results) : catalog_(catalog), of_results_(of_results) {}

  /// Appends what could be read of one variant: problems, model, solvers, stop, limits and trace, with its labels. Of an
  /// entry with mistakes that is an outline. left_out: as in Sweep. Throws KnownMistakes when there are mistakes.
  void read_variant(const Json& document, std::vector<SweptValue> swept, const std::vector<std::string>& left_out,
                    const JsonSource& source, std::vector<ConfigVariant>& variants);

 private:
  /// Entries of a list by pointer and JSON text, then also by the suffix of their labels.
  template <typename Spec>
  struct Entries {
    std::map<std::string, Spec> read;
    std::map<std::string, std::shared_ptr<const Spec>> labelled;
  };

  template <typename Spec>
  std::vector<std::shared_ptr<const Spec>> read_entries(const Json& document, const std::string& list,
                                                        Entries<Spec>& entries, const std::vector<SweptValue>& swept,
                                                        const std::string& common, const JsonSource& source);
  void read(ProblemSpec& spec, const Json& entry, const std::string& pointer, const JsonSource& source) const;
  void read(SolverSpec& spec, const Json& entry, const std::string& pointer, const JsonSource& source) const;

  const Catalog& catalog_;
  const bool of_results_;
  Entries<ProblemSpec> problems_;
  Entries<SolverSpec> solvers_;
};

/// What is known from these variants; `sweep` is not looked at.
Known known_of(const std::vector<ConfigVariant>& variants);

}  // namespace ccp
