#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Reads what a run wrote, with nothing of the program's own code.
namespace ccp::testing {

struct CellResult {
  nlohmann::json json;
  std::filesystem::path folder;
};

/// Cells by "problem/model/label". A folder without a cell.json is none.
std::map<std::string, CellResult> read_results(const std::filesystem::path& folder);

/// A CSV file without quoted fields, column by column.
class Csv {
 public:
  explicit Csv(const std::filesystem::path& path);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return rows_.size(); }
  const std::string& text(std::size_t row, const std::string& column) const;
  double number(std::size_t row, const std::string& column) const;
  /// Lines with all columns but one.
  std::vector<std::string> without(const std::string& column) const;
  /// First row whose value is at or below the bound; −1 for none.
  int first_at_most(const std::string& column, double bound) const;

 private:
  std::size_t index(const std::string& column) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ccp::testing
