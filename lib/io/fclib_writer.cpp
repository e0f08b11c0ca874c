#include "io/fclib_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "io/fclib_matrix.hpp"
#include "io/file.hpp"
#include "io/hdf5_image.hpp"
#include "io/hdf5_step_end.hpp"
#include "linalg/dense.hpp"

namespace ccp {
namespace {

using RowMajorMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

constexpr double rank_tolerance = 1e-12;  // eigenvalues of a block of C below this times the largest count as zero

template <typename Matrix>
void add_matrix(hdf5::Image& image, const std::string& path, const Matrix& matrix) {
  const auto list = [](const int* first, Index count) { return std::vector<int>(first, first + count); };
  const Index nonzeros = matrix.nonZeros();
  image.add_integer(path + "/nzmax", static_cast<int>(nonzeros));
  image.add_integer(path + "/m", static_cast<int>(matrix.rows()));
  image.add_integer(path + "/n", static_cast<int>(matrix.cols()));
  image.add_integer(path + "/nz", Matrix::IsRowMajor ? compressed_rows : compressed_columns);
  image.add_integers(path + "/p", list(matrix.outerIndexPtr(), matrix.outerSize() + 1));
  image.add_integers(path + "/i", list(matrix.innerIndexPtr(), nonzeros));
  image.add_reals(path + "/x", Vector::Map(matrix.valuePtr(), nonzeros));
}

// Row in the file of each row of the problem.
std::vector<Index> file_rows(const FclibLayout& layout, Index problem_size) {
  std::vector<Index> rows(static_cast<std::size_t>(problem_size));
  for (std::size_t i = 0; i < layout.rows.size(); ++i)
    if (layout.rows[i] >= 0) rows[static_cast<std::size_t>(layout.rows[i])] = static_cast<Index>(i);
  return rows;
}

// The virtual degrees of freedom of a compliance.
struct VirtualDofs {
  Index count = 0;
  std::vector<Triplet> mass;     // S⁻¹, count × count
  std::vector<Triplet> columns;  // Eᵀ, count × m: a row for each virtual degree of freedom
};

// One block of C restricted to the rows it has entries in.
void add_virtual_dofs(const DenseMatrix& block, const std::vector<Index>& rows, VirtualDofs& dofs) {
  const auto add = [](std::vector<Triplet>& list, Index row, Index column, double value) {
    if (value != 0.0) list.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  const Index size = block.rows();
  if (DenseMatrix(block.diagonal().asDiagonal()) == block) {
    for (Index i = 0; i < size; ++i) {
      add(dofs.mass, dofs.count, dofs.count, 1.0 / block(i, i));
      add(dofs.columns, dofs.count++, rows[static_cast<std::size_t>(i)], 1.0);
    }
    return;
  }
  const auto [values, vectors] = symmetric_eigen(block);
  const double smallest = rank_tolerance * values[size - 1];
  if (values[0] > smallest) {  // E = I
    const DenseMatrix inverse = spd_inverse(block);
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) add(dofs.mass, dofs.count + i, dofs.count + j, 0.5 * (inverse(i, j) + inverse(j, i)));
      add(dofs.columns, dofs.count + i, rows[static_cast<std::size_t>(i)], 1.0);
    }
    dofs.count += size;
    return;
  }
  for (Index k = 0; k < size; ++k) {  // E: eigenvectors, S: their eigenvalues
    if (values[k] <= smallest) continue;
    add(dofs.mass, dofs.count, dofs.count, 1.0 / values[k]);
    for (Index i = 0; i < size; ++i) add(dofs.columns, dofs.count, rows[static_cast<std::size_t>(i)], vectors(i, k));
    ++dofs.count;
  }
}

VirtualDofs virtual_dofs(const SparseMatrix& C, const ConstraintSet& constraints) {
  VirtualDofs dofs;
  if (C.nonZeros() == 0) return dofs;
  for (Index i = 0; i < constraints.count(); ++i) {
    std::vector<Index> rows;
    for (Index row = constraints.offset(i); row < constraints.offset(i) + constraints.rows(i); ++row)
      if (C.coeff(row, row) > 0.0) rows.push_back(row);  // a PSD block with a zero on the diagonal is zero in that row
    const auto size = static_cast<Index>(rows.size());
    DenseMatrix block(size, size);
    for (Index a = 0; a < size; ++a)
      for (Index b = 0; b < size; ++b)
        block(a, b) = C.coeff(rows[static_cast<std::size_t>(a)], rows[static_cast<std::size_t>(b)]);
    if (size > 0) add_virtual_dofs(block, rows, dofs);
  }
  return dofs;
}

void add_coefficients(hdf5::Image& image, const std::string& vectors, const FclibLayout& layout) {
  image.add_reals(vectors + "/mu", layout.friction);
  if (!layout.rolling) return;
  if (layout.spacedim != 4) image.add_reals(vectors + "/mu_r", layout.mu_r);
  if (layout.spacedim % 2 == 0) image.add_reals(vectors + "/ccpbench_mu_s", layout.mu_s);
  image.add_reals(vectors + "/ccpbench_length", layout.length);
}

// A problem's form with the rows of moments as they were given (A.7).
GlobalForm given_form(const GlobalForm& form, const Vector& lengths) {
  const auto inverse = lengths.cwiseInverse().eval();
  return {form.H, form.D * inverse.asDiagonal(), inverse.asDiagonal() * form.C * inverse.asDiagonal(), form.k,
          form.b.cwiseQuotient(lengths)};
}
LocalForm given_form(const LocalForm& form, const Vector& lengths) {
  const auto inverse = lengths.cwiseInverse().eval();
  return {inverse.asDiagonal() * form.N * inverse.asDiagonal(), form.r.cwiseQuotient(lengths)};
}

void add_global(hdf5::Image& image, const std::string& group, const GlobalForm& form, const FclibLayout& layout,
                const VirtualDofs& dofs) {
  const Index n = form.H.rows(), m = layout.contact_rows, p = std::ssize(layout.rows) - m;
  const std::vector<Index> rows = file_rows(layout, form.D.cols());
  std::vector<Triplet> mass, contacts, equalities;
  const auto shifted = [n](const Triplet& entry) { return static_cast<int>(n) + entry.row(); };
  for (Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(form.H, j); entry; ++entry)
      mass.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), entry.value());
  for (const Triplet& entry : dofs.mass) mass.emplace_back(shifted(entry), static_cast<int>(n) + entry.col(), entry.value());
  const auto add_column_entry = [&](int row, Index column, double value) {
    const Index place = rows[static_cast<std::size_t>(column)];
    (place < m ? contacts : equalities).emplace_back(row, static_cast<int>(place < m ? place : place - m), value);
  };
  for (Index j = 0; j < form.D.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(form.D, j); entry; ++entry)
      add_column_entry(static_cast<int>(entry.row()), j, entry.value());
  for (const Triplet& entry : dofs.columns) add_column_entry(shifted(entry), entry.col(), entry.value());

  const Index size = n + dofs.count;
  Vector f = Vector::Zero(size);
  f.head(n) = form.k;
  const Vector b = layout.to_file(form.b);
  add_matrix(image, group + "/M", from_triplets(size, size, mass));
  add_matrix(image, group + "/H", from_triplets(size, m, contacts));
  image.add_reals(group + "/vectors/f", f);
  image.add_reals(group + "/vectors/w", b.head(m));
  add_coefficients(image, group + "/vectors", layout);
  if (p == 0) return;
  add_matrix(image, group + "/G", from_triplets(size, p, equalities));
  image.add_reals(group + "/vectors/b", b.tail(p));
}

