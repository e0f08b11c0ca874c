#include "solvers/interior_point/interior_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cones/rolling_cone.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

constexpr double symmetry_noise = 1e-12;  // of N, relative: the rounding of who formed it

LinearForm resolved_form(const ContactProblem& problem, LinearForm form) {
  if (form != LinearForm::automatic) return form;
  if (!problem.given_global() && !problem.constraints().has_moments()) return LinearForm::schur;
  if (!problem.symmetric_mass()) return LinearForm::saddle;
  // On bilateral rows P is δ alone, which costs the normal form its digits on stacks of very different masses.
  return problem.constraints().count(ConstraintKind::bilateral) > 0 ? LinearForm::saddle : LinearForm::normal;
}

/// Whether C couples rows of different discs of a contact, or one of moments to the normal.
bool couples_discs(const ContactProblem& problem) {
  const ConstraintSet& set = problem.constraints();
  const SparseMatrix& C = problem.global().C;
  for (Index i = 0; i < set.count() && C.nonZeros() > 0; ++i) {
    if (!has_moments(set.kind(i))) continue;
    const RollingCone cone = rolling_cone(set, i);
    const auto disc_of = [&](Index row) {
      int disc = cone.count - 1;
      while (disc > 0 && row - set.offset(i) < cone.disc[uz(disc)].first) --disc;
      return disc;
    };
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
      for (SparseMatrix::InnerIterator entry(C, row); entry; ++entry)
        if (entry.value() != 0.0 && disc_of(entry.row()) != disc_of(row)) return true;
  }
  return false;
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
  if (problem.constraints().has_moments() && resolved == LinearForm::schur)
    return "linear_system = schur takes no rolling or spinning friction; normal and saddle do";
  if (problem.constraints().has_moments() && couples_discs(problem))
    return "the compliance couples the moments of a contact to its other rows, which are in different cones here";
  if (corrected && resolved != LinearForm::schur && problem.symmetry_defect() > symmetry_noise)
    return fmt::format("linear_system = {} needs a symmetric N{}", linear_form_name(resolved),
                       problem.constraints().has_moments() ? "" : "; schur takes this one");
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
