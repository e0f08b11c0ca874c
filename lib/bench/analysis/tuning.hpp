#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.hpp"

/// The search for settings of a method: candidates of a Latin hypercube (McKay, Beckman, Conover 1979), halved in rounds
/// (Jamieson, Talwalkar 2016; by three, as Li et al. 2018). What it decides depends on a seed and on counts alone.
namespace ccp {

/// A setting and the values it may take.
struct SearchAxis {
  std::string name;
  FieldType type = FieldType::real;
  double low = 0.0, high = 0.0;      ///< numbers: both included
  bool logarithmic = false;          ///< numbers: even over decades
  std::vector<std::string> choices;  ///< of a choice; a flag has false and true

  /// The value at a place in [0, 1): of reals with three digits.
  FieldValue at(double place) const;
  /// "1e-05 to 1000, over decades", "a, b".
  std::string text() const;
};

/// The axis of a setting. range: "LOW:HIGH", of a choice or a flag "a|b"; empty: as the setting declares it. An end that it
/// leaves open is 10⁴ times from the default (100 times for whole numbers). Positive numbers over a decade and more are
/// searched by their logarithm. Throws InputError for a setting of another type, a range that it does not take, and one
/// that it does not declare.
SearchAxis search_axis(const Field& field, const std::string& range);

/// One candidate: a value for each axis.
using Candidate = std::vector<FieldValue>;

/// So many candidates, less those that are there twice. Each axis is cut into `count` parts, and each part has one.
std::vector<Candidate> latin_candidates(const std::vector<SearchAxis>& axes, std::size_t count, std::uint64_t seed);

/// Indices of problems: those to search on, in the order in which rounds take them, and those to judge by.
struct ProblemSplit {
  std::vector<std::size_t> training, held_out;
};

/// At least one on each side; count: at least 2.
ProblemSplit split_problems(std::size_t count, double held_out_share, std::uint64_t seed);

/// A round tries the best `candidates` on the first `problems` of the training.
struct HalvingRound {
  std::size_t candidates = 0, problems = 0;
};

/// A third of the candidates goes on to three times the problems, until all problems are there.
std::vector<HalvingRound> halving_rounds(std::size_t candidates, std::size_t problems);

/// The cost of one candidate on one problem.
struct Trial {
  bool solved = false;
  double cost = 0.0;
};

/// How a candidate did on the problems of a round.
struct TrialScore {
  std::size_t solved = 0;
  double cost = 0.0;  ///< geometric mean over the problems that some candidate solves, NaN without one; what is left
                      ///< unsolved counts ten times its dearest solution

  /// Cheaper; of those that cost as much, the one that solves more.
  bool better_than(const TrialScore& other) const { return cost != other.cost ? cost < other.cost : solved > other.solved; }
};

/// trials[candidate][problem]. A cost of 0 counts as 1.
std::vector<TrialScore> trial_scores(const std::vector<std::vector<Trial>>& trials);

/// The indices of the scores, the best first; of equals the earlier one.
std::vector<std::size_t> best_first(const std::vector<TrialScore>& scores);

}  // namespace ccp
