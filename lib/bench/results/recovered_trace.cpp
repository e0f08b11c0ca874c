#include "bench/results/recovered_trace.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/results/csv_table.hpp"
#include "core/error.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* trace_name = "trace.csv";

void take_row(const CsvTable& trace, std::size_t row, const Cell& cell, CellRecord& record) {
  record.iterations = static_cast<int>(trace.number(row, "iteration"));
  record.native_converged = trace.number(row, "native_converged") == 1.0;
  const auto count = [&](const char* name) { return static_cast<std::int64_t>(trace.number(row, name)); };
  record.counters.factorizations = count("factorizations");
  record.counters.back_solves = count("back_solves");
  record.counters.products = count("products");
  record.counters.projections = count("projections");
  for (const Measure measure : all_measures())
    record.measures[measure_index(measure)] = trace.number(row, std::string(measure_info(measure).name));
  const double value = record.measures[measure_index(cell.stop.measure)];
  for (int decade = first_decade; decade <= last_decade; ++decade) {
    Crossing& crossing = record.crossings[static_cast<std::size_t>(decade - first_decade)];
    if (crossing.iteration < 0 && value <= std::pow(10.0, -decade))
      crossing = {record.iterations, trace.number(row, "elapsed_s")};
  }
}

}  // namespace

bool keep_whole_rows(const fs::path& folder) {
  const fs::path part = folder / unfinished_trace_name;
  std::error_code error;
  if (!fs::is_regular_file(part, error)) return false;
  std::size_t whole = 0, lines = 0;
  {
    std::ifstream stream(part, std::ios::binary);
    for (std::string line; std::getline(stream, line) && !stream.eof(); ++lines) whole += line.size() + 1;
  }
  if (lines >= 2) {  // a header and a row
    fs::resize_file(part, whole, error);
    if (!error) fs::rename(part, folder / trace_name, error);
    if (!error) return true;
  }
  fs::remove(part, error);
  return false;
}

void recover_trace(const fs::path& folder, const Cell& cell, CellRecord& record) {
  record.partial_trace = keep_whole_rows(folder);
  if (!record.partial_trace) return;
  try {
    const CsvTable trace = read_csv(folder / trace_name);
    for (std::size_t row = 0; row < trace.rows.size(); ++row) take_row(trace, row, cell, record);
  } catch (const InputError&) {
    // a worker that has written nonsense into its trace leaves none
    std::error_code ignored;
    fs::remove(folder / trace_name, ignored);
    record.partial_trace = false;
  }
}

}  // namespace ccp
