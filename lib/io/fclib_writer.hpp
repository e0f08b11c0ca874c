#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/fclib.hpp"
#include "io/stored_state.hpp"
#include "problem/contact_problem.hpp"
#include "problem/placed_mesh.hpp"
#include "problem/scene_geometry.hpp"

namespace ccp {

/// Where the rows of a problem stand in an FCLib file: contacts first, then equality rows. A unilateral row becomes a
/// contact with μ = 0 whose tangential rows are empty, since FCLib has no such kind.
struct FclibLayout {
  int spacedim = 3;         ///< rows of a contact, 2 or 3; with moments 3 to 6
  bool rolling = false;     ///< whether contacts have moments
  std::vector<Index> rows;  ///< for each row of [r; l] the row of γ; −1: an added tangential row
  Index contact_rows = 0;   ///< m of the file; the remaining p rows are equality rows
  Vector friction;          ///< μ of each contact of the file
  Vector mu_r, mu_s;        ///< the same of its moments, m
  Vector length;            ///< ℓ of its moments (A.7), m

  /// A vector of the rows of the problem (γ, u, b, …) in the rows of the file, with zeros in added rows.
  Vector to_file(const Vector& problem_rows) const;
};

/// spacedim is 2 when the problem has 2D contacts, else 3, and with moments the rows of all contacts. Throws InputError when
/// it has both, or contacts with other moments, which one file cannot hold; one without any has zero coefficients.
FclibLayout fclib_layout(const ConstraintSet& constraints);

/// Impulses γ (m, in the rows of the problem and with its shift, N·s) to store with a problem. u, and v in global form, are
/// computed from them.
struct FclibImpulses {
  std::optional<Vector> solution;
  std::vector<Vector> guesses;
};

/// Writes a problem as an FCLib file, completely or not at all, byte for byte the same for the same arguments.
///
/// Global form: M = H, H and G from the columns of D, in compressed columns. A compliance C becomes virtual degrees of
/// freedom after the others: for each block C_i, with its positive definite part written as E S Eᵀ, M gains S⁻¹, and the
/// rows Eᵀ are appended to [H G]; their velocities are SEᵀγ, so u = Dᵀv + Cγ + b is the same for every γ. A problem given in
/// local form is written through ContactProblem::global(), which drops the antisymmetric and the negative part of N. An
/// unsymmetric H is named in the texts of the file (ccpbench_mass: unsymmetric), because readers repair small ones. Local
/// form: W, V, R and q, s from N and r, in compressed rows; a W or R with one triangle alone, which readers would complete,
/// is named in the same way. A shift of the impulses (cohesion) is not stored: the file holds the shifted problem. state:
/// stored beside the problem, for read_stored_state(); null: none.
///
/// geometry: for pictures, in the group /ccpbench_geometry, which other programs ignore; null or empty: none. Lists of whole
/// and of real numbers, for each surface (the bodies first, `bodies` says how many), and for each contact in the order of
/// the file:
///
///     kinds               number of the SurfaceKind
///     present             1: has entered
///     sizes, positions    3 a surface
///     rotations           9 a surface, row by row
///     contact_points      3 a contact
///     contact_frames      9 a contact: normal, tangent, tangent
///     contact_gaps        1 a contact
///     contact_sides       2 a contact: body_a, body_b
///     velocities          3 a body, m/s; missing where the state has them
///
/// meshes: with the kind 7, in the order of their numbers (PlacedMesh::number); null or empty: none. Their lists are in the
/// group /ccpbench_meshes, mesh after mesh, where nodes have numbers in their mesh:
///
///     counts              4 a mesh: nodes, triangles of the skin, elements (0: it is rigid), nodes of an element
///     places, starts      3 a node, m: now, and at the beginning
///     velocities          3 a node, m/s
///     skin                3 a triangle
///     elements            4 or 8 an element
///     stresses            1 an element: von Mises, Pa
///
/// Contacts with moments: the rolling form of the two, in which moments are in N·m·s and rates in rad/s (A.7).
///
/// Returns the order of the rows. Throws InputError for contacts of several kinds in one problem, for a local form whose N
/// is not symmetric between contacts and equality rows, and when the file cannot be written; std::logic_error for impulses
/// of a wrong size, and for a rolling form of a problem without moments. Not safe for concurrent use.
FclibLayout write_fclib(const std::filesystem::path& path, const ContactProblem& problem, FclibForm form,
                        const FclibInfo& info = {}, const FclibImpulses& impulses = {}, const StoredState* state = nullptr,
                        const SceneGeometry* geometry = nullptr, const std::vector<PlacedMesh>* meshes = nullptr);

/// Writes a step without a contact problem, for pictures: the state, the geometry and the meshes of write_fclib() alone.
void write_shapes(const std::filesystem::path& path, const StoredState& state, const SceneGeometry& geometry,
                  const std::vector<PlacedMesh>& meshes);

}  // namespace ccp
