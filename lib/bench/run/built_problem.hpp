#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/attempt.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/judge.hpp"
#include "problem/scene_in_parts.hpp"

namespace ccp {

/// Most contacts of a problem that ccpbench builds to judge what ranks return that make their parts of it: more take
/// some 2.6 kB each.
constexpr Index most_judged_here = 200000;

/// The problem of a group of cells, built once by the parent, with a judge per model. A problem that cannot be built gives
/// its cells a status instead: failed (broken file, failed scene), out_of_memory.
///
/// Of a large problem whose parts ranks make and judge there is only an outline: problem() is without_blocks().
class BuiltProblem {
 public:
  /// Builds or reads the problem of the cell; never throws for what is wrong with it.
  BuiltProblem(const Cell& cell, const Catalog& catalog);
  /// A problem known to have this defect.
  explicit BuiltProblem(Defect defect) : defect_(std::move(defect)) {}

  /// Of all its cells when there is no problem.
  const std::optional<Defect>& defect() const { return defect_; }
  /// Only without a defect.
  const ContactProblem& problem() const { return *problem_; }
  /// The same without its perturbation; only without a defect.
  const ContactProblem& unperturbed() const { return *unperturbed_; }
  const ProblemFacts& facts() const { return facts_; }
  /// Whether ranks judge the points that they return, because there is only an outline.
  bool ranks_judge() const { return ranks_judge_; }
  /// Whether what was built is what the cell needs, which has the same problem as the cell that it was built for.
  bool serves(const Cell& cell) const { return defect_ || ranks_judge_ == (large_ && ranks_can_judge(cell)); }
  /// What ranks make the parts of problem() of; nothing where they cannot.
  const std::optional<SceneOrigin>& origin() const { return origin_; }

  /// The judge of a model, made on first use; nothing, with defect() set, when it cannot be made.
  Judge* judge(Model model);

  /// Times of the kernels, where they are measured.
  const std::optional<KernelTimes>& kernels() const { return kernels_; }
  void set_kernels(std::optional<KernelTimes> times) { kernels_ = times; }

 private:
  /// What the action throws becomes the defect.
  void try_building(const std::function<void()>& action);
  void build(const Cell& cell, const Catalog& catalog);
  void build_scene(const Cell& cell, const Catalog& catalog);
  static bool ranks_can_judge(const Cell& cell);

  std::optional<ContactProblem> problem_, unperturbed_;
  std::optional<SceneOrigin> origin_;
  ProblemFacts facts_;
  bool large_ = false, ranks_judge_ = false;
  std::map<Model, std::unique_ptr<Judge>> judges_;
  std::optional<Defect> defect_;
  std::optional<KernelTimes> kernels_;
};

}  // namespace ccp
