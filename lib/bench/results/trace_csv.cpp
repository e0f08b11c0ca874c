#include "bench/results/trace_csv.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "core/error.hpp"
#include "io/csv.hpp"

namespace ccp {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;
constexpr std::size_t lines_flushed_each = 250;
constexpr std::chrono::milliseconds longest_unflushed{5};

InputError cannot_write(const std::filesystem::path& path, int error) {
  return {path.string(), "", fmt::format("cannot be written ({})", std::strerror(error))};
}

void append_real(double value, std::string& line) {
  if (std::isnan(value))
    line += "nan";  // without the sign a NaN may carry
  else
    fmt::format_to(std::back_inserter(line), "{:.17g}", value);
}

template <typename Get>
auto integer_column(Get get) {
  return [get](const TraceRow& row, std::string& line) { fmt::format_to(std::back_inserter(line), "{}", get(row)); };
}

template <typename Get>
auto real_column(Get get) {
  return [get](const TraceRow& row, std::string& line) { append_real(get(row), line); };
}

}  // namespace

TraceCsv::TraceCsv(std::filesystem::path path) : path_(std::move(path)), stream_(std::fopen(path_.c_str(), "wbe")) {
  if (!stream_) throw cannot_write(path_, errno);
  std::setvbuf(stream_.get(), nullptr, _IOFBF, buffer_size);
}

void TraceCsv::add_columns(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) {
  columns_ = {
      {"iteration", integer_column([](const TraceRow& row) { return row.iteration; })},
      {"outer", integer_column([](const TraceRow& row) { return row.outer; })},
      {"elapsed_s", real_column([](const TraceRow& row) { return row.elapsed_s; })},
      {"factorizations", integer_column([](const TraceRow& row) { return row.counters.factorizations; })},
      {"back_solves", integer_column([](const TraceRow& row) { return row.counters.back_solves; })},
      {"products", integer_column([](const TraceRow& row) { return row.counters.products; })},
      {"projections", integer_column([](const TraceRow& row) { return row.counters.projections; })},
  };
  for (const Measure measure : measures)
    columns_.push_back({std::string(measure_info(measure).name),
                        real_column([measure](const TraceRow& row) { return row.measures[measure_index(measure)]; })});
  for (std::size_t i = 0; i < native.size(); ++i)
    columns_.push_back({native[i].name, real_column([i](const TraceRow& row) { return row.native->at(i); })});
  columns_.push_back({"native_converged", integer_column([](const TraceRow& row) { return row.native_converged ? 1 : 0; })});
}

void TraceCsv::begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) {
  if (!columns_.empty()) throw std::logic_error("TraceCsv::begin called twice");
  for (const NativeColumn& column : native)
    if (measure_from_name(column.name))
      throw std::logic_error("native column '" + column.name + "' has the name of a measure");
  add_columns(measures, native);
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
  for (const Column& column : columns_) {
    if (!first) line_ += ',';
    first = false;
    column.append(row, line_);
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

}  // namespace ccp
