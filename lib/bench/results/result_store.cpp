#include "bench/results/result_store.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "io/atomic_file.hpp"
#include "io/csv.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

struct Column {
  std::string name;
  std::function<std::string(const Cell&, const CellRecord&)> text;
};

template <typename Get>
void add_text(std::vector<Column>& columns, const std::string& name, Get get) {
  columns.push_back({name, [get](const Cell& cell, const CellRecord& record) { return csv_field(get(cell, record)); }});
}

template <typename Get>
void add_integer(std::vector<Column>& columns, const std::string& name, Get get) {
  columns.push_back({name, [get](const Cell&, const CellRecord& record) { return std::to_string(get(record)); }});
}

template <typename Get>
void add_number(std::vector<Column>& columns, const std::string& name, Get get) {
  columns.push_back({name, [get](const Cell&, const CellRecord& record) { return csv_number(get(record)); }});
}

void add_crossings(std::vector<Column>& columns) {
  for (int decade = first_decade; decade <= last_decade; ++decade) {
    const auto i = static_cast<std::size_t>(decade - first_decade);
    add_number(columns, "time_to_" + decade_name(decade), [i](const CellRecord& r) { return r.crossings[i].elapsed_s; });
  }
  for (int decade = first_decade; decade <= last_decade; ++decade) {
    const auto i = static_cast<std::size_t>(decade - first_decade);
    columns.push_back({"iterations_to_" + decade_name(decade), [i](const Cell&, const CellRecord& r) {
                         return r.crossings[i].iteration < 0 ? std::string() : std::to_string(r.crossings[i].iteration);
                       }});
  }
}

/// Empty in configs that do not time kernels; the last two also where the method cannot be timed without judging,
/// or counts no product and no projection.
void add_kernels(std::vector<Column>& columns) {
  const auto add = [&columns](const std::string& name, auto get) {
    columns.push_back(
        {name, [get](const Cell&, const CellRecord& r) { return r.kernels ? csv_number(get(*r.kernels)) : std::string(); }});
  };
  add("kernel_product_s", [](const KernelTimes& k) { return k.product; });
  add("kernel_projection_s", [](const KernelTimes& k) { return k.projection; });
  add("kernel_block_product_s", [](const KernelTimes& k) { return k.block_product; });
  add("kernel_csr_product_s", [](const KernelTimes& k) { return k.csr_product; });
  add("kernel_factors_product_s", [](const KernelTimes& k) { return k.factors_product; });
  add("bytes_per_contact", [](const KernelTimes& k) { return k.bytes_per_contact; });
  const auto add_share = [&columns](const std::string& name, auto get) {
    columns.push_back({name, [get](const Cell&, const CellRecord& r) {
                         const double value = get(kernel_share(r));
                         return std::isnan(value) ? std::string() : csv_number(value);
                       }});
  };
  add_share("kernel_work_s", [](const KernelShare& share) { return share.work_s; });
  add_share("kernel_ratio", [](const KernelShare& share) { return share.ratio; });
}

/// Facts that a problem that could not be built does not have stay empty.
template <typename Get>
void add_fact(std::vector<Column>& columns, const std::string& name, Get get) {
  columns.push_back({name, [get](const Cell&, const CellRecord& record) {
                       return record.problem ? fmt::format("{}", get(*record.problem)) : std::string();
                     }});
}

