#include "problem/delassus/operator_form.hpp"

#include "problem/conversion.hpp"

namespace ccp {
namespace {

constexpr Index reads_of_factor = 4;     ///< of a product by solves
constexpr Index most_dense_rows = 3000;  ///< of an N that is dense and kept

OperatorForm assembled_if(bool small) { return small ? OperatorForm::assembled : OperatorForm::solved; }

}  // namespace

OperatorForm operator_form(const ContactProblem& problem, OperatorUse use) {
  if (!problem.given_global()) return OperatorForm::assembled;
  const MassMatrix& mass = problem.mass();
  const Index rows = problem.rows();
  if (use == OperatorUse::row_sums) return assembled_if(!mass.groups().empty() || rows <= most_dense_rows);
  if (problem.has_factored()) return OperatorForm::factored;
  switch (use) {
    case OperatorUse::products: return assembled_if(rows * rows <= mass.factor_nonzeros());
    case OperatorUse::inner_products:
      return assembled_if(delassus_numbers(problem) <= reads_of_factor * mass.factor_nonzeros());
    case OperatorUse::diagonal: return OperatorForm::solved;
    case OperatorUse::rows:
    case OperatorUse::row_sums: break;
  }
  return OperatorForm::assembled;
}

const DelassusOperator& delassus_operator(const ContactProblem& problem, OperatorUse use, OperatorForm wanted) {
  if (problem.share() != nullptr) return problem.shared();
  switch (wanted == OperatorForm::automatic ? operator_form(problem, use) : wanted) {
    case OperatorForm::factored: return problem.factored();
    case OperatorForm::solved: return problem.solved();
    case OperatorForm::assembled:
    case OperatorForm::automatic: break;
  }
  return problem.assembled();
}

std::optional<std::string> operator_form_defect(const ContactProblem& problem, OperatorForm form) {
  if (form == OperatorForm::solved && !problem.given_global()) return "operator 'solved' needs a problem in global form";
  if (form != OperatorForm::factored || problem.has_factored()) return std::nullopt;
  return "operator 'factored' needs a problem in global form with a block-diagonal mass matrix";
}

}  // namespace ccp
