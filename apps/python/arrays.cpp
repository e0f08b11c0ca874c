#include "arrays.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <utility>

#include "core/error.hpp"

namespace ccp::python {
namespace {

using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;

template <typename Container>
py::array taken_over(Container&& container, std::vector<py::ssize_t> shape) {
  auto kept = std::make_unique<Container>(std::forward<Container>(container));
  const double* data = kept->data();
  const py::capsule owner(kept.get(), [](void* pointer) { delete static_cast<Container*>(pointer); });
  kept.release();
  return py::array_t<double>(std::move(shape), data, owner);
}

Doubles numbers_of(const py::object& array, const std::string& name) {
  if (py::hasattr(array, "mask") && py::isinstance(array, py::module_::import("numpy.ma").attr("MaskedArray")))
    throw InputError(name + " is a masked array, expected a number in every place");
  if (py::isinstance<py::array>(array) && py::cast<py::array>(array).dtype().kind() == 'c')
    throw InputError(name + " has complex numbers, expected real ones");
  const Doubles numbers = Doubles::ensure(array);
  if (!numbers) {
    PyErr_Clear();
    throw InputError(name + " is not an array of real numbers");
  }
  return numbers;
}

SparseMatrix compressed(const py::tuple& parts, const std::string& name) {
  const auto rows = parts[0].cast<Index>(), columns = parts[1].cast<Index>();
  const auto starts = parts[2].cast<Indices>();
  const auto indices = parts[3].cast<Indices>();
  const Doubles values = numbers_of(parts[4], name);
  const auto end = [&](Index column) { return starts.data()[column]; };
  bool sound =
      starts.size() == columns + 1 && indices.size() == values.size() && end(0) == 0 && end(columns) == values.size();
  for (Index j = 0; sound && j < columns; ++j) sound = end(j) <= end(j + 1);
  for (Index i = 0; sound && i < indices.size(); ++i) sound = indices.data()[i] >= 0 && indices.data()[i] < rows;
  if (!sound) throw InputError(name + " is damaged: its indices are not those of a sparse matrix of its shape");
  return Eigen::Map<const SparseMatrix>(rows, columns, values.size(), starts.data(), indices.data(), values.data());
}

/// A number, a text, or a list of these, as a field takes it.
FieldValue field_value(const py::handle& value, const std::string& name) {
  const auto is_flag = [](const py::handle& one) {
    return PyBool_Check(one.ptr()) || std::string(Py_TYPE(one.ptr())->tp_name) == "numpy.bool_";
  };
  if (is_flag(value)) return py::cast<bool>(py::bool_(py::reinterpret_borrow<py::object>(value)));
  if (py::isinstance<py::str>(value)) return py::cast<std::string>(value);
  try {
    if (PyIndex_Check(value.ptr())) return py::cast<std::int64_t>(value);
    if (py::isinstance<py::sequence>(value)) {
      const auto list = py::cast<py::list>(value);
      if (!list.empty() && py::isinstance<py::str>(list[0])) return py::cast<std::vector<std::string>>(list);
      return py::cast<std::vector<std::int64_t>>(list);
    }
    if (PyNumber_Check(value.ptr())) return py::cast<double>(value);
  } catch (const py::cast_error&) {
    PyErr_Clear();
  }
  throw InputError(fmt::format("'{}' is {}, expected a number, a text, or a list of whole numbers or of texts", name,
                               py::repr(value).cast<std::string>()));
}

}  // namespace

py::array owned(Vector&& vector) {
  const Index size = vector.size();
  return taken_over(std::move(vector), {size});
}

py::array owned(std::vector<double>&& values, std::vector<py::ssize_t> shape) {
  return taken_over(std::move(values), std::move(shape));
}

Vector vector_of(const py::object& array, const std::string& name, Index size) {
  const Doubles numbers = numbers_of(array, name);
  if (numbers.ndim() != 1) throw InputError(fmt::format("{} has {} dimensions, expected one", name, numbers.ndim()));
  if (size >= 0 && numbers.size() != size)
    throw InputError(fmt::format("{} has {} entries, expected {}", name, numbers.size(), size));
  return Eigen::Map<const Vector>(numbers.data(), numbers.size());
}

Vector finite_vector_of(const py::object& array, const std::string& name, Index size) {
  Vector vector = vector_of(array, name, size);
  for (Index i = 0; i < vector.size(); ++i)
    if (!std::isfinite(vector[i]))
      throw InputError(fmt::format("{}({}) is {}, expected a finite number", name, i, vector[i]));
  return vector;
}

SparseMatrix matrix_of(const py::object& matrix, const std::string& name) {
  if (py::isinstance<py::tuple>(matrix)) return compressed(matrix, name);
  const Doubles numbers = numbers_of(matrix, name);
  if (numbers.ndim() == 1) {
    const Index size = numbers.size();
    return SparseMatrix(Eigen::Map<const Vector>(numbers.data(), size).asDiagonal());
  }
  if (numbers.ndim() != 2) throw InputError(fmt::format("{} has {} dimensions, expected two", name, numbers.ndim()));
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(numbers.data(), numbers.shape(0), numbers.shape(1)).sparseView();
}

py::tuple columns_view(const SparseMatrix& matrix, const py::handle& owner) {
  return py::make_tuple(matrix.rows(), matrix.cols(), view(matrix.outerIndexPtr(), {matrix.cols() + 1}, owner),
                        view(matrix.innerIndexPtr(), {matrix.nonZeros()}, owner),
                        view(matrix.valuePtr(), {matrix.nonZeros()}, owner));
}

void set_fields(FieldTable& table, const py::dict& values) {
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    if (const Field* field = table.find(name); field != nullptr || !table.takes_any()) {
      if (field == nullptr) throw InputError(table.unknown(name));
    }
    table.set(name, field_value(value, name));
  }
}

py::object python_value(const FieldValue& value) {
  return std::visit([](const auto& one) -> py::object { return py::cast(one); }, value);
}

}  // namespace ccp::python
