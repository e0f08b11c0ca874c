#pragma once

#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// "ranks 4.1.4 …": the versions of MPI and PETSc that it was built with.
std::string rank_versions();

/// The work of one process of `ranks` that mpiexec has started: the first takes a job from the program that listens at the
/// socket, with the problem unless it is one that each rank makes its part of; all of them solve, and the first sends rows
/// and the end (job.hpp). The exit code; on an error the first process says why at the socket, any other one on its standard
/// error, and all of them are ended.
int run_rank(const std::string& socket, int ranks, const SceneRegistry& scenes);

}  // namespace ccp
