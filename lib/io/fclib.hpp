#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"

/// Words shared by the reader and the writer of FCLib files (the HDF5 format of the FrictionalContactLibrary project).
///
///     local:   u = W r + V l + q,   Vᵀ r + R l + s = 0
///     global:  M v = H r + G l + f,   u = Hᵀ v + w,   Gᵀ v + b = 0
///
/// r are the impulses of the contacts (normal first), l those of the equality rows; in the terms of lib/README.md γ = [r;
/// l], N = [W V; Vᵀ R], r = [q; s], and H = M, D = [H G], k = f, b = [w; b].
namespace ccp {

/// Contacts with rolling friction have 5 rows (3 in the plane), and coefficients mu_r in m. FCLib knows them in global form;
/// local_rolling is ours, laid out as `local`. So are spacedim 4 and 6, contacts with spinning friction (alone, and beside
/// rolling friction), whose coefficients are vectors/ccpbench_mu_s, in m.
enum class FclibForm { local, global, global_rolling, local_rolling };

constexpr bool is_global(FclibForm form) { return form == FclibForm::global || form == FclibForm::global_rolling; }
constexpr bool is_rolling(FclibForm form) { return form == FclibForm::global_rolling || form == FclibForm::local_rolling; }

/// Name of the group in the file: "fclib_local", "fclib_global", "fclib_global_rolling", "fclib_local_rolling".
std::string_view fclib_form_name(FclibForm form);

/// The description in a file. Bytes as stored, in no promised encoding; see printable_text(). Those from
/// `scene` on are our own addition and ignored by other programs.
struct FclibInfo {
  std::string title, description, math_info;
  std::string scene;                  ///< name of the generator, "" when unknown
  std::string parameters;             ///< its parameters, JSON text
  std::optional<std::uint64_t> seed;  ///< its seed
  std::string certificate;            ///< how the solution in the file was certified, "" where it was not

  bool operator==(const FclibInfo&) const = default;
};

/// The bytes of a file made fit for a terminal or for JSON: UTF-8 stays, other bytes become '?', control characters blanks.
std::string printable_text(std::string_view bytes);

}  // namespace ccp
