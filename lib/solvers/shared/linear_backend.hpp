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

/// The unknowns of a linear system.
enum class LinearForm {
  automatic,
  saddle,  ///< velocities and impulses
  normal,  ///< velocities
  schur    ///< impulses
};

inline const char* linear_form_name(LinearForm form) {
  switch (form) {
    case LinearForm::saddle: return "saddle";
    case LinearForm::normal: return "normal";
    case LinearForm::schur: return "schur";
    case LinearForm::automatic: break;
  }
  return "auto";
}

inline std::string linear_backend_name(LinearBackend backend) {
  for (const auto& [name, choice] : linear_backend_choices())
    if (choice == backend) return name;
  return "auto";
}

}  // namespace ccp
