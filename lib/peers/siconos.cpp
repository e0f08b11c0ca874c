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

/// id: SICONOS_FRICTION_3D_ + id.
constexpr PeerMethod siconos_method(const char* name, const char* id, const char* title, const char* reference) {
  return {&siconos_program, name, id, title, reference, Model::ncp, 1e-14};
}

constexpr PeerMethod siconos_methods[] = {
    siconos_method("siconos/nsgs", "NSGS", "nonlinear Gauss–Seidel", "fc3d_nsgs"),
    siconos_method("siconos/prox", "PROX", "proximal point method around nonsmooth Newton", "fc3d_proximal"),
    siconos_method("siconos/tfp", "TFP", "Tresca fixed point", "fc3d_TrescaFixedPoint"),
    siconos_method("siconos/pfp", "PFP", "Panagiotopoulos fixed point", "fc3d_Panagiotopoulos_FixedPoint"),
    siconos_method("siconos/aclmfp", "ACLMFP", "fixed point on the convex problem (Acary, Cadoux, Lemaréchal, Malick)",
                   "fc3d_ACLMFixedPoint"),
    siconos_method("siconos/soclcp", "SOCLCP", "the convex problem alone, as a second-order cone program", "fc3d_SOCLCP"),
    siconos_method("siconos/dsfp", "DSFP", "De Saxcé fixed point with a fixed step", "fc3d_DeSaxceFixedPoint"),
    siconos_method("siconos/fpp", "FPP", "fixed point with projection", "fc3d_fixedPointProjection"),
    siconos_method("siconos/eg", "EG", "extragradient", "fc3d_ExtraGradient"),
    siconos_method("siconos/hp", "HP", "hyperplane projection", "fc3d_HyperplaneProjection"),
    siconos_method("siconos/vi_fpp", "VI_FPP", "fixed point with projection, as a variational inequality",
                   "fc3d_VI_FixedPointProjection"),
    siconos_method("siconos/vi_eg", "VI_EG", "extragradient, as a variational inequality", "fc3d_VI_ExtraGradient"),
    siconos_method("siconos/nsn_ac", "NSN_AC", "nonsmooth Newton on the Alart–Curnier function",
                   "fc3d_nonsmooth_Newton_AlartCurnier"),
    siconos_method("siconos/nsn_fb", "NSN_FB", "nonsmooth Newton on the Fischer–Burmeister function",
                   "fc3d_nonsmooth_Newton_FischerBurmeister"),
    siconos_method("siconos/nsn_nm", "NSN_NM", "nonsmooth Newton on the natural map", "fc3d_nonsmooth_Newton_NaturalMap"),
    siconos_method("siconos/admm", "ADMM", "ADMM with De Saxcé's correction", "fc3d_admm"),
};

enum class NsgsLocal { siconos, projection };
enum class NewtonFunction { alart_curnier, jean_moreau };

/// Some have settings beyond the tolerance.
class SiconosSolver final : public AdapterSolver {
 public:
  explicit SiconosSolver(const PeerMethod& method) : AdapterSolver(method) {
    const std::string id = method.id;
    if (id == "NSGS")
      fields_.add("local", &local_, {{"siconos", NsgsLocal::siconos}, {"projection", NsgsLocal::projection}},
                  "how one contact is solved: as Siconos chooses (Newton, then projections), or by projections alone",
                  "Siconos");
    if (id != "NSN_AC") return;
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
