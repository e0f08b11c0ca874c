#include <pybind11/pybind11.h>

#include "core/error.hpp"
#include "solution.hpp"

/// What the package ccpbench calls; the package checks and documents what users see.
PYBIND11_MODULE(_core, module) {
  using namespace ccp::python;
  py::register_exception<ccp::InputError>(module, "InputError", PyExc_ValueError);
  bind_problem(module);
  bind_solution(module);
  bind_motion(module);
}
