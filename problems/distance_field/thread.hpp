#pragma once

#include <array>

#include "core/types.hpp"
#include "problems/distance_field/signed_distance.hpp"

namespace ccp {

/// The section of a thread of profile ISO 68-1 in the half-plane through its axis: a crest flat, flanks at 30°, a root flat.
/// Diameters in m; pitch P.
struct ThreadProfile {
  double pitch = 0.005;
  double major = 0.048;            ///< d or D, of the crest of a bolt or the root of a nut, at s = 0
  double pitch_diameter = 0.0448;  ///< d₂ or D₂, of the middle of the flanks at |s| = P/4
  double minor = 0.0419;           ///< d₃ or D₁, at |s| = P/2

  /// M48 × 5 with the tolerances of ISO 965-1: a bolt 6g, a nut 6H. fit: 0 tightest … 1 loosest.
  static ThreadProfile bolt_m48(double fit);
  static ThreadProfile nut_m48(double fit);

  /// Corners (s, r) of the section for 0 <= s <= P/2: the flat at `major`, the flank, the flat at `minor`.
  std::array<Vector2, 4> half_section() const;
};

/// A single-start right-handed bolt along z, |z| <= half_length. Its crest passes (d/2, 0, 0).
///
/// With s = z − Pθ/2π the distance φ_raw(s, r) in the section has ‖∇φ_raw‖² = 1 + φ_s²(P/2πr)², so that it is up to 5.4e-4
/// of itself too large. distance() = φ_raw/‖∇φ_raw‖ of the part of the section for which that is least, so that φ has no
/// jumps; gradient() is ∇φ_raw/‖∇φ_raw‖. The ends are two planes and cones of 45° that begin 0.5 mm under the root; beside
/// their edges φ is a lower bound.
class ThreadedBolt final : public SignedDistance {
 public:
  ThreadedBolt(const ThreadProfile& profile, double half_length);

  double distance(const Vector3& p) const override;
  Vector3 gradient(const Vector3& p) const override;
  double lipschitz() const override;

  /// The distance in the section, m, and its derivatives along s and r.
  struct Section {
    double distance = 0.0;
    double along = 0.0;
    double radial = 0.0;
  };
  /// φ_raw of the endless thread, s and r in m. slope: P/2πr, by which distances to its parts are compared; 0: those in the
  /// plane.
  Section section(double s, double r, double slope) const;

 private:
  struct Edge {
    Vector2 start, end, along, outward;
    double length;
  };

  /// Writes the gradient where it is asked for.
  double evaluate(const Vector3& p, Vector3* gradient) const;

  ThreadProfile profile_;
  std::array<Edge, 3> edges_;  ///< of half a section
  double half_length_;
};

}  // namespace ccp
