#pragma once

#include <optional>
#include <string>

#include "problem/delassus/operator_form.hpp"
#include "solvers/shared/method.hpp"

namespace ccp {

/// The frame of a method that runs on a form of N: `Settings` has a member `form`.
template <typename Settings, typename Run>
class OperatorMethod : public Method<Settings, Run> {
 protected:
  using Method<Settings, Run>::Method;
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return operator_form_defect(problem, this->settings_.form);
  }
};

/// The setting of a method that needs products and diagonal blocks only.
inline void add_operator_field(FieldTable& fields, OperatorForm& form) {
  fields.add("operator", &form,
             {{"auto", OperatorForm::automatic},
              {"assembled", OperatorForm::assembled},
              {"factored", OperatorForm::factored},
              {"solved", OperatorForm::solved}},
             "form of the Delassus operator; auto: factored where it exists, else the smaller of assembled and solved",
             "ours");
}

/// That of a method that needs rows of N.
inline void add_row_operator_field(FieldTable& fields, OperatorForm& form) {
  fields.add(
      "operator", &form,
      {{"auto", OperatorForm::automatic}, {"assembled", OperatorForm::assembled}, {"factored", OperatorForm::factored}},
      "form of the Delassus operator; auto: factored where it exists", "ours");
}

}  // namespace ccp
