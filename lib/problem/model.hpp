#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// The two models of a frictional contact, chosen per run, never per solver.
enum class Model {
  ccp,  ///< convex, associated: K* ∋ u ⊥ γ ∈ K (E4)
  ncp   ///< Signorini–Coulomb, non-associated: K* ∋ u + (μ‖u_T‖, 0, 0) ⊥ γ ∈ K (E5)
};

constexpr std::string_view model_name(Model model) { return model == Model::ccp ? "ccp" : "ncp"; }

constexpr std::optional<Model> model_from_name(std::string_view name) {
  if (name == "ccp") return Model::ccp;
  if (name == "ncp") return Model::ncp;
  return std::nullopt;
}

inline std::vector<std::string> model_names() {
  return {std::string(model_name(Model::ccp)), std::string(model_name(Model::ncp))};
}

}  // namespace ccp