void add_local(hdf5::Image& image, const std::string& group, const LocalForm& form, const FclibLayout& layout,
               const std::string& file) {
  const Index m = layout.contact_rows, p = std::ssize(layout.rows) - m;
  const std::vector<Index> rows = file_rows(layout, form.r.size());
  std::vector<Triplet> W, V, below, R;
  double scale = 0.0;
  for (Index j = 0; j < form.N.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(form.N, j); entry; ++entry) {
      const Index row = rows[static_cast<std::size_t>(entry.row())], column = rows[static_cast<std::size_t>(j)];
      std::vector<Triplet>& list = row < m ? (column < m ? W : V) : (column < m ? below : R);
      list.emplace_back(static_cast<int>(row < m ? row : row - m), static_cast<int>(column < m ? column : column - m),
                        entry.value());
      scale = std::max(scale, std::abs(entry.value()));
    }
  const Vector r = layout.to_file(form.r);
  const SparseMatrix whole_W = from_triplets(m, m, W), whole_R = from_triplets(p, p, R);
  add_matrix(image, group + "/W", RowMajorMatrix(whole_W));
  if (lone_triangle(whole_W, layout.spacedim).side != Triangle::none ||
      lone_triangle(whole_R, layout.spacedim).side != Triangle::none)
    image.add_text(group + "/info/ccpbench_mass", "unsymmetric");
  image.add_reals(group + "/vectors/q", r.head(m));
  add_coefficients(image, group + "/vectors", layout);
  if (p == 0) return;
  const SparseMatrix coupling = from_triplets(m, p, V);
  const SparseMatrix difference = coupling - SparseMatrix(from_triplets(p, m, below).transpose());
  if (const double defect = difference.coeffs().size() > 0 ? difference.coeffs().abs().maxCoeff() : 0.0;
      defect > rank_tolerance * scale)
    throw InputError(file, "",
                     fmt::format("N is not symmetric ({:.1e}) between contacts and equality rows, which FCLib cannot hold",
                                 defect / scale));
  add_matrix(image, group + "/V", RowMajorMatrix(coupling));
  add_matrix(image, group + "/R", RowMajorMatrix(whole_R));
  image.add_reals(group + "/vectors/s", r.tail(p));
}

