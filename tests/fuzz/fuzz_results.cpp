// A folder of results and a baseline, as `compare`, `claims` and `profile` read them. The input holds its files one after the other, each
// after a line "--- NAME".
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "bench/analysis/baseline.hpp"
#include "bench/analysis/cell_inputs.hpp"
#include "bench/analysis/claims.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/record_json.hpp"
#include "bench/results/steps_csv.hpp"
#include "fuzz/fuzz_target.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* hash = "0123456789abcdef";
/// What may be in the folder; 0123456789abcdef is its cell.
constexpr std::array names = {"manifest.json", "summary.csv", "cells/0123456789abcdef/cell.json", "cells/0123456789abcdef/trace.csv",
                              "cells/0123456789abcdef/steps.csv", "baseline/baseline.json", "baseline/inputs.json", "baseline/ADMM.csv"};

fs::path folder_of_results() {
  fs::path folder = ccp::testing::make_folder();
  fs::create_directories(folder / "cells" / hash);
  fs::create_directories(folder / "baseline");
  return folder;
}

std::map<std::string, std::string> parts_of(const std::string& text) {
  std::map<std::string, std::string> parts;
  std::string name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.rfind("--- ", 0) == 0)
      name = line.substr(4, line.size() - 4 - (line.back() == '\n' ? 1 : 0));
    else
      parts[name] += line;
    at = end;
  }
  return parts;
}

/// So that readers look further.
std::string with_checksum_of_cell(const std::string& text) {
  const ccp::Json cell = ccp::try_parse_json(text);
  return cell.is_object() ? ccp::with_checksum(cell) : text;
}

ccp::Catalog own_catalog() { return {ccp::scene_registry(), ccp::solver_names(), ccp::make_solver}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ccp::Catalog catalog = own_catalog();
  static const fs::path folder = folder_of_results();
  const auto parts = parts_of(ccp::testing::text_of(data, size));
  for (const char* name : names) {
    const auto found = parts.find(name);
    if (found == parts.end())
      fs::remove(folder / name);
    else
      std::ofstream(folder / name, std::ios::binary | std::ios::trunc)
          << (name == names[2] ? with_checksum_of_cell(found->second) : found->second);
  }
  using ccp::testing::accepts;
  if (const auto cell = parts.find(names[2]); cell != parts.end()) accepts([&] { ccp::record_from_json(cell->second); });
  accepts([&] { ccp::read_steps(folder / names[4]); });
  accepts([&] {
    const ccp::ResultTable results(folder, catalog);
    accepts([&] { ccp::judge_claims(results); });
    accepts([&] { ccp::InputTable inputs(results); });
    accepts([&] { ccp::compare_with_baseline(results, folder / "baseline"); });
    accepts([&] { ccp::compare_results(results, results); });
  });
  accepts([&] { ccp::InputTable::read(folder / "baseline"); });
  return 0;
}
