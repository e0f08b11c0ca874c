#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "distributed/stream.hpp"
#include "problem/contact_problem.hpp"
#include "problem/model.hpp"
#include "problem/scene_in_parts.hpp"
#include "solvers/run_monitor.hpp"
#include "solvers/solver.hpp"

/// What ccpbench and the first rank of ccpbench-ranks say to each other.
namespace ccp {

/// What the ranks are to do.
struct RankJob {
  int ranks = 1;
  SceneOrigin origin;  ///< what each rank makes its part of; an empty scene: the whole problem follows
  std::string solver;  ///< rank_solver()
  std::vector<std::pair<std::string, FieldValue>> settings;
  Model model = Model::ccp;
  StopRule stop;
  int threads = 1;  ///< of a rank
  std::vector<Measure> trace;
  bool judges_end = false;  ///< whether the ranks judge the returned point
};
void put(Packer& packer, const RankJob& job);
void take(Unpacker& unpacker, RankJob& job);

/// A whole problem in global form, and where its run starts. Vectors in its own order.
struct RankProblem {
  ConstraintSet constraints;
  GlobalForm form;
};
void put(Packer& packer, const ConstraintSet& constraints, const GlobalForm& form);
void take(Unpacker& unpacker, RankProblem& problem);

/// What a rank sends next.
enum class RankFrame : char {
  ready = 'R',   ///< the longest set-up of a rank, s
  row = 'T',     ///< put(Packer&, const TraceRow&)
  end = 'E',     ///< RankEnd
  memory = 'M',  ///< the first rank ran out of it; the ranks end
  failure = 'F'  ///< a text; the ranks end
};

void put(Packer& packer, const TraceRow& row);
/// native: filled with what the row points to.
void take(Unpacker& unpacker, TraceRow& row, std::vector<double>& native);

struct RankEnd {
  std::optional<Status> verdict, given_up;
  std::string reason;
  double carried = 0.0, elapsed_s = 0.0;
  int iteration = 0;  ///< the last one, which may have no row
  Counters counters;
  Crossings crossings;
  RankFacts facts;
  EndJudgement judgement;  ///< where they judge the returned point
  Vector impulse;
};
void put(Packer& packer, const RankEnd& end);
void take(Unpacker& unpacker, RankEnd& end);

/// Why a method does not run on ranks, in one line; nothing for one that does.
std::optional<std::string> rank_solver_defect(const std::string& name);
/// Why it does not run there with these settings, or on this problem.
std::optional<std::string> rank_settings_defect(const FieldTable& settings);
std::optional<std::string> rank_problem_defect(const std::string& name, const ContactProblem& problem);
/// Most contacts of a problem that the first rank takes as a whole.
constexpr Index most_handed_over = 1000000;
/// Why it does not take so many.
std::optional<std::string> hand_over_defect(Index contacts);
/// Measures of the returned point that ranks find: those of u and γ.
std::vector<Measure> shared_end_measures();
/// What it takes there, or why it does not run, in one line.
std::string rank_method_text(const std::string& name);
/// Whether a method that does needs H, D and k beside products with N.
bool rank_method_needs_matrices(const std::string& name, const std::vector<std::pair<std::string, FieldValue>>& settings);
/// Makes one that does.
std::unique_ptr<Solver> make_rank_solver(const std::string& name);

}  // namespace ccp
