#pragma once

#include <optional>
#include <string>

#include "problem/contact_problem.hpp"

namespace ccp {

/// The forms of N: ContactProblem::assembled(), factored() and solved(). automatic: the one that operator_form() chooses.
enum class OperatorForm { automatic, assembled, factored, solved };

/// The use of N.
enum class OperatorUse {
  products,        ///< products and N_ii, some hundreds of them: first-order methods
  inner_products,  ///< products in the inner iterations of a Newton method, thousands of them
  rows,            ///< rows of N one after the other: sweeps
  diagonal,        ///< N_ii alone
  row_sums         ///< |N| times a vector, by the judge: rounding floors (D.2)
};

/// The form of N that a use takes.
///
/// A problem given by N has no other form than `assembled`. With a block-diagonal H a factored operator reads 12 numbers a
/// row and body, and a sweep in it finds all that it needs; `row_sums` is the exception, as absolute values do not go
/// through the factor of H. Where H couples more, a product by solves (`solved`) goes through the factor L of H four times,
/// with its refinement, and one with N reads each number of N once:
///
/// * `products`: assembled where rows² is at most the numbers in L. N is taken for dense, so that it is not formed for a few
///   hundred products; forming it takes as long as 24 to 1940 of them (results/FINITE_ELEMENTS.md).
/// * `inner_products`: assembled where N, counted by the bodies that touch, has at most four times the numbers in L.
///   Measured: with cubes, bars and beams both products take the same time at eight times, and between four and eight N
///   pays for its forming only after 400 to 2000 products.
/// * `rows`: assembled, since a row by solves costs a whole solve.
/// * `diagonal`: solved; N_ii come from single entries of H⁻¹ (B.7), however many rows there are.
/// * `row_sums`: assembled where bodies are small (at most 32 dofs, so that N is sparse), and up to 3000 rows, where a dense
///   N takes 72 MB. Above, a solve with H for each impulse that is not zero.
OperatorForm operator_form(const ContactProblem& problem, OperatorUse use);

/// N in the form that is wanted, of automatic in that of its use; of a shared problem always ContactProblem::shared().
const DelassusOperator& delassus_operator(const ContactProblem& problem, OperatorUse use,
                                          OperatorForm wanted = OperatorForm::automatic);

/// Why the problem does not have the form; nothing where it has.
std::optional<std::string> operator_form_defect(const ContactProblem& problem, OperatorForm form);

}  // namespace ccp
