#include "problem/problem_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/taken.hpp"
#include "core/text.hpp"
#include "linalg/dense.hpp"
#include "problem/contact_problem_data.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/shared_delassus.hpp"

namespace ccp {
namespace {

void check_finite(const char* name, const SparseMatrix& matrix, std::vector<std::string>& defects) {
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      if (!std::isfinite(entry.value())) {
        defects.push_back(
            fmt::format("{}({},{}) is {}, expected a finite number", name, entry.row(), j, format_double(entry.value())));
        return;
      }
}

void check_finite(const char* name, const Vector& vector, std::vector<std::string>& defects) {
  for (Index i = 0; i < vector.size(); ++i)
    if (!std::isfinite(vector[i])) {
      defects.push_back(fmt::format("{}({}) is {}, expected a finite number", name, i, format_double(vector[i])));
      return;
    }
}

/// Compressed, with sorted indices and duplicates summed, which everything behind the builder relies on.
SparseMatrix normalised(SparseMatrix& matrix) {
  matrix.makeCompressed();
  bool sorted = true;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (int k = matrix.outerIndexPtr()[j] + 1; k < matrix.outerIndexPtr()[j + 1]; ++k)
      sorted = sorted && matrix.innerIndexPtr()[k - 1] < matrix.innerIndexPtr()[k];
  if (sorted) return taken(matrix);
  std::vector<Triplet> entries;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (int k = matrix.outerIndexPtr()[j]; k < matrix.outerIndexPtr()[j + 1]; ++k)
      entries.emplace_back(matrix.innerIndexPtr()[k], static_cast<int>(j), matrix.valuePtr()[k]);
  return from_triplets(matrix.rows(), matrix.cols(), entries);
}

constexpr double rounding_asymmetry = 1e-10;

/// Largest |H_ij − H_ji| against √(H_ii H_jj), which bounds the entries of a symmetric positive definite matrix.
double scaled_asymmetry(const SparseMatrix& H) {
  const Vector diagonal = H.diagonal();
  const SparseMatrix difference = H - SparseMatrix(H.transpose());
  double largest = 0.0;
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(difference, j); entry; ++entry)
      largest = std::max(largest, std::abs(entry.value()) / std::sqrt(diagonal[entry.row()] * diagonal[j]));
  return largest;
}

void check_shape(const char* name, const SparseMatrix& matrix, Index rows, Index columns,
                 std::vector<std::string>& defects) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    defects.push_back(fmt::format("{} is {}×{}, expected {}×{}", name, matrix.rows(), matrix.cols(), rows, columns));
}

void check_size(const char* name, const Vector& vector, Index size, std::vector<std::string>& defects) {
  if (vector.size() != size) defects.push_back(fmt::format("{} has {} entries, expected {}", name, vector.size(), size));
}

/// L⁻¹D and r of a shared problem (E.14), which takes H, D and k unless the form keeps them.
void form_products(ContactProblem::Data& data) {
  GlobalForm& form = *data.global;
  SharedForm& shared = *data.shared;
  Stopwatch watch;
  watch.start();
  if (!shared.keeps_matrices) {
    SparseMatrix().swap(form.H);
    data.mass->release_inverses();
  }
  shared.delassus = std::make_shared<SharedDelassus>(data.constraints, shared, form.D, form.C, *data.mass, form.k);
  if (!shared.keeps_matrices) {
    data.mass->release_roots();
    form.k = {};
    if (form.C.nonZeros() == 0) SparseMatrix().swap(form.C);
  }
  data.conversions->push_back({"factored operator", watch.seconds()});
  const double before = watch.seconds();
  data.free_velocity = shared.delassus->free_velocity(form.b);
  data.conversions->push_back({"free velocity", watch.seconds() - before});
}

}  // namespace

ProblemBuilder& ProblemBuilder::global(SparseMatrix H, Vector k, SparseMatrix D, Vector b) {
  has_global_ = true;
  normalised(H).swap(global_.H);
  global_.k = std::move(k);
  normalised(D).swap(global_.D);
  global_.b = std::move(b);
  return *this;
}

