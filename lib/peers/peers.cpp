#include "peers/peers.hpp"

#include "peers/adapter_command.hpp"
#include "peers/adapter_solver.hpp"
#include "peers/cvxopt_script.hpp"
#include "peers/siconos.hpp"

namespace ccp {
namespace {

constexpr const char* optimisation = "general optimisation";
constexpr const char* engines = "physics engines";

constexpr PeerProgram cvxopt = {"CVXOPT",
                                "cvxopt",
                                optimisation,
                                "Andersen, Dahl and Vandenberghe; ",
                                "install python3-cvxopt, or name another interpreter in CCPBENCH_CVXOPT_PYTHON",
                                [] { return python_adapter("CCPBENCH_CVXOPT_PYTHON", cvxopt_script); }};
constexpr PeerProgram ipopt = {"Ipopt",
                               "ipopt",
                               optimisation,
                               "Wächter and Biegler 2006; ",
                               "install coinor-libipopt-dev and build ccpbench again",
                               [] { return built_adapter("ipopt"); }};
constexpr PeerProgram dart = {
    "DART", "dart", engines, "Lee et al. 2018; dart::constraint::", "install libdart-dev and build ccpbench again", [] {
      return built_adapter("dart");
    }};
constexpr PeerProgram simbody = {"Simbody",
                                 "simbody",
                                 engines,
                                 "Sherman, Seth and Delp 2011; SimTK::",
                                 "install libsimbody-dev and build ccpbench again",
                                 [] { return built_adapter("simbody"); }};
constexpr PeerProgram bullet = {
    "Bullet", "bullet", engines, "Coumans; ", "install libbullet-dev and build ccpbench again", [] {
      return built_adapter("bullet");
    }};

constexpr int dense_limit = 2000;  // contacts: a matrix of 6000 rows takes 288 MB, and some keep two

/// In the order of the lists. `tolerance` is small where the peer shows iterates on the way, and its own default where not.
constexpr PeerMethod methods[] = {
    {&cvxopt, "cvxopt/coneqp", "coneqp", "interior points for cone programs, on the primal program where there is one",
     "cvxopt.solvers.coneqp", Model::ccp, 1e-14, true, true, dense_limit},
    {&ipopt, "ipopt/ccp", "ccp", "interior points for any nonlinear program, the cones as |γ_T|²/γ_n ≤ μ² γ_n",
     "the cones after Benson and Vanderbei 2003", Model::ccp, 1e-14, false, true},
    {&dart, "dart/dantzig", "dantzig", "pivoting for linear complementarity, friction in boxes |γ_T| ≤ μ γ_n by component",
     "DantzigBoxedLcpSolver", Model::ncp, 0.0, false, false, dense_limit},
    {&dart, "dart/pgs", "pgs", "projected Gauss–Seidel, friction in boxes |γ_T| ≤ μ γ_n by component", "PgsBoxedLcpSolver",
     Model::ncp, 0.0, false, false, dense_limit},
    {&bullet, "bullet/dantzig", "dantzig",
     "pivoting for linear complementarity, friction in boxes |γ_T| ≤ μ γ_n by component", "btDantzigSolver", Model::ncp, 0.0,
     false, false, dense_limit},
    {&bullet, "bullet/pgs", "pgs", "projected Gauss–Seidel, friction in boxes |γ_T| ≤ μ γ_n by component",
     "btSolveProjectedGaussSeidel", Model::ncp, 1e-14, false, false, dense_limit},
    {&simbody, "simbody/pgs", "pgs", "projected Gauss–Seidel with overrelaxation, friction in cones", "PGSImpulseSolver",
     Model::ncp, 1e-14, false, false, dense_limit},
    {&simbody, "simbody/plus", "plus", "Newton on an active set that is pruned, friction in cones", "PLUSImpulseSolver",
     Model::ncp, 1e-10, false, false, dense_limit},
};

}  // namespace

std::vector<std::string> peer_solver_names() {
  std::vector<std::string> names = siconos_solver_names();
  for (const PeerMethod& method : methods) names.emplace_back(method.name);
  return names;
}

std::unique_ptr<PeerSolver> make_peer_solver(const std::string& name) {
  for (const PeerMethod& method : methods)
    if (name == method.name) return std::make_unique<AdapterSolver>(method);
  return make_siconos_solver(name);
}

}  // namespace ccp
