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

/// What every solver needs for every problem to come to one accuracy, over the problems that were given to all solvers.
struct CostTable {
  double at = 0.0;
  std::vector<std::string> labels;
  std::vector<std::string> problems;  ///< "config/problem/model"
  std::vector<double> contacts;       ///< of each problem
  /// [label][problem]; +infinity: never. NaN: not asked of this solver, which does not support the problem or does not count
  /// this cost; it is in none of the solver's denominators.
  std::vector<std::vector<double>> costs;
  /// The largest cost of any solver to the tightest accuracy that it comes to, whatever `at` is; 0 where there is none.
  double dearest = 0.0;
  /// Problems that are not in the table: a problem that could not be read or built, one that some solvers were not run on,
  /// and one that no solver supports or counts this cost on. Each counts once, as the first of these.
  std::size_t unreadable = 0, not_given_to_all = 0, taken_by_none = 0;

  std::size_t taken(std::size_t label) const;  ///< number of problems that are asked of a solver
};

/// Fractions of problems with a 95 % band (NaN below least_problems_for_bands), on a grid of ratios or budgets.
struct ProfileCurve {
  std::string label;
  std::vector<double> x, fraction, low, high;
  std::size_t problems = 0;  ///< that are asked of the solver
};

struct ShiftedMean {
  std::string label;
  std::size_t solved = 0, problems = 0;  ///< of those asked of it
  double mean = 0.0;                     ///< NaN when it solves nothing, or nothing is asked of it
  double low = 0.0, high = 0.0;          ///< of the 95 % band; NaN also below least_problems_for_bands
};

/// Iterations of a peer that are restarts, and operations that peers do not count, are no costs: absent, not zero or
/// unsolved. Throws InputError when no problem was given to all solvers, or no cell can tell the cost at this accuracy.
CostTable cost_table(const std::vector<ResultTable>& results, double at, const ProfileOptions& options);

/// The tightest accuracy that the runs of all results were asked for, the tolerance of their configs. Who comes beyond it does
/// so by chance.
double tightest_accuracy(const std::vector<ResultTable>& results);
/// 1e-4, 1e-8 and 1e-12, without those that nobody was asked for; where that leaves none, the decade that they were asked
/// for.
std::vector<double> usual_accuracies(const std::vector<ResultTable>& results);

/// Smallest cost that counts: without it clock ticks and iteration 0 would cost nothing, and ratios to them be infinite.
double cost_resolution(const std::string& by);
double default_shift(const std::string& by);

/// One curve for each solver of which a problem is asked.
std::vector<ProfileCurve> performance_profile(const CostTable& table, const ProfileOptions& options);
std::vector<ProfileCurve> data_profile(const CostTable& table, const ProfileOptions& options);
/// An unsolved problem counts as ten times the dearest cost of the table (L.4): the same number at each accuracy, so that
/// the mean of a solver never falls when more is asked.
std::vector<ShiftedMean> shifted_means(const CostTable& table, const ProfileOptions& options);

}  // namespace ccp