ProblemBuilder& ProblemBuilder::local(SparseMatrix N, Vector r) {
  has_local_ = true;
  local_ = {normalised(N), std::move(r)};
  return *this;
}

ProblemBuilder& ProblemBuilder::compliance(SparseMatrix C) {
  has_compliance_ = true;
  normalised(C).swap(global_.C);
  return *this;
}

ProblemBuilder& ProblemBuilder::subsystems(Subsystems data) {
  subsystems_ = std::move(data);
  return *this;
}

ProblemBuilder& ProblemBuilder::shared(std::shared_ptr<SharedForm> form) {
  shared_ = std::move(form);
  return *this;
}

ProblemBuilder& ProblemBuilder::contact(double friction) {
  constraints_.add(ConstraintKind::contact, friction);
  return *this;
}

ProblemBuilder& ProblemBuilder::contact2d(double friction) {
  constraints_.add(ConstraintKind::contact2d, friction);
  return *this;
}

MomentFriction scaled_moments(ConstraintKind kind, double friction, double rolling, double spinning, double length) {
  const BlockShape shape = block_shape(kind);
  if (friction > 0.0 && shape.rollings > 0 && rolling > 0.0)
    length = rolling / friction;
  else if (friction > 0.0 && shape.spins > 0 && spinning > 0.0)
    length = spinning / friction;
  return {shape.rollings > 0 ? rolling / length : 0.0, shape.spins > 0 ? spinning / length : 0.0, length};
}

ProblemBuilder& ProblemBuilder::rolling_contact(ConstraintKind kind, double friction, double rolling, double spinning,
                                                double length) {
  const MomentFriction moments = scaled_moments(kind, friction, rolling, spinning, length);
  for (int row = 1 + block_shape(kind).tangents; row < constraint_rows(kind); ++row)
    moment_rows_.emplace_back(constraints_.rows() + row, moments.length);
  constraints_.add(kind, friction, moments);
  return *this;
}

ProblemBuilder& ProblemBuilder::unilateral() {
  constraints_.add(ConstraintKind::unilateral);
  return *this;
}

ProblemBuilder& ProblemBuilder::bilateral() {
  constraints_.add(ConstraintKind::bilateral);
  return *this;
}

ProblemBuilder& ProblemBuilder::constraints(const ConstraintSet& set) {
  for (Index i = 0; i < set.count(); ++i) constraints_.add(set.kind(i), set.friction(i), set.moments(i));
  return *this;
}

ProblemBuilder& ProblemBuilder::cohesive_contact(double friction, double cohesion) {
  cohesion_.emplace_back(constraints_.rows(), cohesion);
  return contact(friction);
}

ProblemBuilder& ProblemBuilder::soft(double stiffness, double damping, double elongation) {
  soft_.push_back({constraints_.rows(), stiffness, damping, elongation});
  return bilateral();
}

void ProblemBuilder::check_constraints(std::vector<std::string>& defects) const {
  for (Index i = 0; i < constraints_.count(); ++i)
    if (!std::isfinite(constraints_.friction(i)) || constraints_.friction(i) < 0.0)
      defects.push_back(fmt::format("friction coefficient {} is {}, expected a finite number >= 0", i,
                                    format_double(constraints_.friction(i))));
  for (Index i = 0; i < constraints_.count(); ++i) {
    const MomentFriction& moments = constraints_.moments(i);
    const double least = std::min(moments.rolling, moments.spinning), all = moments.rolling + moments.spinning;
    if (!std::isfinite(all + moments.length) || !(least >= 0.0) || !(moments.length > 0.0))
      defects.push_back(
          fmt::format("rolling friction {} is {} m, spinning friction {} m, their length {} m, expected finite "
                      "numbers >= 0 and a length > 0",
                      i, format_double(moments.rolling * moments.length), format_double(moments.spinning * moments.length),
                      format_double(moments.length)));
  }
  for (const auto& [row, cohesion] : cohesion_)
    if (!std::isfinite(cohesion) || cohesion < 0.0)
      defects.push_back(
          fmt::format("cohesion of row {} is {}, expected a finite number >= 0", row, format_double(cohesion)));
  for (const Soft& soft : soft_) {
    if (!std::isfinite(soft.damping) || soft.damping <= 0.0)
      defects.push_back(
          fmt::format("damping of soft row {} is {}, expected a finite number > 0", soft.row, format_double(soft.damping)));
    else if (!std::isfinite(1.0 / soft.damping) || !std::isfinite(soft.stiffness * soft.elongation / soft.damping))
      defects.push_back(
          fmt::format("soft row {} has no finite compliance 1/damping and offset stiffness·elongation/damping", soft.row));
    if (!std::isfinite(soft.stiffness) || !std::isfinite(soft.elongation))
      defects.push_back(fmt::format("stiffness or elongation of soft row {} is not finite", soft.row));
  }
}

