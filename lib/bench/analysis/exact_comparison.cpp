#include "bench/analysis/exact_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/error.hpp"

namespace ccp {
namespace {

/// Columns in seconds differ from run to run; time_s is that of the scene.
bool measured_time(std::string_view column) {
  return column.starts_with("time_to_") || (column != "time_s" && column.ends_with("_s"));
}

/// first: name of the column that counts the rows.
void compare_tables(const std::string& cell, const CsvTable& before, const CsvTable& now, const std::string& first,
                    std::vector<BaselineChange>& changes) {
  if (before.rows.size() != now.rows.size())
    changes.push_back({cell, "rows", std::to_string(before.rows.size()), std::to_string(now.rows.size()), "the same"});
  const std::size_t rows = std::min(before.rows.size(), now.rows.size());
  for (const std::string& column : now.columns)
    if (before.column(column) < 0) changes.push_back({cell, column, "missing", "there", "the same"});
  for (std::size_t c = 0; c < before.columns.size(); ++c) {
    const std::string& column = before.columns[c];
    if (measured_time(column)) continue;
    const int found = now.column(column);
    if (found < 0) {
      changes.push_back({cell, column, "there", "missing", "the same"});
      continue;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string &old_text = before.rows[i][c], &text = now.rows[i][static_cast<std::size_t>(found)];
      if (old_text == text) continue;
      changes.push_back({cell, fmt::format("{} at {:g}", column, before.number(i, first)), old_text, text, "the same"});
      break;
    }
  }
}

}  // namespace

BaselineComparison compare_exactly(const ResultTable& before, const ResultTable& now) {
  std::map<std::string, const ResultRow*> old_rows;
  for (const ResultRow& row : before.rows()) old_rows[row.id()] = &row;
  BaselineComparison comparison;
  std::size_t common = 0;
  for (const ResultRow& row : now.rows()) {
    const auto found = old_rows.find(row.id());
    if (found == old_rows.end()) {
      comparison.changes.push_back({row.id(), "cell", "missing", "there", ""});
      continue;
    }
    const ResultRow& old_row = *found->second;
    old_rows.erase(found);
    ++common;
    if (old_row.status != row.status)
      comparison.changes.push_back({row.id(), "status", std::string(status_name(old_row.status)),
                                    std::string(status_name(row.status)), "the same"});
    const auto compare = [&](auto has, auto table, const char* what, const char* first) {
      if ((before.*has)(old_row) != (now.*has)(row))
        comparison.changes.push_back({row.id(), what, (before.*has)(old_row) ? "there" : "missing",
                                      (now.*has)(row) ? "there" : "missing", "the same"});
      else if ((now.*has)(row))
        compare_tables(row.id(), (before.*table)(old_row), (now.*table)(row), first, comparison.changes);
    };
    compare(&ResultTable::has_trace, &ResultTable::trace, "trace", "iteration");
    compare(&ResultTable::has_steps, &ResultTable::steps, "steps", "step");
  }
  if (common == 0)
    throw InputError(now.folder().string(), "", fmt::format("has no cell that {} has", before.folder().string()));
  for (const auto& [id, row] : old_rows) comparison.changes.push_back({id, "cell", "there", "missing", ""});
  return comparison;
}

}  // namespace ccp
