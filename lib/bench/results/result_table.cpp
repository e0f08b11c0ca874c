#include "bench/results/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/config/config_json.hpp"
#include "bench/config/plan.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/result_store.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/results/summary_file.hpp"
#include "core/error.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

struct Manifest {
  Config config;  ///< with size and settings applied
  int threads = 1;
  std::string version;  ///< of the solvers
  std::size_t planned = 0;
  bool ended = true;
};

/// The changes that a manifest lists. Older manifests have no list, only settings, which may have changed nothing.
std::vector<std::string> changes_of(const Json& manifest) {
  if (manifest.contains("changes")) return manifest["changes"].get<std::vector<std::string>>();
  std::vector<std::string> settings;
  if (manifest.contains("options"))
    for (const Json& setting : manifest["options"].value("set", Json::array()))
      settings.push_back("--set " + setting.get<std::string>());
  return settings;
}

Config config_of_manifest(const Json& json, const std::filesystem::path& file, const Catalog& catalog) {
  if (!json.is_object() || !json.contains("config")) throw InputError(file.string(), "/config", "is no manifest of a run");
  return parse_config(dump_json(json["config"]), file.string(), catalog, {"", {}, true});
}

Manifest read_manifest(const std::filesystem::path& file, const Catalog& catalog) {
  const Json json = try_parse_json(read_result(file));
  Manifest manifest{config_of_manifest(json, file, catalog), 1, "", 0, has_ended(json)};
  try {
    if (json.contains("options")) {
      manifest.config.size = json["options"].value("size", std::string());
      manifest.threads = json["options"].value("threads", 1);
    }
    manifest.config.changes = changes_of(json);
    if (json.contains("cells")) manifest.planned = json["cells"].value("planned", std::size_t{0});
    if (json.contains("program")) manifest.version = json["program"].value("solver_version", std::string());
  } catch (const nlohmann::json::exception&) {
    throw InputError(file.string(), "/options", "is no manifest of a run");
  }
  return manifest;
}

/// What the backed-up summaries of earlier configs list.
std::set<std::string> backed_up_hashes(const std::filesystem::path& folder) {
  std::set<std::string> hashes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "earlier", ignored))
    if (const auto file = entry.path() / "summary.csv"; std::filesystem::exists(file))
      hashes.merge(hashes_of(read_summary_file(entry.path())));
  return hashes;
}

/// Cells with a result that are listed nowhere. A run that failed to come to its end leaves some, and copied shards do.
std::size_t count_unlisted(const std::filesystem::path& folder, const std::set<std::string>& listed) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cells", ignored))
    if (listed.count(entry.path().filename().string()) == 0 && std::filesystem::exists(entry.path() / "cell.json")) ++count;
  return count;
}

/// Brings summary.csv up to date with cells/. Returns a note when that cannot be done. No listed row is ever lost: only a
/// plan that knows all of them may write the table.
std::string refresh_summary(const std::filesystem::path& folder, const Manifest& manifest, const std::string& fclib_dir) {
  std::set<std::string> listed, known;
  if (std::filesystem::exists(folder / "summary.csv")) {
    listed = hashes_of(read_summary_file(folder));
    known = backed_up_hashes(folder);  // of no config but theirs, once this one has a summary
  }
  known.insert(listed.begin(), listed.end());
  const std::size_t unlisted = count_unlisted(folder, known);
  if (unlisted == 0) return "";
  const auto left_out = [&](const std::string& why) {
    return fmt::format("{}: {} of its cells not in summary.csv {} left out: {}", folder.string(), unlisted,
                       unlisted == 1 ? "is" : "are", why);
  };
  if (manifest.version != solver_version) return left_out("they are of another version of the solvers");
  try {
    const Plan plan = make_plan(manifest.config, {fclib_dir, manifest.threads});
    for (const Cell& cell : plan.cells) listed.erase(cell.hash);
    if (!listed.empty())
      return left_out("the config plans other cells now: a solver or a file that it names has changed since");
    ResultStore::to_read(folder).write_summary(plan);
  } catch (const InputError& error) {
    return left_out(error.what());
  }
  return "";
}

