#include "bench/run/built_problem.hpp"

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
  if (cell.file.empty()) {
    const auto scene = catalog.scenes.make(cell.spec->scene);
    for (const auto& [name, value] : cell.spec->parameters) scene->parameters().set(name, value);
    unperturbed_ = scene->build(cell.spec->seed);
    if (cell.spec->perturbation == Perturbation{.seed = cell.spec->perturbation.seed})
      origin_ = origin_of(*scene, cell.spec->seed);
  } else {
    unperturbed_ = read_fclib(cell.file).problem;
  }
  problem_ = perturbed(*unperturbed_, cell.spec->perturbation);
}

ProblemFacts BuiltProblem::facts() const {
  const ContactProblem& p = *problem_;
  return {p.name(), p.constraints().contacts(), p.rows(), p.dofs(), p.symmetry_defect()};
}

Judge* BuiltProblem::judge(Model model) {
  if (defect_) return nullptr;
  auto& judge = judges_[model];
  if (!judge) try_building([&] { judge = std::make_unique<Judge>(*problem_, model); });
  return judge.get();
}

}  // namespace ccp
