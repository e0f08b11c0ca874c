#pragma once

#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// Floating-point operations of one product with N, by the form that the problem was given in, whichever a method keeps: two
/// for each number of N, or of D, H⁻¹ and Dᵀ one after the other. H⁻¹ is that of the bodies, or two solves with its factor.
double product_flops(const ContactProblem& problem);

/// Of one projection onto all cones: 14 for a contact, which is what one that slips takes, 1 for another row.
double projection_flops(const ContactProblem& problem);

/// Of a run: those of its linear solvers (Counters::flops), and what its products and projections take. Small dense work and
/// sums of vectors are not counted. NaN where a method counts nothing, as those of other programs, or a linear solver does
/// not say what it does.
double total_flops(const Counters& counters, const ContactProblem& problem);

}  // namespace ccp
