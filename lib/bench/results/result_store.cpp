#include "bench/results/result_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "bench/config/config_json.hpp"
#include "bench/record/csv.hpp"
#include "bench/record/metrics.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/record_json.hpp"
#include "bench/results/summary_file.hpp"
#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

struct Column {
  std::string name;
  std::function<std::string(const Cell&, const CellRecord&)> text;
};

std::vector<Column> summary_columns() {
  std::vector<Column> columns = {
      {"problem", [](const Cell& cell, const CellRecord&) { return csv_field(cell.problem); }},
      {"model", [](const Cell& cell, const CellRecord&) { return csv_field(model_name(cell.model)); }},
      {"label", [](const Cell& cell, const CellRecord&) { return csv_field(cell.label); }},
      {"solver", [](const Cell& cell, const CellRecord&) { return csv_field(cell.solver->solver); }},
      {"hash", [](const Cell& cell, const CellRecord&) { return csv_field(cell.hash); }},
      {"status", [](const Cell&, const CellRecord& record) { return csv_field(status_name(record.status)); }},
      {"reason", [](const Cell&, const CellRecord& record) { return csv_field(record.reason); }}};
  for (const Metric& metric : metrics()) {
    if (metric.source == MetricSource::column)
      columns.push_back({metric.name, [&metric](const Cell&, const CellRecord& record) { return metric.field(record); }});
    if (metric.source != MetricSource::decade) continue;
    for (int decade = first_decade; decade <= last_decade; ++decade)
      columns.push_back({metric.name + "_" + decade_name(decade), [&metric, decade](const Cell&, const CellRecord& record) {
                           return metric.decade_field(record.crossings[static_cast<std::size_t>(decade - first_decade)]);
                         }});
  }
  return columns;
}

std::optional<CellRecord> read_record(const fs::path& folder, const Cell& cell) {
  const auto text = read_file(folder / "cells" / cell.hash / "cell.json");
  if (!text || !is_as_written(*text)) return std::nullopt;
  auto record = record_from_json(*text);
  if (record && record->hash != cell.hash) return std::nullopt;
  return record;
}

/// The facts of the last states of sequences, by name, where no column has them yet.
void add_fact_columns(std::vector<Column>& columns, const fs::path& folder, const Plan& plan) {
  const auto is_there = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  };
  for (const Cell& cell : plan.cells) {
    if (!cell.spec->sequence) continue;
    const auto record = read_record(folder, cell);
    if (!record || !record->sequence) continue;
    for (const MotionFact& fact : record->sequence->facts)
      if (!is_there(fact.name))
        columns.push_back({csv_field(fact.name), [name = fact.name](const Cell&, const CellRecord& of_cell) {
                             return of_cell.sequence ? csv_number(of_cell.sequence->fact(name)) : std::string();
                           }});
  }
}

}  // namespace

ResultStore::ResultStore(const std::string& out, const std::string& name) : folder_(fs::path(out) / name) {
  make_folder(folder_ / "cells");
}

std::optional<CellRecord> ResultStore::find(const Cell& cell) const {
  auto record = read_record(folder_, cell);
  if (!record) return record;
  // failed: the problem was not built within the limit
  const bool timed = record->status == Status::time_limit || record->status == Status::failed;
  const bool more_time = timed && record->limits.wall_s < cell.limits.wall_s && record->wall_s >= record->limits.wall_s;
  const bool more_memory = record->status == Status::out_of_memory && record->limits.memory_mb < cell.limits.memory_mb;
  if (more_time || more_memory || record->status == Status::interrupted) return std::nullopt;
  return record;
}

bool ResultStore::has_result(const Cell& cell) const {
  const auto record = find(cell);
  return record && !record->io_failure && damage(cell).empty();
}

std::string ResultStore::damage(const Cell& cell) const { return damage_of_cell(cell_folder(cell)); }

