#include "solvers/interior_point/interior_system.hpp"

#include <fmt/format.h>

namespace ccp {
namespace {

InteriorForm resolved_form(const ContactProblem& problem, InteriorForm form) {
  if (form != InteriorForm::automatic) return form;
  if (!problem.given_global()) return InteriorForm::schur;
  // On bilateral rows P is δ alone, which costs the normal form its digits on stacks of very different masses.
  return problem.constraints().count(ConstraintKind::bilateral) > 0 ? InteriorForm::saddle : InteriorForm::normal;
}

const char* form_name(InteriorForm form) {
  switch (form) {
    case InteriorForm::saddle: return "saddle";
    case InteriorForm::normal: return "normal";
    case InteriorForm::schur: return "schur";
    case InteriorForm::automatic: break;
  }
  return "auto";
}

}  // namespace

std::optional<std::string> interior_system_defect(const ContactProblem& problem, InteriorForm form,
                                                  const std::string& backend) {
  if (backend == "auto") return std::nullopt;
  const InteriorForm resolved = resolved_form(problem, form);
  const MatrixKind kind = resolved == InteriorForm::saddle ? MatrixKind::indefinite : MatrixKind::spd;
  if (linear_solver_supports(backend, kind)) return std::nullopt;
  return fmt::format("linear_solver '{}' cannot factorise the {} system, which is {}", backend, form_name(resolved),
                     kind == MatrixKind::spd ? "positive definite" : "indefinite");
}

std::unique_ptr<InteriorSystem> make_interior_system(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     InteriorForm form, const std::string& backend, Monitor& monitor) {
  const InteriorForm resolved = resolved_form(problem, form);
  monitor.note(fmt::format("linear system: {}{}", form_name(resolved), form == InteriorForm::automatic ? " (auto)" : ""));
  if (resolved == InteriorForm::schur) return make_schur_interior(problem, barrier, backend, monitor);
  if (!problem.given_global()) {
    problem.global();
    if (problem.clipped() > 0.0) monitor.note(fmt::format("N = LLᵀ up to {:.1e}", problem.clipped()));
  }
  if (resolved == InteriorForm::normal) return make_normal_interior(problem, barrier, backend, monitor);
  return make_saddle_interior(problem, barrier, backend, monitor);
}

}  // namespace ccp