/// The label without swept values, and whether a variant has it.
template <typename Specs>
bool find_base(const Specs& specs, const std::string& label, std::string& base) {
  for (const auto& spec : specs) {
    if (spec->label != label) continue;
    base = spec->base_label;
    return true;
  }
  return false;
}

}  // namespace

Config config_of_results(const std::filesystem::path& folder, const Catalog& catalog) {
  const std::filesystem::path file = folder / "manifest.json";
  return config_of_manifest(try_parse_json(read_result(file)), file, catalog);
}

std::string ResultRow::id() const { return fmt::format("{}/{}/{}", problem, model_name(model), label); }

ResultTable::ResultTable(const std::filesystem::path& folder, const Catalog& catalog, const std::string& fclib_dir,
                         MissingTraces traces)
    : folder_(folder) {
  Manifest manifest = read_manifest(folder / "manifest.json", catalog);
  lists_cells_ = manifest.ended && lists_summary(folder);
  note_ = refresh_summary(folder, manifest, fclib_dir);
  config_ = std::move(manifest.config);
  planned_ = manifest.planned;
  summary_ = read_summary_file(folder);
  const auto text = [&](std::size_t row, const std::string& name) {
    const int column = summary_.column(name);
    if (column < 0)
      throw InputError((folder_ / "summary.csv").string(), "", fmt::format("the column '{}' is missing", name));
    return summary_.rows[row][static_cast<std::size_t>(column)];
  };
  for (std::size_t i = 0; i < summary_.rows.size(); ++i) {
    ResultRow row;
    row.index = i;
    row.problem = row.problem_base = text(i, "problem");
    row.label = row.label_base = text(i, "label");
    row.hash = text(i, "hash");
    const auto model = model_from_name(text(i, "model"));
    const auto status = status_from_name(text(i, "status"));
    if (!model || !status)
      throw InputError((folder_ / "summary.csv").string(), fmt::format("record {}", i + 2), "has no model or no status");
    row.model = *model;
    row.status = *status;
    row.reference = summary_.column("solver") >= 0 && text(i, "solver") == "reference";
    row.restarts = summary_.column("restarts") >= 0 && text(i, "restarts") == "1";
    for (std::size_t v = 0; v < config_.variants.size(); ++v) {
      const ConfigVariant& variant = config_.variants[v];
      const bool problem = find_base(variant.problems, row.problem, row.problem_base) || variant.needs_files();
      if (problem && find_base(variant.solvers, row.label, row.label_base)) row.variants.push_back(v);
      for (const auto& spec : variant.solvers) row.peer = row.peer || (spec->label == row.label && spec->peer_version);
    }
    rows_.push_back(std::move(row));
  }
  if (traces == MissingTraces::refused) check_cells();
}

void ResultTable::check_cells() const {
  for (const ResultRow& row : rows_) {
    const std::filesystem::path folder = folder_ / "cells" / row.hash;
    try {
      check_cell(folder);
    } catch (const InputError&) {
      if (lists_cells_ || std::filesystem::exists(folder / "cell.json")) throw;
    }
  }
}

bool ResultTable::converged(const ResultRow& row) const {
  if (row.status == Status::below_rounding) return summary_.number(row.index, "native_converged") > 0.0;
  return row.status == Status::solved || row.status == Status::false_converged;
}

std::string ResultTable::reason(const ResultRow& row) const {
  const int column = summary_.column("reason");
  return column < 0 ? std::string() : summary_.rows[row.index][static_cast<std::size_t>(column)];
}

const CsvTable& ResultTable::table_of(const ResultRow& row, const std::string& file) const {
  const std::filesystem::path path = std::filesystem::path(row.hash) / file;
  const auto found = tables_.find(path.string());
  if (found != tables_.end()) return found->second;
  const std::filesystem::path folder = folder_ / "cells" / row.hash;
  return tables_.emplace(path.string(), parse_csv(read_beside_cell(folder, file), folder / file)).first->second;
}

bool ResultTable::has_trace(const ResultRow& row) const {
  return std::filesystem::is_regular_file(folder_ / "cells" / row.hash / "trace.csv");
}

