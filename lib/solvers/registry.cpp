#include "solvers/registry.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Solver> (*make)();
};

constexpr Entry entries[] = {
    {"jacobi", make_jacobi},
    {"gauss_seidel", make_gauss_seidel},
    {"nsgs", make_nsgs},
    {"pgs_lee", make_pgs_lee},
    {"raisim", make_raisim},
    {"staggered_projections", make_staggered_projections},
    {"apgd", make_apgd},
    {"spg", make_spg},
    {"p_spg_fb", make_p_spg_fb},
    {"projected_cg", make_projected_cg},
    {"primal_dual", make_primal_dual},
    {"admm", make_admm},
    {"admm_chrono", make_admm_chrono},
    {"admm_pinocchio", make_admm_pinocchio},
    {"fadmm", make_fadmm},
    {"subadmm", make_subadmm},
    {"admm_nobody", make_admm_nobody},
    {"admm_nosub", make_admm_nosub},
    {"ipm_qp", make_ipm_qp},
    {"ipm_cone", make_ipm_cone},
    {"nonsmooth_ipm", make_nonsmooth_ipm},
    {"nonsmooth_ipm_series", make_nonsmooth_ipm_series},
    {"sap", make_sap},
    {"mujoco_newton", make_mujoco_newton},
    {"mujoco_cg", make_mujoco_cg},
    {"proximal_newton", make_proximal_newton},
    {"semismooth_newton", make_semismooth_newton},
    {"pqn", make_pqn},
    {"canal", make_canal},
    {"al_trdogleg", make_al_trdogleg},
    {"al_damped_newton", make_al_damped_newton},
    {"reference", make_reference},
};

}  // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Solver> make_solver(const std::string& name) {
  for (const Entry& entry : entries)
    if (name == entry.name) return entry.make();
  throw InputError("unknown solver '" + name + "'" + suggestion(name, solver_names()));
}

}  // namespace ccp
