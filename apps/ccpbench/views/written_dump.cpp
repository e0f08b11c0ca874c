#include "views/written_dump.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/reference/certificate.hpp"
#include "solvers/registry.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {

Vector reference_point(const ContactProblem& problem, Model model, double time_limit_s, const std::string& otherwise) {
  const auto solver = make_solver("reference");
  if (const auto reason = solver->supports(problem, model))
    throw InputError(fmt::format("no solution can be looked for: {}; {}", *reason, otherwise));
  const StopRule stop{Measure::relative_residual, 0.0, true, std::numeric_limits<int>::max(), time_limit_s};
  Judge judge(problem, model);
  RunMonitor monitor(judge, stop);
  return problem.own_impulse(solver->solve(problem, model, {}, monitor).impulse);
}

void write_dump(const std::filesystem::path& path, FclibForm form, const NamedProblem& named, FclibImpulses impulses,
                Model model, const SceneGeometry* geometry, const std::vector<PlacedMesh>* meshes) {
  FclibInfo info = named.info;
  info.certificate.clear();
  std::string remark;
  if (impulses.solution) {
    // The problem a reader of the file gets: in local form u is N γ + r, with its own rounding.
    Judge judge(form == FclibForm::local ? local_problem(named.problem) : named.problem, model);
    const CertificateRule rule;
    const Certificate certificate = certify(judge, *impulses.solution, rule);
    const std::string text = fmt::format("model {}, {}", model_name(model), certificate.text(rule));
    remark = (certificate.holds ? "solution certified: " : "no solution stored, none was certified: ") + text;
    if (certificate.holds)
      info.certificate = "certified: " + text;
    else
      impulses.solution.reset();
  }
  write_fclib(path, named.problem, form, info, impulses, nullptr, geometry, meshes);
  print_line(fmt::format("{}  {}", printable(path.string()), Style::out().dim(std::string(fclib_form_name(form)))));
  if (!remark.empty()) print_line("  " + remark);
}

}  // namespace ccp::cli