const CsvTable& ResultTable::trace(const ResultRow& row) const { return table_of(row, "trace.csv"); }

const CsvTable& ResultTable::steps(const ResultRow& row) const { return table_of(row, steps_name); }

bool ResultTable::has_steps(const ResultRow& row) const { return !std::isnan(summary_.number(row.index, "steps")); }

double ResultTable::decade_metric(const ResultRow& row, const Metric& metric, double at) const {
  if (row.status == Status::unsupported) return unknown_number;
  const std::string decade = decade_name(static_cast<int>(-std::lround(std::log10(at))));
  const double iteration = summary_.number(row.index, "iterations_to_" + decade);
  if (std::isnan(iteration)) return never;
  if (metric.source == MetricSource::decade) return summary_.number(row.index, metric.name + "_" + decade);
  if (has_steps(row)) return unknown_number;
  const CsvTable& steps = trace(row);
  for (std::size_t i = 0; i < steps.rows.size(); ++i)
    if (steps.number(i, "iteration") == iteration) return steps.number(i, metric.traced);
  return unknown_number;
}

double ResultTable::traced_metric(const ResultRow& row, const Metric& metric) const {
  if (row.status == Status::unsupported || has_steps(row) || !has_trace(row)) return unknown_number;
  const CsvTable& table = trace(row);
  double end = unknown_number, before = unknown_number, largest = -never, rises = 0.0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    end = table.number(i, metric.traced);
    if (!(table.number(i, "iteration") > 0.0)) continue;
    largest = std::max(largest, end);
    rises += end > before ? 1.0 : 0.0;
    before = end;
  }
  if (metric.source == MetricSource::trace_end) return end;
  if (metric.source == MetricSource::trace_largest) return std::isinf(largest) ? unknown_number : largest;
  return std::isnan(before) ? unknown_number : rises;
}

double ResultTable::objective_gap(const ResultRow& row) const {
  for (const ResultRow& other : rows_)
    if (other.problem == row.problem && other.model == row.model && other.reference)
      return summary_.number(row.index, "objective") - summary_.number(other.index, "objective");
  return unknown_number;
}

double ResultTable::derived_metric(const ResultRow& row, const std::string& name) const {
  if (name == "objective_gap") return objective_gap(row);
  // The natural map of what the stop measure calls solved: large where that is a false verdict.
  if (name == "solved_natural_map") return row.status == Status::solved ? summary_.number(row.index, "natural_map") : 0.0;
  const auto ratio = [&](const char* seconds, const char* counter) {
    const double count = summary_.number(row.index, counter);
    return count > 0.0 ? summary_.number(row.index, seconds) / count : unknown_number;
  };
  if (name == "seconds_per_factorization") return ratio("factorization_s", "factorizations");
  if (name == "seconds_per_back_solve") return ratio("back_solve_s", "back_solves");
  if (name == "flops_per_step") return ratio("flops", "steps");
  return ratio("solve_s", "iterations");  // seconds_per_iteration
}

double ResultTable::column_metric(const ResultRow& row, const std::string& name) const {
  const double value = summary_.number(row.index, name);
  const auto measure = measure_from_name(name);
  const bool residual = measure && measure_info(*measure).stoppable;
  return std::isnan(value) && residual && row.status == Status::diverged ? never : value;
}

double ResultTable::metric(const ResultRow& row, const std::string& name, double at) const {
  const Metric* metric = find_metric(name);
  // A fact of a scene, of which a folder without such a sequence has no column.
  if (metric == nullptr) return summary_.column(name) < 0 ? unknown_number : column_metric(row, name);
  switch (metric->source) {
    case MetricSource::decade:
    case MetricSource::trace_at: return decade_metric(row, *metric, at);
    case MetricSource::trace_end:
    case MetricSource::trace_largest:
    case MetricSource::trace_rises: return traced_metric(row, *metric);
    case MetricSource::derived: return derived_metric(row, name);
    case MetricSource::column: return column_metric(row, name);
  }
  return unknown_number;
}

}  // namespace ccp