void add_info(hdf5::Image& image, const std::string& group, const FclibInfo& info) {
  image.add_text(group + "/info/title", info.title);
  image.add_text(group + "/info/description", info.description);
  image.add_text(group + "/info/math_info", info.math_info);
  if (!info.scene.empty()) image.add_text(group + "/info/ccpbench_scene", info.scene);
  if (!info.parameters.empty()) image.add_text(group + "/info/ccpbench_parameters", info.parameters);
  if (info.seed) image.add_text(group + "/info/ccpbench_seed", std::to_string(*info.seed));
  if (!info.certificate.empty()) image.add_text(group + "/info/ccpbench_certificate", info.certificate);
}

void add_state(hdf5::Image& image, const StoredState& stored) {
  const std::string group = "/ccpbench_state";
  image.add_text(group + "/scene", stored.state.scene);
  image.add_text(group + "/parameters", stored.parameters);
  image.add_text(group + "/seed", std::to_string(stored.seed));
  image.add_integer(group + "/step", static_cast<int>(stored.state.step));
  image.add_reals(group + "/time", Vector::Constant(1, stored.time));
  image.add_reals(group + "/values", stored.state.values);
  if (stored.end) hdf5::add_step_end(image, group + "/end", *stored.end);
}

constexpr int mesh_kind = 7;  // after those of SurfaceKind

void append_numbers(std::vector<double>& list, const auto& values) {
  for (Index i = 0; i < values.size(); ++i) list.push_back(values.reshaped()[i]);
}

void add_list(hdf5::Image& image, const std::string& path, const std::vector<double>& values) {
  image.add_reals(path, Vector::Map(values.data(), std::ssize(values)));
}

void add_meshes(hdf5::Image& image, const std::vector<PlacedMesh>& meshes) {
  const std::string group = "/ccpbench_meshes";
  std::vector<int> counts, skin, elements;
  std::vector<double> places, starts, velocities, stresses;
  for (const PlacedMesh& mesh : meshes) {
    counts.insert(counts.end(), {static_cast<int>(mesh.places.size()), static_cast<int>(mesh.skin.size()),
                                 static_cast<int>(mesh.stresses.size()), mesh.corners});
    for (const Vector3& place : mesh.places) append_numbers(places, place);
    for (const Vector3& place : mesh.references) append_numbers(starts, place);
    for (const Vector3& velocity : mesh.velocities) append_numbers(velocities, velocity);
    for (const std::array<int, 3>& triangle : mesh.skin) skin.insert(skin.end(), triangle.begin(), triangle.end());
    elements.insert(elements.end(), mesh.elements.begin(), mesh.elements.end());
    append_numbers(stresses, mesh.stresses);
  }
  image.add_integers(group + "/counts", counts);
  add_list(image, group + "/places", places);
  add_list(image, group + "/starts", starts);
  add_list(image, group + "/velocities", velocities);
  image.add_integers(group + "/skin", skin);
  image.add_integers(group + "/elements", elements);
  add_list(image, group + "/stresses", stresses);
}

