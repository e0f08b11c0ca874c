#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ccp {

/// The linear solver of a symmetric system, as a setting: the factory of linalg takes its name.
enum class LinearBackend { automatic, mumps, cholmod, eigen_ldlt };

/// The choices by name, for a table of settings.
inline std::vector<std::pair<std::string, LinearBackend>> linear_backend_choices() {
  return {{"auto", LinearBackend::automatic},
          {"mumps", LinearBackend::mumps},
          {"cholmod", LinearBackend::cholmod},
          {"eigen_ldlt", LinearBackend::eigen_ldlt}};
}

inline std::string linear_backend_name(LinearBackend backend) {
  for (const auto& [name, choice] : linear_backend_choices())
    if (choice == backend) return name;
  return "auto";
}

}  // namespace ccp
