#include "bench/run/built_problem.hpp"

#include "distributed/ranks_solver.hpp"
#include "io/fclib_reader.hpp"

namespace ccp {

BuiltProblem::BuiltProblem(const Cell& cell, const Catalog& catalog) {
  try_building([&] { build(cell, catalog); });
}

void BuiltProblem::try_building(const std::function<void()>& action) {
  auto defect = attempt(action);
  if (!defect) return;
  defect->reason = "the problem cannot be built: " + defect->reason;
  defect->io_failure = false;  // files are read here
  defect_ = std::move(defect);
}

void BuiltProblem::build(const Cell& cell, const Catalog& catalog) {
  if (cell.file.empty())
    build_scene(cell, catalog);
  else
    unperturbed_ = read_fclib(cell.file).problem;
  problem_ = perturbed(*unperturbed_, cell.spec->perturbation);
  if (ranks_judge_) return;
  const ContactProblem& p = *problem_;
  facts_ = {p.name(), p.constraints().contacts(), p.rows(), p.dofs(), p.symmetry_defect()};
  large_ = origin_ && facts_.contacts > most_judged_here && p.symmetric_mass() && !p.constraints().has_moments();
}

void BuiltProblem::build_scene(const Cell& cell, const Catalog& catalog) {
  const auto scene = catalog.scenes.make(cell.spec->scene);
  for (const auto& [name, value] : cell.spec->parameters) scene->parameters().set(name, value);
  if (cell.spec->perturbation == Perturbation{.seed = cell.spec->perturbation.seed})
    origin_ = origin_of(*scene, cell.spec->seed);
  if (origin_ && ranks_can_judge(cell)) {
    const ProblemOutline outline = parts_of(*origin_, catalog.scenes)->outline();
    large_ = ranks_judge_ =
        outline.contacts > most_judged_here && outline.symmetric && !outline.moments && !outline.compliant;
    facts_ = {scene->info().name, outline.contacts, outline.first_row.back(), outline.bodies.start.back(), 0.0};
  }
  unperturbed_ = ranks_judge_ ? without_blocks(scene->info().name) : scene->build(cell.spec->seed);
}

bool BuiltProblem::ranks_can_judge(const Cell& cell) {
  const Measure stop = cell.stop.measure;
  return cell.ranks > 0 && !cell.kernels && !cell.solver->start_from_reference &&
         (stop == Measure::relative_residual || stop == Measure::velocity_residual);
}

Judge* BuiltProblem::judge(Model model) {
  if (defect_) return nullptr;
  auto& judge = judges_[model];
  if (!judge) try_building([&] { judge = std::make_unique<Judge>(*problem_, model); });
  return judge.get();
}

}  // namespace ccp
