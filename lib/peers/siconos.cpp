#include "peers/siconos.hpp"

#include <fmt/format.h>

#include "peers/adapter_command.hpp"
#include "peers/adapter_solver.hpp"
#include "peers/siconos_script.hpp"

namespace ccp {
namespace {

constexpr PeerProgram siconos_program = {"Siconos",
                                         "siconos",
                                         "nonsmooth dynamics",
                                         "Acary, Brémond and Huber 2018; Siconos ",
                                         "install python3-siconos, or name another interpreter in CCPBENCH_SICONOS_PYTHON",
                                         [] { return python_adapter("CCPBENCH_SICONOS_PYTHON", siconos_script); }};

/// SICONOS_ + id is its number.
constexpr PeerMethod siconos_method(const char* name, const char* id, const char* title, const char* reference,
                                    ConstraintKind kind = ConstraintKind::contact, bool global = false) {
  return {&siconos_program, name, id, title, reference, Model::ncp, 1e-14, false, false, 0, kind, global};
}
constexpr PeerMethod siconos_global(const char* name, const char* id, const char* title, const char* reference) {
  return siconos_method(name, id, title, reference, ConstraintKind::contact, true);
}

constexpr PeerMethod siconos_methods[] = {
    siconos_method("siconos/nsgs", "FRICTION_3D_NSGS", "nonlinear Gauss–Seidel", "fc3d_nsgs"),
    siconos_method("siconos/prox", "FRICTION_3D_PROX", "proximal point method around nonsmooth Newton", "fc3d_proximal"),
    siconos_method("siconos/tfp", "FRICTION_3D_TFP", "Tresca fixed point", "fc3d_TrescaFixedPoint"),
    siconos_method("siconos/pfp", "FRICTION_3D_PFP", "Panagiotopoulos fixed point", "fc3d_Panagiotopoulos_FixedPoint"),
    siconos_method("siconos/aclmfp", "FRICTION_3D_ACLMFP",
                   "fixed point on the convex problem (Acary, Cadoux, Lemaréchal, Malick)", "fc3d_ACLMFixedPoint"),
    siconos_method("siconos/soclcp", "FRICTION_3D_SOCLCP", "the convex problem alone, as a second-order cone program",
                   "fc3d_SOCLCP"),
    siconos_method("siconos/dsfp", "FRICTION_3D_DSFP", "De Saxcé fixed point with a fixed step", "fc3d_DeSaxceFixedPoint"),
    siconos_method("siconos/fpp", "FRICTION_3D_FPP", "fixed point with projection", "fc3d_fixedPointProjection"),
    siconos_method("siconos/eg", "FRICTION_3D_EG", "extragradient", "fc3d_ExtraGradient"),
    siconos_method("siconos/hp", "FRICTION_3D_HP", "hyperplane projection", "fc3d_HyperplaneProjection"),
    siconos_method("siconos/vi_fpp", "FRICTION_3D_VI_FPP", "fixed point with projection, as a variational inequality",
                   "fc3d_VI_FixedPointProjection"),
    siconos_method("siconos/vi_eg", "FRICTION_3D_VI_EG", "extragradient, as a variational inequality",
                   "fc3d_VI_ExtraGradient"),
    siconos_method("siconos/nsn_ac", "FRICTION_3D_NSN_AC", "nonsmooth Newton on the Alart–Curnier function",
                   "fc3d_nonsmooth_Newton_AlartCurnier"),
    siconos_method("siconos/nsn_fb", "FRICTION_3D_NSN_FB", "nonsmooth Newton on the Fischer–Burmeister function",
                   "fc3d_nonsmooth_Newton_FischerBurmeister"),
    siconos_method("siconos/nsn_nm", "FRICTION_3D_NSN_NM", "nonsmooth Newton on the natural map",
                   "fc3d_nonsmooth_Newton_NaturalMap"),
    siconos_method("siconos/admm", "FRICTION_3D_ADMM", "ADMM with De Saxcé's correction", "fc3d_admm"),
    siconos_global("siconos/gfc3d_admm", "GLOBAL_FRICTION_3D_ADMM", "ADMM on the global problem", "gfc3d_ADMM"),
    siconos_global("siconos/gfc3d_nsgs", "GLOBAL_FRICTION_3D_NSGS", "nonlinear Gauss–Seidel on the global problem",
                   "gfc3d_nsgs"),
    siconos_global("siconos/gfc3d_nsn_ac", "GLOBAL_FRICTION_3D_NSN_AC", "nonsmooth Newton on the global problem",
                   "gfc3d_nonsmooth_Newton_AlartCurnier"),
    siconos_global("siconos/gfc3d_ipm", "GLOBAL_FRICTION_3D_IPM", "interior points on the global problem", "gfc3d_IPM"),
    siconos_global("siconos/gfc3d_aclmfp", "GLOBAL_FRICTION_3D_ACLMFP", "fixed point on the convex global problem",
                   "gfc3d_ACLMFixedPoint"),
    siconos_global("siconos/gfc3d_vi_fpp", "GLOBAL_FRICTION_3D_VI_FPP", "fixed point with projection on the global problem",
                   "gfc3d_VI_FixedPointProjection"),
    siconos_global("siconos/gfc3d_vi_eg", "GLOBAL_FRICTION_3D_VI_EG", "extragradient on the global problem",
                   "gfc3d_VI_ExtraGradient"),
    siconos_global("siconos/gfc3d_nsgs_wr", "GLOBAL_FRICTION_3D_NSGS_WR", "nonlinear Gauss–Seidel after its own reduction",
                   "gfc3d_nsgs_wr"),
    siconos_global("siconos/gfc3d_nsn_ac_wr", "GLOBAL_FRICTION_3D_NSN_AC_WR", "nonsmooth Newton after its own reduction",
                   "gfc3d_nonsmooth_Newton_AlartCurnier_wr"),
    siconos_global("siconos/gfc3d_admm_wr", "GLOBAL_FRICTION_3D_ADMM_WR", "ADMM after its own reduction", "gfc3d_admm_wr"),
    siconos_method("siconos/rolling_fc3d_nsgs", "ROLLING_FRICTION_3D_NSGS", "nonlinear Gauss–Seidel with rolling friction",
                   "rolling_fc3d_nsgs", ConstraintKind::rolling),
    siconos_method("siconos/rolling_fc3d_admm", "ROLLING_FRICTION_3D_ADMM", "ADMM with rolling friction",
                   "rolling_fc3d_admm", ConstraintKind::rolling),
    siconos_method("siconos/rolling_fc2d_nsgs", "ROLLING_FRICTION_2D_NSGS",
                   "nonlinear Gauss–Seidel with rolling friction in the plane", "rolling_fc2d_nsgs",
                   ConstraintKind::rolling2d),
    siconos_method("siconos/rolling_gfc3d_nsgs_wr", "GLOBAL_ROLLING_FRICTION_3D_NSGS_WR",
                   "nonlinear Gauss–Seidel with rolling friction after its own reduction", "grfc3d_nsgs_wr",
                   ConstraintKind::rolling, true),
};

enum class NsgsLocal { siconos, projection };
enum class NewtonFunction { alart_curnier, jean_moreau };

/// Some have settings beyond the tolerance.
class SiconosSolver final : public AdapterSolver {
 public:
  explicit SiconosSolver(const PeerMethod& method) : AdapterSolver(method) {
    const std::string id = method.id;
    if (id == "FRICTION_3D_NSGS")
      fields_.add("local", &local_, {{"siconos", NsgsLocal::siconos}, {"projection", NsgsLocal::projection}},
                  "how one contact is solved: as Siconos chooses (Newton, then projections), or by projections alone",
                  "Siconos");
    if (id != "FRICTION_3D_NSN_AC") return;
    fields_
        .add("formulation", &formulation_,
             {{"alart_curnier", NewtonFunction::alart_curnier}, {"jean_moreau", NewtonFunction::jean_moreau}},
             "the function whose zero is sought", "Siconos")
        .add("hybrid", &hybrid_, "start with extragradient steps", "Siconos");
  }

 private:
  std::vector<std::string> options() const override {
    return {fmt::format("local={}", local_ == NsgsLocal::projection ? "projection" : "siconos"),
            fmt::format("formulation={}", formulation_ == NewtonFunction::jean_moreau ? "jean_moreau" : "alart_curnier"),
            fmt::format("hybrid={}", hybrid_)};
  }

  NsgsLocal local_ = NsgsLocal::siconos;
  NewtonFunction formulation_ = NewtonFunction::alart_curnier;
  bool hybrid_ = false;
};

}  // namespace

std::vector<std::string> siconos_solver_names() {
  std::vector<std::string> names;
  for (const PeerMethod& method : siconos_methods) names.emplace_back(method.name);
  return names;
}

std::unique_ptr<PeerSolver> make_siconos_solver(const std::string& name) {
  for (const PeerMethod& method : siconos_methods)
    if (name == method.name) return std::make_unique<SiconosSolver>(method);
  return nullptr;
}

}  // namespace ccp
