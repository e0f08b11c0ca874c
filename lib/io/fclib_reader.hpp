#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/fclib.hpp"
#include "problem/contact_problem.hpp"

namespace ccp {

/// One matrix of a file, under the file's name for it.
struct FclibMatrixInfo {
  std::string name;  ///< W, V, R; M, H, G
  Index rows = 0, columns = 0;
  Index nonzeros = 0;   ///< without stored zeros, as stored (W, R and M may be one triangle)
  std::string storage;  ///< "compressed columns", "compressed rows", "triplets"
};

/// Vectors from /solution or /guesses. Sizes fit the problem and entries are finite, but that is all that is known: in real
/// files they solve nothing.
struct FclibVectors {
  std::optional<Vector> u;  ///< m, local velocity, m/s
  std::optional<Vector> r;  ///< m, impulses of the contacts, N·s
  std::optional<Vector> v;  ///< n, velocity, global form only
  std::optional<Vector> l;  ///< p, impulses of the equality rows
};

/// The contents of an FCLib file.
struct FclibFile {
  std::filesystem::path path;
  FclibForm form = FclibForm::local;
  FclibInfo info;
  int spacedim = 3;                                                ///< rows of a contact: 2 or 3, with rolling 3 to 6
  Index n = 0;                                                     ///< size of v; 0 in local form
  Index m = 0;                                                     ///< rows of the contacts
  Index p = 0;                                                     ///< equality rows
  Index contacts = 0;                                              ///< m / spacedim
  double friction_min = std::numeric_limits<double>::quiet_NaN();  ///< smallest μ; NaN without contacts
  double friction_max = std::numeric_limits<double>::quiet_NaN();
  double rolling_friction_min = std::numeric_limits<double>::quiet_NaN();  ///< smallest μ_r, m; rolling forms only
  double rolling_friction_max = std::numeric_limits<double>::quiet_NaN();
  double spinning_friction_min = std::numeric_limits<double>::quiet_NaN();  ///< the same of μ_s
  double spinning_friction_max = std::numeric_limits<double>::quiet_NaN();
  std::vector<FclibMatrixInfo> matrices;
  std::vector<std::string> remarks;  ///< what a reader of the file should know, one line each
  /// Named by the stem of the path: the contacts in the order of the file, then one bilateral row for each equality row.
  std::optional<ContactProblem> problem;
  std::vector<FclibVectors> guesses;
  std::optional<FclibVectors> solution;

  /// γ = [r; l] of the rows of `problem`, l being zero where the file has none; nothing without r.
  std::optional<Vector> impulse(const FclibVectors& vectors) const;
};

/// Reads an FCLib file (a name that ends in .dat: as read_siconos() does): /fclib_global, or else /fclib_local, or else
/// /fclib_global_rolling, or else our /fclib_local_rolling. When there are several, the first of these is read, because the
/// local form follows from the global one, and a remark names the others.
///
/// Taken as they come: every integer and real type, any byte order, packed datasets, unsorted indices, repeated and zero
/// entries, μ = 0. W, R and M with one triangle only, of entries or of blocks, are completed, and M off symmetry by up to
/// 1e-2 is symmetrised; beyond, or where write_fclib() says so, it is unsymmetric on purpose (A.6), and kept as W is
/// (ContactProblem::symmetrised()). Each leaves a remark, but for what write_fclib() says. Damaged texts, guesses and
/// solutions leave a remark too, and no more. Everything else that is wrong throws InputError(file, place in the file, what
/// was found and what was expected); no size in the file is believed before the data are seen to be there. Not safe for
/// concurrent use (neither is HDF5).
FclibFile read_fclib(const std::filesystem::path& path);

}  // namespace ccp
