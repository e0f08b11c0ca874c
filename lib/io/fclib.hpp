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

enum class FclibForm { local, global, global_rolling };

/// Name of the group in the file: "fclib_local", "fclib_global", "fclib_global_rolling".
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
