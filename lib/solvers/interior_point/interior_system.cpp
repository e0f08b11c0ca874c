#include "solvers/interior_point/interior_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

LinearForm resolved_form(const ContactProblem& problem, LinearForm form) {
  if (form != LinearForm::automatic) return form;
  if (!problem.given_global()) return LinearForm::schur;
  if (!problem.symmetric_mass()) return LinearForm::saddle;
  // On bilateral rows P is δ alone, which costs the normal form its digits on stacks of very different masses.
  return problem.constraints().count(ConstraintKind::bilateral) > 0 ? LinearForm::saddle : LinearForm::normal;
}

}  // namespace

void InteriorSystem::pack(const Vector& x, double* packed) const {
  for (Index i = 0; i < barrier_.count(); ++i) {
    const Vector3 own = block(i).basis.transpose() * x.segment<3>(3 * i);
    packed = std::copy_n(own.data(), active(i), packed);
  }
}

void InteriorSystem::unpack(const double* packed, double sign, Vector& x) const {
  for (Index i = 0; i < barrier_.count(); ++i) {
    Vector3 own = Vector3::Zero();
    for (int c = 0; c < active(i); ++c) own[c] = sign * *packed++;
    x.segment<3>(3 * i) = block(i).basis * own;
  }
}

std::optional<std::string> interior_system_defect(const ContactProblem& problem, bool corrected, LinearForm form,
                                                  const std::string& backend) {
  const LinearForm resolved = resolved_form(problem, form);
  if (corrected && resolved != LinearForm::schur && problem.symmetry_defect() > 0.0)
    return fmt::format("linear_system = {} needs a symmetric N; schur takes this one", linear_form_name(resolved));
  const MatrixKind kind = resolved == LinearForm::saddle ? MatrixKind::indefinite : MatrixKind::spd;
  if (problem.symmetric_mass()) return backend_defect(backend, corrected ? MatrixKind::unsymmetric : kind, resolved);
  if (resolved == LinearForm::saddle) return backend_defect(backend, MatrixKind::unsymmetric, resolved);
  return fmt::format("linear_system = {} needs a symmetric H; saddle takes this one", linear_form_name(resolved));
}

std::unique_ptr<InteriorSystem> make_interior_system(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     LinearForm form, const std::string& backend, Monitor& monitor) {
  const LinearForm resolved = resolved_form(problem, form);
  monitor.note([&] {
    return fmt::format("linear system: {}{}", linear_form_name(resolved), form == LinearForm::automatic ? " (auto)" : "");
  });
  if (resolved == LinearForm::schur) return make_schur_interior(problem, barrier, backend, monitor);
  note_clipped(problem, monitor);
  if (resolved == LinearForm::normal) return make_normal_interior(problem, barrier, backend, monitor);
  return make_saddle_interior(problem, barrier, backend, monitor);
}

}  // namespace ccp
