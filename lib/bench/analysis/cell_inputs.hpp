#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"

/// The inputs of cells: problem, solver, model and stop rule with all their values. A change there comes before the
/// changes that follow from it.
namespace ccp {

/// One value that was changed in one or more cells.
struct InputChange {
  std::string name;         ///< "rho"
  std::string of;           ///< "solver", "problem" or "stop"
  std::string before, now;  ///< as compact text
  std::vector<std::string> cells;
};

/// The inputs of the cells of one run.
class InputTable {
 public:
  /// Reads each cell.json. Throws InputError where one is missing or broken.
  explicit InputTable(const ResultTable& results);
  /// Reads a baseline's inputs.json; empty where it has none, as older ones. Throws InputError where it is broken.
  static InputTable read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder) const;

  /// Values that both have and that differ, of the cells of both, those of most cells first. A parameter that only one of
  /// them has was added or taken away since: it is no change.
  std::vector<InputChange> changes_to(const InputTable& now) const;

 private:
  InputTable() = default;

  std::map<std::string, std::string> cells_;  ///< by "problem/model/label": JSON
};

/// The name of the file in a baseline.
inline constexpr const char* inputs_name = "inputs.json";

}  // namespace ccp
