#include "solvers/fixed_point/delassus_rows.hpp"

namespace ccp {
namespace {

/// Where H is not block-diagonal N is as good as dense.
bool solving_is_smaller(const ContactProblem& problem) {
  return problem.given_global() && problem.rows() * problem.rows() > problem.mass().factor_nonzeros();
}

}  // namespace

std::optional<std::string> operator_form_defect(const ContactProblem& problem, OperatorForm form) {
  if (form == OperatorForm::solved && !problem.given_global()) return "operator 'solved' needs a problem in global form";
  if (form != OperatorForm::factored || problem.has_factored()) return std::nullopt;
  return "operator 'factored' needs a problem in global form with a block-diagonal mass matrix";
}

bool use_factored(const ContactProblem& problem, OperatorForm form) {
  return (form == OperatorForm::automatic || form == OperatorForm::factored) && problem.has_factored();
}

const DelassusOperator& select_operator(const ContactProblem& problem, OperatorForm form) {
  if (use_factored(problem, form)) return problem.factored();
  if (form == OperatorForm::solved || (form == OperatorForm::automatic && solving_is_smaller(problem)))
    return problem.solved();
  return problem.assembled();
}

void add_operator_field(FieldTable& fields, OperatorForm& form) {
  fields.add("operator", &form,
             {{"auto", OperatorForm::automatic},
              {"assembled", OperatorForm::assembled},
              {"factored", OperatorForm::factored},
              {"solved", OperatorForm::solved}},
             "form of the Delassus operator; auto: factored where it exists, else the smaller of assembled and solved",
             "ours");
}

void add_row_operator_field(FieldTable& fields, OperatorForm& form) {
  fields.add(
      "operator", &form,
      {{"auto", OperatorForm::automatic}, {"assembled", OperatorForm::assembled}, {"factored", OperatorForm::factored}},
      "form of the Delassus operator; auto: factored where it exists", "ours");
}

}  // namespace ccp
