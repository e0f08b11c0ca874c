#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"

/// How solvers compare over many problems: performance profiles, data profiles and shifted geometric means (L.1-L.4).
namespace ccp {

struct ProfileOptions {
  std::string by = "time";     ///< time, iterations, products, back_solves, factorizations
  std::string measure;         ///< empty: the stop measure of each config, in decades; else read from the traces
  std::optional<Model> model;  ///< only its cells; else both models of a problem count as two
  double shift = 0.0;          ///< of the geometric mean; 0: 0.01 s for times, 10 for counts
  int draws = 1000;            ///< of the bootstrap
  std::uint64_t seed = 1;
};

/// Problems below which there are no bands: redrawing two or three of them says nothing about others.
inline constexpr std::size_t least_problems_for_bands = 5;

/// What every solver needs for every problem to come to one accuracy.
struct CostTable {
  double at = 0.0;
  std::vector<std::string> labels;
  std::vector<std::string> problems;       ///< "config/problem/model"
  std::vector<double> contacts;            ///< of each problem
  std::vector<std::vector<double>> costs;  ///< [label][problem]; +infinity: never, or not run
};

/// Fractions of problems with a 95 % band (NaN below least_problems_for_bands), on a grid of ratios or budgets.
struct ProfileCurve {
  std::string label;
  std::vector<double> x, fraction, low, high;
};

struct ShiftedMean {
  std::string label;
  std::size_t solved = 0;
  double mean = 0.0;             ///< NaN when no solver solves anything
  double low = 0.0, high = 0.0;  ///< of the 95 % band; NaN also below least_problems_for_bands
};

/// Throws InputError when no cell can tell the cost at this accuracy.
CostTable cost_table(const std::vector<ResultTable>& results, double at, const ProfileOptions& options);

/// Smallest cost that counts: without it clock ticks and iteration 0 would cost nothing, and ratios to them be infinite.
double cost_resolution(const std::string& by);
double default_shift(const std::string& by);

std::vector<ProfileCurve> performance_profile(const CostTable& table, const ProfileOptions& options);
std::vector<ProfileCurve> data_profile(const CostTable& table, const ProfileOptions& options);
std::vector<ShiftedMean> shifted_means(const CostTable& table, const ProfileOptions& options);

}  // namespace ccp
