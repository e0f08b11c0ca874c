#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"

/// numpy arrays and values of Python as the library has them, and back.
namespace ccp::python {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// An array that takes the memory of a vector over.
py::array owned(Vector&& vector);
py::array owned(std::vector<double>&& values, std::vector<py::ssize_t> shape);

/// A read-only array over memory that `owner` keeps.
template <typename Number>
py::array view(const Number* data, std::vector<py::ssize_t> shape, const py::handle& owner) {
  py::array_t<Number> array(std::move(shape), data, owner);
  array.attr("setflags")(false);
  return array;
}

/// The only copy of what the user gives. Throws InputError at `name` for another shape. size: −1 for any.
Vector vector_of(const py::object& array, const std::string& name, Index size = -1);
/// The same of finite numbers alone.
Vector finite_vector_of(const py::object& array, const std::string& name, Index size);

/// Of an array (two dimensions, or the diagonal alone) or of compressed columns: (rows, columns, starts, indices, values).
/// Throws InputError at `name` for other shapes and for indices outside of them.
SparseMatrix matrix_of(const py::object& matrix, const std::string& name);

/// (rows, columns, starts, indices, values) of a matrix that `owner` keeps, without a copy.
py::tuple columns_view(const SparseMatrix& matrix, const py::handle& owner);

/// Gives values of Python to fields. Throws InputError for a value that no field can take, and as FieldTable::set().
void set_fields(FieldTable& table, const py::dict& values);

/// A value of a field for Python.
py::object python_value(const FieldValue& value);

}  // namespace ccp::python