std::vector<Column> summary_columns() {
  std::vector<Column> columns;
  add_text(columns, "problem", [](const Cell& c, const CellRecord&) { return c.problem; });
  add_text(columns, "model", [](const Cell& c, const CellRecord&) { return model_name(c.model); });
  add_text(columns, "label", [](const Cell& c, const CellRecord&) { return c.label; });
  add_text(columns, "solver", [](const Cell& c, const CellRecord&) { return c.solver->solver; });
  add_text(columns, "hash", [](const Cell& c, const CellRecord&) { return c.hash; });
  add_text(columns, "status", [](const Cell&, const CellRecord& r) { return status_name(r.status); });
  add_text(columns, "reason", [](const Cell&, const CellRecord& r) { return r.reason; });
  add_integer(columns, "iterations", [](const CellRecord& r) { return r.iterations; });
  add_integer(columns, "native_converged", [](const CellRecord& r) { return r.native_converged ? 1 : 0; });
  for (const Measure measure : all_measures())
    add_number(columns, std::string(measure_info(measure).name),
               [measure](const CellRecord& r) { return r.measures[measure_index(measure)]; });
  add_integer(columns, "factorizations", [](const CellRecord& r) { return r.counters.factorizations; });
  add_integer(columns, "back_solves", [](const CellRecord& r) { return r.counters.back_solves; });
  add_integer(columns, "products", [](const CellRecord& r) { return r.counters.products; });
  add_integer(columns, "projections", [](const CellRecord& r) { return r.counters.projections; });
  add_integer(columns, "analyses", [](const CellRecord& r) { return r.counters.analyses; });
  add_number(columns, "analysis_s", [](const CellRecord& r) { return r.counters.analysis_s; });
  add_number(columns, "factorization_s", [](const CellRecord& r) { return r.counters.factorization_s; });
  add_number(columns, "back_solve_s", [](const CellRecord& r) { return r.counters.back_solve_s; });
  add_number(columns, "linear_solver_s", [](const CellRecord& r) {
    return r.counters.analysis_s + r.counters.factorization_s + r.counters.back_solve_s;
  });
  add_number(columns, "setup_s", [](const CellRecord& r) { return r.setup_s; });
  add_number(columns, "solve_s", [](const CellRecord& r) { return r.solve_s; });
  add_number(columns, "solve_s_min", [](const CellRecord& r) { return solve_spread(r).least_s; });
  add_number(columns, "solve_s_max", [](const CellRecord& r) { return solve_spread(r).largest_s; });
  add_integer(columns, "repeats", [](const CellRecord& r) { return solve_spread(r).runs; });
  add_integer(columns, "timing_pass", [](const CellRecord& r) { return r.runs.empty() ? 1 : r.runs.back().pass; });
  add_number(columns, "wall_s", [](const CellRecord& r) { return r.wall_s; });
  add_kernels(columns);
  add_crossings(columns);
  add_fact(columns, "contacts", [](const ProblemFacts& f) { return f.contacts; });
  add_fact(columns, "rows", [](const ProblemFacts& f) { return f.rows; });
  add_fact(columns, "symmetry_defect", [](const ProblemFacts& f) { return csv_number(f.symmetry_defect); });
  add_number(columns, "peak_memory_mb", [](const CellRecord& r) { return r.peak_memory_mb; });
  return columns;
}

std::optional<std::string> read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

std::optional<CellRecord> read_record(const fs::path& folder, const Cell& cell) {
  const auto text = read_text(folder / "cells" / cell.hash / "cell.json");
  if (!text) return std::nullopt;
  auto record = record_from_json(*text);
  if (record && record->hash != cell.hash) return std::nullopt;
  return record;
}

}  // namespace

ResultStore::ResultStore(const std::string& out, const std::string& name) : folder_(fs::path(out) / name) {
  std::error_code error;
  fs::create_directories(folder_ / "cells", error);
  if (error) throw InputError((folder_ / "cells").string(), "", fmt::format("cannot be created ({})", error.message()));
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

void ResultStore::prepare(const Cell& cell) const {
  discard(cell);
  std::error_code error;
  fs::create_directories(cell_folder(cell), error);
  if (error) throw InputError(cell_folder(cell).string(), "", fmt::format("cannot be created ({})", error.message()));
}

void ResultStore::discard(const Cell& cell) const {
  std::error_code error;
  fs::remove_all(cell_folder(cell), error);
  if (error) throw InputError(cell_folder(cell).string(), "", fmt::format("cannot be removed ({})", error.message()));
}

void ResultStore::store(const Cell& cell, const CellRecord& record) const {
  write_file_atomically(cell_folder(cell) / "cell.json", record_to_json(cell, record));
}

void ResultStore::write_summary(const Plan& plan) const {
  const std::vector<Column> columns = summary_columns();
  write_file_in_pieces(folder_ / "summary.csv", [&](const auto& put) {
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

void ResultStore::write_manifest(const std::string& json) const { write_file_atomically(folder_ / "manifest.json", json); }

}  // namespace ccp
