#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Spectral projected gradient (Birgin, Martínez, Raydan 2000) for the ccp model: projected steps (F.8) with alternating
/// Barzilai–Borwein lengths (F.10) and a non-monotone line search (F.9) that knows the objective along its line exactly. One
/// product with N per iteration.
std::unique_ptr<Solver> make_spg();

/// P-SPG-FB, the comparator of Tasora et al. 2021 (Heyn, Anitescu, Tasora, Negrut 2013): the same method, by default with
/// the diagonal preconditioner, one scale per block so that cones stay cones, and with the fallback to the best iterate.
std::unique_ptr<Solver> make_p_spg_fb();

}  // namespace ccp
