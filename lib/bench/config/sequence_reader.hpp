#pragma once

#include <string>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"

namespace ccp {

/// True when the solver solves the model, by itself or through the De Saxcé loop.
bool solves(const Solver& solver, Model model);

/// Finishes the "sequence" of a problem, `entry`, whose fields were read. scene: with the parameters of the problem. Throws
/// InputError for a scene that does not move, no step to solve, a traced step that is none of them, a driver without the
/// model, and a state that cannot be read or is of another scene or number of bodies; of_results: a state may be gone. The
/// motion is built with the scene's own parameters, to know its facts; with those of the problem only where a
/// state has to fit.
void finish_sequence(SequenceSpec& sequence, const Json& entry, const Scene& scene, std::uint64_t seed,
                     const Catalog& catalog, const std::string& pointer, const JsonSource& source, bool of_results);

/// Whether problems, solvers and models of a variant go together: throws InputError for a start from the previous step
/// without a sequence, one from the reference with a sequence, and an own trajectory whose driver does not solve a model.
void check_sequences(const ConfigVariant& variant, const Catalog& catalog, const JsonSource& source);

}  // namespace ccp
