#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/solver.hpp"

/// The list of methods. A new method is a file, its declaration in methods.hpp, a line in registry.cpp and a test case.
namespace ccp {

/// Names in the order of the list.
std::vector<std::string> solver_names();

/// A solver with its default settings. Throws InputError for an unknown name, with the nearest one.
std::unique_ptr<Solver> make_solver(const std::string& name);

}  // namespace ccp
