#include "solvers/fixed_point/delassus_rows.hpp"

namespace ccp {

std::optional<std::string> operator_form_defect(const ContactProblem& problem, OperatorForm form) {
  if (form != OperatorForm::factored || problem.has_factored()) return std::nullopt;
  return "operator 'factored' needs a problem in global form with a block-diagonal mass matrix";
}

bool use_factored(const ContactProblem& problem, OperatorForm form) {
  return form != OperatorForm::assembled && problem.has_factored();
}

const DelassusOperator& select_operator(const ContactProblem& problem, OperatorForm form) {
  if (use_factored(problem, form)) return problem.factored();
  return problem.assembled();
}

void add_operator_field(FieldTable& fields, OperatorForm& form) {
  fields.add(
      "operator", &form,
      {{"auto", OperatorForm::automatic}, {"assembled", OperatorForm::assembled}, {"factored", OperatorForm::factored}},
      "form of the Delassus operator; auto: factored where it exists", "ours");
}

}  // namespace ccp
