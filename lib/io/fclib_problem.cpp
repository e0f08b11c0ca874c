#include "io/fclib_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "problem/conversion.hpp"
#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

constexpr double symmetry_noise = 1e-10;       // below this nobody needs to hear of it
constexpr double repairable_asymmetry = 1e-2;  // of M, which symplectic time steppers leave symmetric; beyond it is meant

/// The kind of the contacts of a file with rolling friction, by its spacedim.
ConstraintKind rolling_kind(int spacedim) {
  switch (spacedim) {
    case 3: return ConstraintKind::rolling2d;
    case 4: return ConstraintKind::torsion;
    case 6: return ConstraintKind::rolling_torsion;
    default: return ConstraintKind::rolling;
  }
}

void build_problem(ProblemBuilder& builder, const FclibFriction& friction, const std::string& place, const char* terms,
                   FclibFile& file) {
  const auto of = [](const Vector& values, Index i, double otherwise) { return values.size() > 0 ? values[i] : otherwise; };
  for (Index i = 0; i < friction.sliding.size(); ++i) {
    const double mu = friction.sliding[i];
    if (is_rolling(file.form))
      builder.rolling_contact(rolling_kind(file.spacedim), mu, of(friction.rolling, i, 0.0), of(friction.spinning, i, 0.0),
                              of(friction.length, i, 1.0));
    else if (file.spacedim == 3)
      builder.contact(mu);
    else
      builder.contact2d(mu);
  }
  for (Index i = 0; i < file.p; ++i) builder.bilateral();
  try {
    file.problem = builder.build();
  } catch (const InputError& error) {
    throw InputError(file.path.string(), place, fmt::format("{} ({})", error.what(), terms));
  }
}

}  // namespace

void set_friction_range(const FclibFriction& friction, FclibFile& file) {
  const auto note = [](const Vector& values, double& least, double& most) {
    if (values.size() == 0) return;
    least = values.minCoeff();
    most = values.maxCoeff();
  };
  note(friction.sliding, file.friction_min, file.friction_max);
  note(friction.rolling, file.rolling_friction_min, file.rolling_friction_max);
  note(friction.spinning, file.spinning_friction_min, file.spinning_friction_max);
}

SparseMatrix symmetric_mass(SparseMatrix M, FclibFile& file) {
  const double defect = symmetry_defect(M);
  if (defect == 0.0) return M;
  if (defect > repairable_asymmetry) {
    file.remarks.push_back(fmt::format("M is not symmetric (max|M - M^T| = {:.1e} max|M|), and is taken as it is", defect));
    return M;
  }
  if (defect > symmetry_noise)
    file.remarks.push_back(fmt::format("M is not symmetric ({:.1e}); its symmetric part is used", defect));
  return 0.5 * (M + SparseMatrix(M.transpose()));
}

void build_local(SparseMatrix N, Vector r, const FclibFriction& friction, const std::string& place, FclibFile& file) {
  ProblemBuilder builder(file.path.stem().string());
  builder.local(std::move(N), std::move(r));
  build_problem(builder, friction, place, "where N = [W V; V^T R] and r = [q; s]", file);
  if (const double defect = file.problem->symmetry_defect(); defect > symmetry_noise)
    file.remarks.push_back(fmt::format("W is not symmetric ({:.1e})", defect));
}

void build_global(SparseMatrix M, Vector k, SparseMatrix D, Vector b, const FclibFriction& friction,
                  const std::string& place, FclibFile& file) {
  ProblemBuilder builder(file.path.stem().string());
  builder.global(std::move(M), std::move(k), std::move(D), std::move(b));
  build_problem(builder, friction, place, "where H = M, D = [H G], k = f and b = [w; b]", file);
}

}  // namespace ccp
