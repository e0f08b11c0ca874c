#include "bench/run/built_problem.hpp"

#include <exception>
#include <new>

#include "io/fclib_reader.hpp"

namespace ccp {
namespace {

/// Runs `action`; what it throws becomes a status.
template <typename Action>
std::optional<std::pair<Status, std::string>> defect_of(const Action& action) {
  try {
    action();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::pair{Status::out_of_memory, std::string("building the problem ran out of memory")};
  } catch (const std::exception& error) {
    return std::pair{Status::failed, std::string("the problem cannot be built: ") + error.what()};
  }
}

}  // namespace

BuiltProblem::BuiltProblem(const Cell& cell, const Catalog& catalog) {
  const auto defect = defect_of([&] { build(cell, catalog); });
  if (defect) defect_ = defect;
}

void BuiltProblem::build(const Cell& cell, const Catalog& catalog) {
  if (cell.file.empty()) {
    const auto scene = catalog.scenes.make(cell.spec->scene);
    for (const auto& [name, value] : cell.spec->parameters) scene->parameters().set(name, value);
    unperturbed_ = scene->build(cell.spec->seed);
    problem_ = perturbed(*unperturbed_, cell.spec->perturbation);
    return;
  }
  FclibFile file = read_fclib(cell.file);
  if (file.problem) {
    unperturbed_ = *file.problem;
    problem_ = perturbed(*unperturbed_, cell.spec->perturbation);
  }
  if (!problem_) defect_ = std::pair{Status::unsupported, std::string("problems with rolling friction are not solved")};
}

ProblemFacts BuiltProblem::facts() const {
  const ContactProblem& p = *problem_;
  return {p.name(), p.constraints().contacts(), p.rows(), p.dofs(), p.symmetry_defect()};
}

Judge* BuiltProblem::judge(Model model) {
  if (defect_) return nullptr;
  auto& judge = judges_[model];
  if (!judge) defect_ = defect_of([&] { judge = std::make_unique<Judge>(*problem_, model); });
  return judge.get();
}

}  // namespace ccp
