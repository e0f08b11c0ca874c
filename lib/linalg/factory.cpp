#include <algorithm>
#include <functional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/direct/backends.hpp"

namespace ccp {
namespace {

struct Backend {
  std::string name;
  std::vector<MatrixKind> kinds;
  std::function<std::unique_ptr<LinearSolver>(MatrixKind)> make;

  bool supports(MatrixKind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }
};

const std::vector<Backend>& backends() {
  using enum MatrixKind;
  static const std::vector<Backend> all = {
      {"mumps", {spd, quasi_definite, indefinite, unsymmetric}, linalg::make_mumps},
#ifdef CCP_HAVE_CHOLMOD
      {"cholmod", {spd}, linalg::make_cholmod},
#endif
      {"eigen_ldlt", {spd, quasi_definite}, linalg::make_eigen_ldlt},
      {"eigen_lu", {unsymmetric}, linalg::make_eigen_lu},
  };
  return all;
}

const Backend* find(const std::string& name) {
  const auto found = std::find_if(backends().begin(), backends().end(), [&](const Backend& b) { return b.name == name; });
  return found == backends().end() ? nullptr : &*found;
}

std::string resolve_auto(const std::string& name, MatrixKind kind) {
  if (name != "auto") return name;
  return kind == MatrixKind::spd && find("cholmod") ? "cholmod" : "mumps";
}

}  // namespace

const char* matrix_kind_name(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::spd: return "positive definite";
    case MatrixKind::quasi_definite: return "quasi-definite";
    case MatrixKind::indefinite: return "indefinite";
    case MatrixKind::unsymmetric: return "unsymmetric";
  }
  return "";
}

std::vector<std::string> linear_solver_names() {
  std::vector<std::string> names;
  for (const Backend& backend : backends()) names.push_back(backend.name);
  return names;
}

bool linear_solver_supports(const std::string& backend, MatrixKind kind) {
  const Backend* found = find(resolve_auto(backend, kind));
  return found && found->supports(kind);
}

std::unique_ptr<LinearSolver> make_linear_solver(const std::string& backend, MatrixKind kind) {
  const std::string name = resolve_auto(backend, kind);
  const Backend* found = find(name);
  if (!found) {
    std::vector<std::string> known = linear_solver_names();
    known.push_back("auto");
    throw InputError("unknown linear solver '" + name + "'" + suggestion(name, known));
  }
  if (!found->supports(kind)) {
    std::vector<std::string> able;
    for (const Backend& other : backends())
      if (other.supports(kind)) able.push_back(other.name);
    throw InputError("linear solver '" + name + "' does not take " + matrix_kind_name(kind) +
                     " matrices (those that do: " + join(able, ", ") + ")");
  }
  use_single_blas_thread();
  return found->make(kind);
}

}  // namespace ccp