void ProblemBuilder::check_local(std::vector<std::string>& defects) const {
  check_shape("N", local_.N, constraints_.rows(), constraints_.rows(), defects);
  check_size("r", local_.r, constraints_.rows(), defects);
  check_finite("N", local_.N, defects);
  check_finite("r", local_.r, defects);
  if (has_compliance_ || !soft_.empty()) defects.emplace_back("compliance needs the global form");
  if (subsystems_) defects.emplace_back("subsystems need the global form");
}

void ProblemBuilder::check_global(std::vector<std::string>& defects) const {
  const Index n = global_.H.rows(), m = constraints_.rows();
  const std::size_t before = defects.size();
  check_shape("H", global_.H, n, n, defects);
  check_shape("D", global_.D, n, m, defects);
  check_size("k", global_.k, n, defects);
  check_size("b", global_.b, m, defects);
  check_finite("H", global_.H, defects);
  check_finite("D", global_.D, defects);
  check_finite("k", global_.k, defects);
  check_finite("b", global_.b, defects);
  if (defects.size() != before) return;
  const Vector diagonal = global_.H.diagonal();
  for (Index i = 0; i < n; ++i)
    if (!(diagonal[i] > 0.0)) {
      defects.push_back(fmt::format("H({0},{0}) is {1}, expected a positive number", i, format_double(diagonal[i])));
      return;
    }
  if (has_compliance_) check_compliance(defects);
  if (!subsystems_) return;
  for (std::string& defect : subsystem_defects(*subsystems_, constraints_, global_.H, global_.D))
    defects.push_back(std::move(defect));
}

void ProblemBuilder::check_compliance(std::vector<std::string>& defects) const {
  const SparseMatrix& C = global_.C;
  const std::size_t before = defects.size();
  check_shape("C", C, constraints_.rows(), constraints_.rows(), defects);
  check_finite("C", C, defects);
  if (defects.size() != before) return;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    DenseMatrix block = DenseMatrix::Zero(rows, rows);
    for (Index c = 0; c < rows; ++c)
      for (SparseMatrix::InnerIterator entry(C, offset + c); entry; ++entry) {
        if (entry.row() < offset || entry.row() >= offset + rows) {
          defects.push_back(
              fmt::format("C({},{}) couples two constraints, expected a block-diagonal matrix", entry.row(), offset + c));
          return;
        }
        block(entry.row() - offset, c) = entry.value();
      }
    const double scale = block.cwiseAbs().maxCoeff();
    const Vector eigenvalues = symmetric_eigenvalues(block);
    if ((block - block.transpose()).cwiseAbs().maxCoeff() > 1e-12 * scale || eigenvalues[0] < -1e-12 * scale)
      defects.push_back(fmt::format("block {} of C is not symmetric positive semidefinite", i));
  }
}

std::vector<std::string> ProblemBuilder::defects() const {
  std::vector<std::string> list;
  check_constraints(list);
  if (has_global_ && has_local_) list.emplace_back("both a global and a local form were given, expected one");
  if (!has_global_ && !has_local_) list.emplace_back("no matrices were given, expected a global or a local form");
  if (has_global_) check_global(list);
  if (has_local_) check_local(list);
  return list;
}