void add_geometry(hdf5::Image& image, const SceneGeometry& geometry, const std::vector<PlacedMesh>& meshes) {
  const std::string group = "/ccpbench_geometry";
  std::vector<int> kinds, present, sides;
  std::vector<double> sizes, positions, rotations, points, frames, gaps;
  const auto append = [](std::vector<double>& list, const auto& values) { append_numbers(list, values); };
  const auto obstacles = std::count_if(meshes.begin(), meshes.end(), [](const PlacedMesh& mesh) { return mesh.obstacle; });
  const bool numbered = !meshes.empty() && meshes.front().number >= 0;
  const auto bodies = std::ssize(meshes) - obstacles + std::ssize(geometry.bodies);
  const auto count = bodies + obstacles + std::ssize(geometry.obstacles);
  std::vector<const PlacedSurface*> others;
  for (const auto* surfaces : {&geometry.bodies, &geometry.obstacles})
    for (const PlacedSurface& surface : *surfaces) others.push_back(&surface);
  auto mesh = meshes.begin();
  for (auto other = others.begin(); std::ssize(kinds) < count;) {
    const std::ptrdiff_t number = std::ssize(kinds);
    const bool is_mesh = mesh != meshes.end() && (numbered         ? mesh->number == number
                                                  : mesh->obstacle ? other == others.end()
                                                                   : true);
    if (!is_mesh && other == others.end()) throw std::logic_error("write_fclib: numbers of meshes that are not in order");
    const PlacedSurface surface = is_mesh ? PlacedSurface{} : **other;
    kinds.push_back(is_mesh ? mesh_kind : static_cast<int>(surface.kind));
    present.push_back(surface.present ? 1 : 0);
    append(sizes, surface.sizes);
    append(positions, surface.position);
    append(rotations, surface.rotation.transpose().eval());
    if (is_mesh)
      ++mesh;
    else
      ++other;
  }
  for (const PlacedContact& contact : geometry.contacts) {
    append(points, contact.point);
    append(frames, contact.frame);
    gaps.push_back(contact.gap);
    sides.insert(sides.end(), {contact.body_a, contact.body_b});
  }
  const auto add_reals = [&](const char* name, const std::vector<double>& values) { add_list(image, group + name, values); };
  image.add_integer(group + "/bodies", static_cast<int>(bodies));
  image.add_integers(group + "/kinds", kinds);
  image.add_integers(group + "/present", present);
  add_reals("/sizes", sizes);
  add_reals("/positions", positions);
  add_reals("/rotations", rotations);
  add_reals("/contact_points", points);
  add_reals("/contact_frames", frames);
  add_reals("/contact_gaps", gaps);
  image.add_integers(group + "/contact_sides", sides);
  if (geometry.velocities.empty()) return;
  std::vector<double> velocities;
  for (const Vector3& velocity : geometry.velocities) append(velocities, velocity);
  add_reals("/velocities", velocities);
}

// Writes nothing without shapes and contacts.
void add_shapes(hdf5::Image& image, const SceneGeometry& geometry, const std::vector<PlacedMesh>& meshes) {
  if (geometry.empty() && meshes.empty()) return;
  add_geometry(image, geometry, meshes);
  if (!meshes.empty()) add_meshes(image, meshes);
}

// u, r, l, and v with the velocities of the virtual degrees of freedom.
void add_vectors(hdf5::Image& image, const std::string& group, const ContactProblem& problem, FclibForm form,
                 const FclibLayout& layout, const VirtualDofs& dofs, const Vector& impulse) {
  const Vector lengths = problem.row_lengths();
  if (impulse.size() != problem.rows())
    throw std::logic_error(fmt::format("write_fclib: {} impulses, expected {}", impulse.size(), problem.rows()));
  Vector u, v;
  if (is_global(form)) {
    const GlobalForm& global = problem.global();
    const Index n = global.H.rows();
    const Vector rhs = global.k + global.D * impulse;
    v.resize(n + dofs.count);
    problem.mass().solve(rhs, v.head(n));
    u = global.D.transpose() * v.head(n) + global.C * impulse + global.b;
    Vector soft = global.C * impulse;
    if (lengths.size() > 0) soft = soft.cwiseQuotient(lengths);
    v.tail(dofs.count) = from_triplets(dofs.count, problem.rows(), dofs.columns) * soft;  // Eᵀ C γ = S Eᵀ γ
    image.add_reals(group + "/v", v);
  } else {
    u = problem.local().N * impulse + problem.local().r;
  }
  Vector given = impulse;
  if (lengths.size() > 0) {
    u = u.cwiseQuotient(lengths);
    given = given.cwiseProduct(lengths);
  }
  const Index m = layout.contact_rows, p = std::ssize(layout.rows) - m;
  image.add_reals(group + "/u", layout.to_file(u).head(m));
  image.add_reals(group + "/r", layout.to_file(given).head(m));
  if (p > 0) image.add_reals(group + "/l", layout.to_file(given).tail(p));
}

}  // namespace

