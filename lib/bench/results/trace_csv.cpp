#include "bench/results/trace_csv.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "bench/record/cell_record.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* trace_name = "trace.csv";
constexpr std::size_t buffer_size = std::size_t{1} << 18;
constexpr std::size_t lines_flushed_each = 250;
constexpr std::chrono::milliseconds longest_unflushed{5};

void append_number(const TraceColumn& column, const TraceRow& row, std::string& line) {
  const double value = column.value(row);
  if (column.whole)
    fmt::format_to(std::back_inserter(line), "{}", static_cast<std::int64_t>(value));
  else if (std::isnan(value))
    line += "nan";  // without the sign a NaN may carry
  else
    fmt::format_to(std::back_inserter(line), "{:.17g}", value);
}

void take_row(const CsvTable& trace, std::size_t row, const Cell& cell, CellRecord& record) {
  record.iterations = static_cast<int>(trace.number(row, "iteration"));
  record.native_converged = trace.number(row, "native_converged") == 1.0;
  for (const auto& [name, meaning, counter] : traced_counters)
    record.counters.*counter = static_cast<std::int64_t>(trace.number(row, name));
  record.counters.flops = unknown_number;
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

std::vector<TraceColumn> trace_columns(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) {
  std::vector<TraceColumn> columns = {
      {"iteration", true, [](const TraceRow& row) { return static_cast<double>(row.iteration); }},
      {"outer", true, [](const TraceRow& row) { return static_cast<double>(row.outer); }},
      {"elapsed_s", false, [](const TraceRow& row) { return row.elapsed_s; }}};
  for (const auto& [name, meaning, counter] : traced_counters)
    columns.push_back(
        {name, true, [counter = counter](const TraceRow& row) { return static_cast<double>(row.counters.*counter); }});
  for (const Measure measure : measures)
    columns.push_back({std::string(measure_info(measure).name), false,
                       [i = measure_index(measure)](const TraceRow& row) { return row.measures[i]; }});
  for (std::size_t i = 0; i < native.size(); ++i)
    columns.push_back({native[i].name, false, [i](const TraceRow& row) { return row.native->at(i); }});
  columns.push_back({"native_converged", true, [](const TraceRow& row) { return row.native_converged ? 1.0 : 0.0; }});
  return columns;
}

TraceCsv::TraceCsv(std::filesystem::path path) : TraceCsv(path, FileStream(std::fopen(path.c_str(), "wbe"))) {}

TraceCsv::TraceCsv(std::filesystem::path name, FileStream stream) : path_(std::move(name)), stream_(std::move(stream)) {
  if (!stream_) throw cannot_write(path_, errno);
  std::setvbuf(stream_.get(), nullptr, _IOFBF, buffer_size);
}

void TraceCsv::begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) {
  if (!columns_.empty()) throw std::logic_error("TraceCsv::begin called twice");
  for (const NativeColumn& column : native)
    if (measure_from_name(column.name))
      throw std::logic_error("native column '" + column.name + "' has the name of a measure");
  columns_ = trace_columns(measures, native);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (columns_[j].name == columns_[i].name)
        throw std::logic_error("two trace columns are named '" + columns_[i].name + "'");
    if (i > 0) line_ += ',';
    line_ += csv_field(columns_[i].name);
  }
  write_line();
}

void TraceCsv::row(const TraceRow& row) {
  if (columns_.empty()) throw std::logic_error("TraceCsv::row called before begin");
  bool first = true;
  for (const TraceColumn& column : columns_) {
    if (!first) line_ += ',';
    first = false;
    append_number(column, row, line_);
  }
  write_line();
}

void TraceCsv::write_line() {
  line_ += '\n';
  // A failed write stays a failure of the whole trace; the run itself goes on.
  if (!stream_ || std::fwrite(line_.data(), 1, line_.size(), stream_.get()) != line_.size())
    if (error_ == 0) error_ = stream_ ? errno : EBADF;
  line_.clear();
  flush_now_and_then();
}

// A process that is killed must not take its curve with it. A write for every row would cost a microsecond each and disturb
// the caches of very short iterations.
void TraceCsv::flush_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (++lines_ > lines_flushed_each && now - flushed_ < longest_unflushed) return;
  flushed_ = now;
  if (stream_ && std::fflush(stream_.get()) != 0 && error_ == 0) error_ = errno;
}

void TraceCsv::close() {
  if (stream_ && std::fclose(stream_.release()) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) throw cannot_write(path_, error_);
}

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
