#include "problem.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "bench/run/dumps.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/fclib_writer.hpp"
#include "problem/motion.hpp"
#include "problem/problem_builder.hpp"
#include "problems/registry.hpp"

namespace ccp::python {
namespace {

const std::vector<std::pair<std::string, ConstraintKind>> kinds_by_name = {
    {"contact", ConstraintKind::contact},
    {"contact2d", ConstraintKind::contact2d},
    {"unilateral", ConstraintKind::unilateral},
    {"bilateral", ConstraintKind::bilateral},
    {"torsion", ConstraintKind::torsion},
    {"rolling", ConstraintKind::rolling},
    {"rolling_torsion", ConstraintKind::rolling_torsion},
    {"rolling2d", ConstraintKind::rolling2d}};

ConstraintKind kind_named(const std::string& name) {
  for (const auto& [known, kind] : kinds_by_name)
    if (known == name) return kind;
  throw InputError(fmt::format("kinds: unknown kind '{}'{}", name, suggestion(name, names_in(kinds_by_name))));
}

/// What the user says of the constraints.
struct GivenConstraints {
  std::optional<std::vector<std::string>> kinds;
  py::object friction, rolling, torsion, length;
};

/// One coefficient for all contacts that have it, or one for each of them. wanted: those contacts.
Vector coefficients_of(const py::object& given, const char* name, Index count, const char* wanted) {
  if (given.is_none() && count > 0) throw InputError(fmt::format("{} is missing: {}", name, wanted));
  if (count == 0) return {};
  const Doubles numbers = Doubles::ensure(given);
  if (!numbers || numbers.ndim() != 0) return vector_of(given, name, count);
  if (!(*numbers.data() >= 0.0 && std::isfinite(*numbers.data())))
    throw InputError(fmt::format("{} is {}, expected a finite number >= 0", name, *numbers.data()));
  return Vector::Constant(count, *numbers.data());
}

/// Without kinds: contacts in space alone, with the moments that have coefficients.
std::vector<ConstraintKind> kinds_given(const GivenConstraints& given, Index rows) {
  std::vector<ConstraintKind> blocks;
  if (given.kinds) {
    for (const std::string& name : *given.kinds) blocks.push_back(kind_named(name));
    return blocks;
  }
  const bool rolls = !given.rolling.is_none(), spins = !given.torsion.is_none();
  const ConstraintKind kind = rolls && spins ? ConstraintKind::rolling_torsion
                              : rolls        ? ConstraintKind::rolling
                              : spins        ? ConstraintKind::torsion
                                             : ConstraintKind::contact;
  constexpr const char* numbers[] = {"three", "four", "five", "six"};
  const int each = constraint_rows(kind);
  if (rows % each != 0)
    throw InputError(
        fmt::format("the problem has {} rows, expected {} for each contact, or kinds", rows, numbers[each - 3]));
  blocks.assign(uz(rows / each), kind);
  return blocks;
}

void add_constraints(const GivenConstraints& given, Index rows, ProblemBuilder& builder) {
  const std::vector<ConstraintKind> blocks = kinds_given(given, rows);
  const auto count_if = [&](const auto& has) {
    return static_cast<Index>(std::count_if(blocks.begin(), blocks.end(), has));
  };
  const auto rolls = [](ConstraintKind kind) { return block_shape(kind).rollings > 0; };
  const auto spins = [](ConstraintKind kind) { return block_shape(kind).spins > 0; };
  const Index rolling_contacts = count_if(rolls), spinning_contacts = count_if(spins), wide = count_if(has_moments);
  if (rolling_contacts == 0 && !given.rolling.is_none())
    throw InputError("rolling is given, but no contact has rolling moments");
  if (spinning_contacts == 0 && !given.torsion.is_none())
    throw InputError("torsion is given, but no contact has a spinning moment");
  if (wide == 0 && !given.length.is_none()) throw InputError("length is given, but no contact has moments");
  const Vector mu = coefficients_of(given.friction, "friction", count_if(has_friction), "one μ, or one for each contact");
  const Vector rolling =
      coefficients_of(given.rolling, "rolling", rolling_contacts, "one μ_r, or one for each contact with rolling moments");
  const Vector torsion = coefficients_of(given.torsion, "torsion", spinning_contacts,
                                         "one μ_s, or one for each contact with a spinning moment");
  const Vector length =
      given.length.is_none() ? Vector(Vector::Ones(wide)) : coefficients_of(given.length, "length", wide, "");
  Index contact = 0, roll = 0, spin = 0, moment = 0;
  for (const ConstraintKind kind : blocks) {
    if (has_moments(kind)) {
      const double mu_r = rolls(kind) ? rolling[roll++] : 0.0, mu_s = spins(kind) ? torsion[spin++] : 0.0;
      builder.rolling_contact(kind, mu[contact++], mu_r, mu_s, length[moment++]);
      continue;
    }
    ConstraintSet one;
    one.add(kind, has_friction(kind) ? mu[contact++] : 0.0);
    builder.constraints(one);
  }
}

std::shared_ptr<Problem> global_problem(const py::object& H, const py::object& D, const py::object& k, const py::object& b,
                                        const py::object& C, const std::optional<std::vector<std::string>>& kinds,
                                        const py::object& friction, const py::object& rolling, const py::object& torsion,
                                        const py::object& length, const std::string& name) {
  SparseMatrix columns = matrix_of(D, "D");
  const Index rows = columns.cols();
  ProblemBuilder builder(name);
  builder.global(matrix_of(H, "H"), vector_of(k, "k"), std::move(columns), vector_of(b, "b"));
  if (!C.is_none()) builder.compliance(matrix_of(C, "C"));
  add_constraints({kinds, friction, rolling, torsion, length}, rows, builder);
  const py::gil_scoped_release released;
  return std::make_shared<Problem>(builder.build());
}

std::shared_ptr<Problem> local_problem(const py::object& N, const py::object& r,
                                       const std::optional<std::vector<std::string>>& kinds, const py::object& friction,
                                       const py::object& rolling, const py::object& torsion, const py::object& length,
                                       const std::string& name) {
  SparseMatrix matrix = matrix_of(N, "N");
  const Index rows = matrix.cols();
  ProblemBuilder builder(name);
  builder.local(std::move(matrix), vector_of(r, "r"));
  add_constraints({kinds, friction, rolling, torsion, length}, rows, builder);
  const py::gil_scoped_release released;
  return std::make_shared<Problem>(builder.build());
}

std::shared_ptr<Problem> scene_problem(const std::string& name, std::uint64_t seed, const py::dict& parameters) {
  const auto scene = make_scene(name);
  set_fields(scene->parameters(), parameters);
  FclibInfo info = info_of(*scene, seed);
  const py::gil_scoped_release released;
  return std::make_shared<Problem>(scene->build(seed), std::move(info));
}

/// (problem, impulse of the solution in the file or None). HDF5 serves one thread at a time, and h5py has the GIL, too.
py::tuple read_problem(const std::string& path) {
  FclibFile file = read_dump(path);
  py::object impulse = py::none();
  if (file.solution)
    if (auto found = file.impulse(*file.solution)) impulse = owned(std::move(*found));
  return py::make_tuple(std::make_shared<Problem>(std::move(*file.problem), std::move(file.info)), impulse);
}

/// Throws InputError for an unknown scene, and for what its parameters do not take.
void check_scene(const std::string& name, const py::dict& parameters) {
  set_fields(make_scene(name)->parameters(), parameters);
}

/// A copy of an impulse that the user gives. Throws InputError for another size, and unless it is finite.
py::array impulse_of(const Problem& problem, const py::object& impulse) {
  return owned(finite_vector_of(impulse, "impulse", problem.contact_problem().rows()));
}

void write_problem(Problem& problem, const std::string& path, const py::object& impulse) {
  FclibImpulses impulses;
  if (!impulse.is_none()) {
    impulses.solution =
        problem.contact_problem().own_impulse(finite_vector_of(impulse, "impulse", problem.contact_problem().rows()));
  }
  problem.alone([&](const ContactProblem& contacts) {
    const py::gil_scoped_acquire hdf5;
    write_fclib(path, contacts, contacts.given_global() ? FclibForm::global : FclibForm::local, problem.info(), impulses);
  });
}

std::vector<std::string> kinds_of(const Problem& problem) {
  const ConstraintSet& set = problem.contact_problem().constraints();
  std::vector<std::string> names;
  for (Index i = 0; i < set.count(); ++i) names.push_back(name_in(kinds_by_name, set.kind(i)));
  return names;
}

/// value(set, block) of the blocks that has(kind) names.
template <typename Has, typename Value>
auto of_contacts(Has has, Value value) {
  return [has, value](const std::shared_ptr<Problem>& problem) {
    const ConstraintSet& set = problem->contact_problem().constraints();
    std::vector<double> values;
    for (Index i = 0; i < set.count(); ++i)
      if (has(set.kind(i))) values.push_back(value(set, i));
    const auto size = static_cast<py::ssize_t>(values.size());
    return owned(std::move(values), {size});
  };
}

/// Which rows and columns of a part of a form have the lengths of moments in them (A.7).
enum class Lengths { none, columns, both };

py::array given_part(const Vector& part, const Vector& lengths, Lengths) {
  py::array array = owned(part.cwiseQuotient(lengths));
  array.attr("setflags")(false);
  return array;
}
py::tuple given_part(const SparseMatrix& part, const Vector& lengths, Lengths which) {
  auto given = std::make_unique<SparseMatrix>(part * lengths.cwiseInverse().asDiagonal());
  if (which == Lengths::both) *given = lengths.cwiseInverse().asDiagonal() * *given;
  given->makeCompressed();
  const SparseMatrix& kept = *given;
  return columns_view(kept, py::capsule(given.release(), [](void* matrix) { delete static_cast<SparseMatrix*>(matrix); }));
}

/// One matrix or vector of a form, derived where it was not given: a view, but a copy where contacts have moments.
template <typename Get>
auto part_of_form(Get get, Lengths which = Lengths::none) {
  return [get, which](const std::shared_ptr<Problem>& problem) -> py::object {
    const auto& part = problem->alone([&](const ContactProblem& contacts) { return std::cref(get(contacts)); }).get();
    const Vector lengths = which == Lengths::none ? Vector() : problem->contact_problem().row_lengths();
    if (lengths.size() > 0) return given_part(part, lengths, which);
    const py::object owner = py::cast(problem);
    if constexpr (std::is_same_v<std::decay_t<decltype(part)>, Vector>)
      return view(part.data(), {part.size()}, owner);
    else
      return columns_view(part, owner);
  };
}

/// u (m, m/s) of an impulse.
py::array local_velocity_of(Problem& problem, const py::object& impulse) {
  Vector given = vector_of(impulse, "impulse", problem.contact_problem().rows()), velocity;
  problem.alone([&](const ContactProblem& contacts) {
    Vector scratch;
    contacts.local_velocity(contacts.own_impulse(std::move(given)), scratch, velocity);
    if (const Vector lengths = contacts.row_lengths(); lengths.size() > 0) velocity = velocity.cwiseQuotient(lengths);
  });
  return owned(std::move(velocity));
}

/// v (n, m/s) of an impulse.
py::object velocity_of(Problem& problem, const py::object& impulse) {
  if (!problem.contact_problem().given_global()) return py::none();
  const Vector given = vector_of(impulse, "impulse", problem.contact_problem().rows());
  return owned(problem.alone([&](const ContactProblem& contacts) { return end_velocity(contacts, given); }));
}

constexpr double rounding_of_entries = 1e-10;  // of max|N|

/// Throws InputError where an entry tells that a symmetric N is indefinite: N_ii < 0, or N_ij² > N_ii N_jj.
void check_entries(const SparseMatrix& N) {
  const Vector diagonal = N.diagonal();
  const double rounding = rounding_of_entries * (N.nonZeros() > 0 ? N.coeffs().abs().maxCoeff() : 0.0);
  for (Index i = 0; i < diagonal.size(); ++i)
    if (diagonal[i] < -rounding)
      throw InputError(fmt::format("N({0},{0}) is {1:.3g}, expected a number >= 0", i, diagonal[i]));
  for (Index j = 0; j < N.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(N, j); entry; ++entry)
      if (const double bound = std::sqrt(std::max(0.0, diagonal[entry.row()] * diagonal[j]));
          std::abs(entry.value()) > bound + rounding)
        throw InputError(fmt::format("N({0},{1}) is {2:.3g}, above √(N({0},{0}) N({1},{1})) = {3:.3g}: N is indefinite",
                                     entry.row(), j, entry.value(), bound));
}

/// What `ccpbench inspect` says of a matrix that was given and is not symmetric, or nothing. Throws as check_entries().
std::string doubt_of(const Problem& problem) {
  const ContactProblem& contacts = problem.contact_problem();
  if (!contacts.symmetric_mass())
    return fmt::format("H is not symmetric: |H_ij − H_ji| is up to {:.2g} of √(H_ii H_jj)", contacts.mass_asymmetry());
  if (contacts.symmetry_defect() > rounding_of_entries)
    return fmt::format("N is not symmetric: max|N − Nᵀ| is {:.2g} of max|N|", contacts.symmetry_defect());
  if (!contacts.given_global()) check_entries(contacts.local().N);
  return "";
}

}  // namespace

Judge& Problem::judge(Model model) {
  auto& judge = judges_.at(static_cast<std::size_t>(model));
  if (!judge) judge = std::make_unique<Judge>(problem_, model);
  return *judge;
}

void bind_problem(py::module_& module) {
  py::class_<Problem, std::shared_ptr<Problem>>(module, "Problem")
      .def_property_readonly("name", [](const Problem& problem) { return problem.contact_problem().name(); })
      .def_property_readonly("rows", [](const Problem& problem) { return problem.contact_problem().rows(); })
      .def_property_readonly("dofs", [](const Problem& problem) { return problem.contact_problem().dofs(); })
      .def_property_readonly("given_global", [](const Problem& problem) { return problem.contact_problem().given_global(); })
      .def_property_readonly("kinds", kinds_of)
      .def_property_readonly("friction", of_contacts(has_friction, [](const auto& set, Index i) { return set.friction(i); }))
      .def_property_readonly(
          "rolling", of_contacts([](ConstraintKind kind) { return block_shape(kind).rollings > 0; },
                                 [](const auto& set, Index i) { return set.moments(i).rolling * set.moments(i).length; }))
      .def_property_readonly(
          "torsion", of_contacts([](ConstraintKind kind) { return block_shape(kind).spins > 0; },
                                 [](const auto& set, Index i) { return set.moments(i).spinning * set.moments(i).length; }))
      .def_property_readonly("length",
                             of_contacts(has_moments, [](const auto& set, Index i) { return set.moments(i).length; }))
      .def_property_readonly("H", part_of_form([](const ContactProblem& p) -> auto& { return p.global().H; }))
      .def_property_readonly("D", part_of_form(
                                      [](const ContactProblem& p) -> auto& { return p.global().D; }, Lengths::columns))
      .def_property_readonly("C", part_of_form(
                                      [](const ContactProblem& p) -> auto& { return p.global().C; }, Lengths::both))
      .def_property_readonly("k", part_of_form([](const ContactProblem& p) -> auto& { return p.global().k; }))
      .def_property_readonly("b", part_of_form(
                                      [](const ContactProblem& p) -> auto& { return p.global().b; }, Lengths::columns))
      .def_property_readonly("N", part_of_form(
                                      [](const ContactProblem& p) -> auto& { return p.local().N; }, Lengths::both))
      .def_property_readonly("r", part_of_form(
                                      [](const ContactProblem& p) -> auto& { return p.free_velocity(); }, Lengths::columns))
      .def_property_readonly("cohesive",
                             [](const Problem& problem) { return problem.contact_problem().impulse_shift().size() > 0; })
      .def("doubt", doubt_of)
      .def("impulse_of", impulse_of)
      .def("local_velocity", local_velocity_of)
      .def("velocity", velocity_of);
  module.def("global_problem", global_problem);
  module.def("local_problem", local_problem);
  module.def("check_scene", check_scene);
  module.def("scene_problem", scene_problem);
  module.def("read_problem", read_problem);
  module.def("write_problem", write_problem);
}

}  // namespace ccp::python