std::vector<std::string> ResultStore::damages(const Plan& plan, const std::vector<std::size_t>& cells) const {
  std::set<std::string> listed;
  if (has_ended(try_parse_json(read_file(folder_ / "manifest.json").value_or(""))) && damage_of_summary(folder_).empty() &&
      fs::exists(folder_ / "summary.csv"))
    listed = hashes_of(read_summary_file(folder_));
  std::vector<std::string> texts;
  for (const std::size_t index : cells) {
    const Cell& cell = plan.cells[index];
    try {
      if (listed.count(cell.hash) > 0 && fs::exists(cell_folder(cell))) check_cell(cell_folder(cell));
      if (std::string text = damage(cell); !text.empty()) texts.push_back(std::move(text));
    } catch (const InputError& error) {
      texts.emplace_back(error.what());
    }
  }
  return texts;
}

void ResultStore::prepare(const Cell& cell) const {
  discard(cell);
  make_folder(cell_folder(cell));
}

void ResultStore::discard(const Cell& cell) const {
  std::error_code error;
  fs::remove(cell_folder(cell) / "cell.json", error);  // first: whoever is killed or reads meanwhile meets no damaged result
  fs::remove_all(cell_folder(cell), error);
  if (error) throw InputError(cell_folder(cell).string(), "", fmt::format("cannot be removed ({})", error.message()));
}

void ResultStore::store(const Cell& cell, const CellRecord& record) const { write_cell(cell_folder(cell), cell, record); }

void ResultStore::write_summary(const Plan& plan) const {
  std::vector<Column> columns = summary_columns();
  add_fact_columns(columns, folder_, plan);
  write_summary_file(folder_, [&](const auto& put) {
    const auto add_line = [&](const auto& text_of) {
      std::vector<std::string> fields;
      for (const Column& column : columns) fields.push_back(text_of(column));
      put(join(fields, ",") + '\n');
    };
    add_line([](const Column& column) { return column.name; });
    for (const Cell& cell : plan.cells)
      if (const auto record = read_record(folder_, cell))
        add_line([&](const Column& column) { return column.text(cell, *record); });
  });
}

bool ResultStore::move_figures(const fs::path& place) const {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder_ / "plots", error))) return false;
  fs::remove_all(place / "plots", error);  // of the same config, and older
  if (!error) fs::rename(folder_ / "plots", place / "plots", error);
  if (error) throw InputError((place / "plots").string(), "", fmt::format("cannot be written ({})", error.message()));
  return true;
}

std::string ResultStore::back_up_earlier(const std::string& manifest) const {
  const auto text = read_file(folder_ / "manifest.json");
  if (!text || !fs::exists(folder_ / "summary.csv")) return "";
  const Json before = manifest_identity(*text), now = manifest_identity(manifest);
  const auto changes = json_changes(before, now);
  if (before.is_null() || changes.empty()) return "";
  const fs::path place = folder_ / "earlier" / sha256_hex(dump_json(before)).substr(0, 8);
  make_folder(place);
  std::error_code error;
  if (!fs::is_symlink(place / "cells", error)) fs::create_directory_symlink("../../cells", place / "cells", error);
  if (error) throw InputError((place / "cells").string(), "", fmt::format("cannot be created ({})", error.message()));
  const bool figures = move_figures(place);
  // The summary goes last: whoever is killed before has moved nothing yet, and the new run writes the manifest anew.
  fs::copy_file(folder_ / "manifest.json", place / "manifest.json", fs::copy_options::overwrite_existing, error);
  if (!error) {
    take_off_manifest(folder_);
    fs::rename(folder_ / "summary.csv", place / "summary.csv", error);
  }
  if (error) throw InputError(place.string(), "", fmt::format("cannot be written ({})", error.message()));
  std::string what = changes.front().text();
  if (changes.size() > 1) what += fmt::format(" and {} more", changes.size() - 1);
  return fmt::format("the earlier results of {} differ in their config ({}); their summary{} now in {}", folder_.string(),
                     what, figures ? " and figures are" : " is", place.string());
}

void ResultStore::write_manifest(const std::string& json) const { write_file_atomically(folder_ / "manifest.json", json); }

}  // namespace ccp
