#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// Reads the files of a run.
namespace ccp {

/// The bytes of a file that a run has written. Throws InputError when it cannot be read.
std::string read_result(const std::filesystem::path& path);

/// A CSV file as texts; quoted fields as of RFC 4180.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`

  /// Position of a column; −1 when there is none.
  int column(const std::string& name) const;
  /// The value as a number; NaN for an empty field, a text or a column that is not there.
  double number(std::size_t row, const std::string& name) const;
};

/// Throws InputError when the file cannot be read or a line has another number of fields than the header.
CsvTable read_csv(const std::filesystem::path& path);

}  // namespace ccp