Vector ProblemBuilder::lengths_to_scale() const {
  if (moment_rows_.empty()) return {};
  Vector lengths = Vector::Ones(constraints_.rows());
  for (const auto& [row, length] : moment_rows_) lengths[row] = length;
  return lengths;
}

void ProblemBuilder::resolve_global() {
  GlobalForm& form = global_;
  const Index m = constraints_.rows();
  std::vector<Triplet> entries;
  if (has_compliance_)
    for (Index j = 0; j < m; ++j)
      for (SparseMatrix::InnerIterator entry(form.C, j); entry; ++entry)
        entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), entry.value());
  for (const Soft& soft : soft_) {
    entries.emplace_back(static_cast<int>(soft.row), static_cast<int>(soft.row), 1.0 / soft.damping);
    form.b[soft.row] = soft.stiffness * soft.elongation / soft.damping;
  }
  form.C = from_triplets(m, m, entries);
  if (const Vector lengths = lengths_to_scale(); lengths.size() > 0) {  // (A.7)
    form.D = form.D * lengths.asDiagonal();
    form.b = form.b.cwiseProduct(lengths);
    form.C = lengths.asDiagonal() * form.C * lengths.asDiagonal();
  }
}

ContactProblem ProblemBuilder::build() const& {
  ProblemBuilder copy(*this);
  return std::move(copy).build();
}

ContactProblem ProblemBuilder::build() && {
  const std::vector<std::string> list = defects();
  if (!list.empty()) {
    // One line, however bad the data: the first few defects say enough.
    std::vector<std::string> shown(list.begin(), list.begin() + std::min<std::ptrdiff_t>(3, std::ssize(list)));
    if (list.size() > shown.size()) shown.push_back(fmt::format("and {} more defects", list.size() - shown.size()));
    throw InputError(join(shown, "; "));
  }
  auto data = std::make_shared<ContactProblem::Data>();
  data->name = name_;
  data->constraints = constraints_;
  data->given_global = has_global_;
  if (!cohesion_.empty()) {
    data->impulse_shift.setZero(constraints_.rows());
    for (const auto& [row, cohesion] : cohesion_) data->impulse_shift[row] = cohesion;
  }
  if (has_global_) {
    resolve_global();
    constraints_ = {};
    GlobalForm& form = data->global.emplace();
    for (SparseMatrix GlobalForm::*matrix : {&GlobalForm::H, &GlobalForm::D, &GlobalForm::C})
      (form.*matrix).swap(global_.*matrix);
    form.k = std::move(global_.k);
    form.b = std::move(global_.b);
    if (!cohesion_.empty()) {  // (B.2)
      form.k -= form.D * data->impulse_shift;
      form.b -= form.C * data->impulse_shift;
    }
    const double asymmetry = scaled_asymmetry(form.H);
    const bool symmetric = asymmetry <= rounding_asymmetry;
    if (!symmetric) data->mass_asymmetry = asymmetry;
    Stopwatch watch;
    watch.start();
    // Here, to find out whether H is positive definite.
    data->mass = std::make_unique<MassMatrix>(form.H, symmetric ? MatrixKind::spd : MatrixKind::unsymmetric);
    data->conversions->push_back({"inverse of H", watch.seconds()});
    data->subsystems = subsystems_;
    data->shared = shared_;
    if (data->shared) form_products(*data);
  } else {
    data->local = local_;
    if (const Vector lengths = lengths_to_scale(); lengths.size() > 0)
      data->local = LocalForm{lengths.asDiagonal() * local_.N * lengths.asDiagonal(), local_.r.cwiseProduct(lengths)};
    if (!cohesion_.empty()) data->local->r -= data->local->N * data->impulse_shift;
    data->symmetry_defect = symmetry_defect(data->local->N);
  }
  return ContactProblem(std::move(data));
}

}  // namespace ccp
