#include "cli/results.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ccp::testing {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::map<std::string, CellResult> read_results(const std::filesystem::path& folder) {
  std::map<std::string, CellResult> results;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cells")) {
    std::ifstream stream(entry.path() / "cell.json");
    if (!stream) continue;
    const auto json = nlohmann::json::parse(stream);
    const std::string id = json.at("problem").at("name").get<std::string>() + "/" + json.at("model").get<std::string>() +
                           "/" + json.at("solver").at("label").get<std::string>();
    results[id] = {json, entry.path()};
  }
  return results;
}

Csv::Csv(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("no file " + path.string());
  std::string line;
  std::getline(stream, line);
  columns_ = split(line);
  while (std::getline(stream, line)) rows_.push_back(split(line));
}

std::size_t Csv::index(const std::string& column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) throw std::runtime_error("no column " + column);
  return static_cast<std::size_t>(found - columns_.begin());
}

const std::string& Csv::text(std::size_t row, const std::string& column) const { return rows_.at(row).at(index(column)); }

double Csv::number(std::size_t row, const std::string& column) const {
  return std::strtod(text(row, column).c_str(), nullptr);
}

std::vector<std::string> Csv::without(const std::string& column) const {
  const std::size_t left_out = index(column);
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (c != left_out) line += row[c] + ",";
    lines.push_back(line);
  }
  return lines;
}

int Csv::first_at_most(const std::string& column, double bound) const {
  for (std::size_t row = 0; row < rows_.size(); ++row)
    if (number(row, column) <= bound) return static_cast<int>(row);
  return -1;
}

}  // namespace ccp::testing