Vector FclibLayout::to_file(const Vector& problem_rows) const {
  Vector values(std::ssize(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) values[static_cast<Index>(i)] = rows[i] < 0 ? 0.0 : problem_rows[rows[i]];
  return values;
}

FclibLayout fclib_layout(const ConstraintSet& constraints) {
  const Index count_2d = constraints.count(ConstraintKind::contact2d) + constraints.count(ConstraintKind::rolling2d);
  const Index count_3d = constraints.contacts() - count_2d;
  if (count_2d > 0 && count_3d > 0)
    throw InputError(
        fmt::format("{} 2D and {} 3D contacts in one problem, which an FCLib file cannot hold", count_2d, count_3d));
  FclibLayout layout;
  layout.spacedim = count_2d > 0 ? 2 : 3;
  layout.rolling = constraints.has_moments();
  std::vector<double> friction, mu_r, mu_s, length;
  for (Index i = 0; i < constraints.count(); ++i) {
    if (!has_moments(constraints.kind(i))) continue;
    if (layout.spacedim > (count_2d > 0 ? 2 : 3) && constraints.rows(i) != layout.spacedim)
      throw InputError("contacts with different moments in one problem, which an FCLib file cannot hold");
    layout.spacedim = static_cast<int>(constraints.rows(i));
  }
  for (Index i = 0; i < constraints.count(); ++i) {
    if (constraints.kind(i) == ConstraintKind::bilateral) continue;
    friction.push_back(has_friction(constraints.kind(i)) ? constraints.friction(i) : 0.0);
    const MomentFriction& moments = constraints.moments(i);
    mu_r.push_back(moments.rolling * moments.length);
    mu_s.push_back(moments.spinning * moments.length);
    length.push_back(moments.length);
    for (Index row = 0; row < layout.spacedim; ++row)
      layout.rows.push_back(row < constraints.rows(i) ? constraints.offset(i) + row : -1);
  }
  layout.contact_rows = std::ssize(layout.rows);
  const auto vector_of = [](const std::vector<double>& list) { return Vector(Vector::Map(list.data(), std::ssize(list))); };
  layout.friction = vector_of(friction);
  layout.mu_r = vector_of(mu_r);
  layout.mu_s = vector_of(mu_s);
  layout.length = vector_of(length);
  for (Index i = 0; i < constraints.count(); ++i)
    if (constraints.kind(i) == ConstraintKind::bilateral) layout.rows.push_back(constraints.offset(i));
  return layout;
}

FclibLayout write_fclib(const std::filesystem::path& path, const ContactProblem& problem, FclibForm form,
                        const FclibInfo& info, const FclibImpulses& impulses, const StoredState* state,
                        const SceneGeometry* geometry, const std::vector<PlacedMesh>* meshes) {
  check_name(path);
  FclibLayout layout;
  try {
    layout = fclib_layout(problem.constraints());
  } catch (const InputError& error) {
    throw InputError(path.string(), "", error.what());
  }
  if (is_rolling(form) && !layout.rolling) throw std::logic_error("write_fclib: no contact of the problem has moments");
  if (layout.rolling) form = is_global(form) ? FclibForm::global_rolling : FclibForm::local_rolling;
  const std::string group = fmt::format("/{}", fclib_form_name(form));
  const Vector lengths = problem.row_lengths();
  hdf5::Image image;
  VirtualDofs dofs;
  image.add_integer(group + "/spacedim", layout.spacedim);
  if (is_global(form)) {
    const GlobalForm& own = problem.global();
    const GlobalForm given = layout.rolling ? given_form(own, lengths) : own;
    dofs = virtual_dofs(given.C, problem.constraints());
    add_global(image, group, given, layout, dofs);
    if (!problem.symmetric_mass()) image.add_text(group + "/info/ccpbench_mass", "unsymmetric");
  } else {
    const LocalForm& own = problem.local();
    add_local(image, group, layout.rolling ? given_form(own, lengths) : own, layout, path.string());
  }
  add_info(image, group, info);
  if (impulses.solution) add_vectors(image, "/solution", problem, form, layout, dofs, *impulses.solution);
  if (!impulses.guesses.empty()) image.add_integer("/guesses/number_of_guesses", static_cast<int>(impulses.guesses.size()));
  for (std::size_t i = 0; i < impulses.guesses.size(); ++i)
    add_vectors(image, fmt::format("/guesses/{}", i + 1), problem, form, layout, dofs, impulses.guesses[i]);
  if (state != nullptr) add_state(image, *state);
  if (geometry != nullptr) add_shapes(image, *geometry, meshes != nullptr ? *meshes : std::vector<PlacedMesh>{});
  write_file_atomically(path, image.bytes());
  return layout;
}

void write_shapes(const std::filesystem::path& path, const StoredState& state, const SceneGeometry& geometry,
                  const std::vector<PlacedMesh>& meshes) {
  check_name(path);
  hdf5::Image image;
  add_state(image, state);
  add_shapes(image, geometry, meshes);
  write_file_atomically(path, image.bytes());
}

}  // namespace ccp
