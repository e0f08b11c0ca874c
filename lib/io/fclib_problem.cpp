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

ConstraintSet constraint_set(const Vector& friction, const FclibFile& file) {
  ConstraintSet set;
  for (Index i = 0; i < friction.size(); ++i)
    set.add(file.spacedim == 3 ? ConstraintKind::contact : ConstraintKind::contact2d, friction[i]);
  for (Index i = 0; i < file.p; ++i) set.add(ConstraintKind::bilateral);
  return set;
}

void build_problem(ProblemBuilder& builder, const Vector& friction, const std::string& place, const char* terms,
                   FclibFile& file) {
  builder.constraints(constraint_set(friction, file));
  try {
    file.problem = builder.build();
  } catch (const InputError& error) {
    throw InputError(file.path.string(), place, fmt::format("{} ({})", error.what(), terms));
  }
}

}  // namespace

void set_friction_range(const Vector& friction, FclibFile& file) {
  if (friction.size() == 0) return;
  file.friction_min = friction.minCoeff();
  file.friction_max = friction.maxCoeff();
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

void build_local(SparseMatrix N, Vector r, const Vector& friction, const std::string& place, FclibFile& file) {
  ProblemBuilder builder(file.path.stem().string());
  builder.local(std::move(N), std::move(r));
  build_problem(builder, friction, place, "where N = [W V; V^T R] and r = [q; s]", file);
  if (const double defect = file.problem->symmetry_defect(); defect > symmetry_noise)
    file.remarks.push_back(fmt::format("W is not symmetric ({:.1e})", defect));
}

void build_global(SparseMatrix M, Vector k, SparseMatrix D, Vector b, const Vector& friction, const std::string& place,
                  FclibFile& file) {
  ProblemBuilder builder(file.path.stem().string());
  builder.global(std::move(M), std::move(k), std::move(D), std::move(b));
  build_problem(builder, friction, place, "where H = M, D = [H G], k = f and b = [w; b]", file);
}

}  // namespace ccp
