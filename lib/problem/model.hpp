#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccp {

/// The two models of a frictional contact, chosen per run, never per solver.
enum class Model {
  ccp,  ///< convex, associated: K* ∋ u ⊥ γ ∈ K (A.4)
  ncp   ///< Signorini–Coulomb, non-associated: K* ∋ u + (μ‖u_T‖, 0, 0) ⊥ γ ∈ K (A.5)
};

/// The names of the models in the order of the enum. Configs, options and files all take them from here.
constexpr std::array<std::string_view, 2> model_table{"ccp", "ncp"};

constexpr std::string_view model_name(Model model) { return model_table[static_cast<std::size_t>(model)]; }

inline std::vector<std::string> model_names() { return {model_table.begin(), model_table.end()}; }

/// The models by name, for a table of settings.
inline std::vector<std::pair<std::string, Model>> model_choices() {
  return {{std::string(model_name(Model::ccp)), Model::ccp}, {std::string(model_name(Model::ncp)), Model::ncp}};
}

constexpr std::optional<Model> model_from_name(std::string_view name) {
  for (std::size_t i = 0; i < model_table.size(); ++i)
    if (model_table[i] == name) return static_cast<Model>(i);
  return std::nullopt;
}

}  // namespace ccp
