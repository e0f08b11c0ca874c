#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "bench/record/csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "core/error.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

TraceRow example_row(const std::vector<double>& native) {
  TraceRow row;
  row.iteration = 7;
  row.outer = 2;
  row.elapsed_s = 0.1;
  row.counters = {1, 20, 300, 4000000000};
  row.measures.fill(std::numeric_limits<double>::quiet_NaN());
  row.measures[measure_index(Measure::objective)] = -1.0 / 3.0;
  row.native = &native;
  row.native_converged = true;
  return row;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

TEST_CASE("csv fields are quoted only where they have to be") {
  CHECK(csv_field("") == "");
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_field("two\rlines") == "\"two\rlines\"");
}

TEST_CASE("texts that a spreadsheet would take for formulas are marked as texts, and come back") {
  for (const std::string text : {"=1+1", "+a", "-a", "@sum", "\t=1", "'=1", "''-x", "-", "+.", "'-1", "-1-1", "-nan(1)"})
    CHECK(csv_field(text) == "'" + text);
  CHECK(csv_field("=\"x\",1") == "\"'=\"\"x\"\",1\"");
  CHECK(csv_field("\r=1") == "\"'\r=1\"");
  for (const std::string text : {"-1", "+2.5e-3", "-.5", "-inf", "1e-8", "a=1", "'quoted'", "", "'", "µ=0"})
    CHECK(csv_field(text) == text);
  for (const std::string text : {"=a,b", "=\"x\"", "=1+1", "+a", "-a", "@sum", "\t=1", "\n=1", "'=1", "''-x", "''", "-",
                                 "'-1", "-1", "-inf", "'quoted'"}) {
    CAPTURE(text);
    CHECK(parse_csv("a,b\n" + csv_field(text) + "," + csv_field(text) + "\n", "t.csv").rows.at(0) ==
          std::vector{text, text});
  }
}

TEST_CASE("csv numbers read back as the same double") {
  for (const double value : {0.0, 0.1, -1.0 / 3.0, 5e-324, 1.7976931348623157e308, 1e22})
    CHECK(std::strtod(csv_number(value).c_str(), nullptr) == value);
  CHECK(csv_number(0.5) == "0.5");
  CHECK(csv_number(0.1) == "0.10000000000000001");
  CHECK(csv_number(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(csv_number(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(csv_number(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("a trace has one header and one line a row, in the same columns") {
  const TemporaryFolder folder;
  TraceCsv trace(folder / "trace.csv");
  trace.begin({Measure::relative_residual, Measure::objective}, {{"rho", "kg", "penalty"}, {"r,p", "", "odd name"}});
  const std::vector<double> native = {0.25, -std::numeric_limits<double>::infinity()};
  trace.row(example_row(native));
  trace.row(example_row(native));
  trace.close();
  const std::string line = "7,2,0.10000000000000001,1,20,300,4000000000,nan,-0.33333333333333331,0.25,-inf,1\n";
  CHECK(read_text(folder / "trace.csv") ==
        "iteration,outer,elapsed_s,factorizations,back_solves,products,projections,relative_residual,objective,rho,\"r,p\","
        "native_converged\n" +
            line + line);
}

TEST_CASE("a trace of many rows is complete after close") {
  const TemporaryFolder folder;
  TraceCsv trace(folder / "trace.csv");
  trace.begin(all_measures(), {});
  const std::vector<double> none;
  TraceRow row = example_row(none);
  for (row.iteration = 0; row.iteration < 5000; ++row.iteration) trace.row(row);
  trace.close();
  trace.close();
  std::istringstream stream(read_text(folder / "trace.csv"));
  std::string line;
  std::getline(stream, line);
  CHECK(split(line).size() == 8 + measure_count);
  int count = 0;
  while (std::getline(stream, line)) {
    const auto fields = split(line);
    if (fields.size() != 8 + measure_count || fields[0] != std::to_string(count)) FAIL("row " << count << ": " << line);
    ++count;
  }
  CHECK(count == 5000);
}

TEST_CASE("a trace that cannot be written is an InputError") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(TraceCsv(folder / "no" / "trace.csv"), InputError);
  CHECK_THROWS_AS(TraceCsv(folder.path()), InputError);
  if (std::filesystem::exists("/dev/full")) {
    TraceCsv full("/dev/full");
    full.begin({Measure::objective}, {});
    CHECK_THROWS_WITH(full.close(), "/dev/full: cannot be written (No space left on device)");
  }
}

TEST_CASE("misuse of a trace is a programmer's error") {
  const TemporaryFolder folder;
  TraceCsv trace(folder / "trace.csv");
  CHECK_THROWS_AS(trace.row(TraceRow{}), std::logic_error);
  CHECK_THROWS_AS(trace.begin({}, {{"merit", "", "has the name of a measure"}}), std::logic_error);
  trace.begin({}, {});
  CHECK_THROWS_AS(trace.begin({}, {}), std::logic_error);
  TraceCsv twice(folder / "twice.csv");
  CHECK_THROWS_AS(twice.begin({}, {{"outer", "", "taken"}}), std::logic_error);
}

TEST_CASE("CSV: a record is refused where it can be none of its table, however long it is") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(parse_csv(text, "t.csv"), "t.csv: " + message);
  };
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "1,";
  refused("a,b,c\n1,2,3\n" + many, "record 3: has more fields, expected 3");
  refused("a,b,c\n1,2\n", "record 2: has 2 fields, expected 3");
  refused("a,b\n1\n", "record 2: has 1 field, expected 2");
  refused("a,b\n1," + std::string(1048577, 'x') + "\n", "record 2: has a field of more than 1048576 bytes");
  refused("a,b\n\"" + std::string(1048577, '\n'), "record 2: has a field of more than 1048576 bytes");
  std::string header;
  for (int i = 0; i < 10001; ++i) header += "a,";
  refused(header, "record 1: has more fields, expected at most 10000");
  refused("", "is empty, expected a header line");
  const CsvTable table = parse_csv("a,b\r\n\"x \"\"y\"\", z\n\",\"\"\n1,2", "t.csv");
  CHECK(table.columns == std::vector<std::string>{"a", "b"});
  CHECK(table.rows == std::vector<std::vector<std::string>>{{"x \"y\", z\n", ""}, {"1", "2"}});
}
