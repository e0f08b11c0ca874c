#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"
#include "problem/judge/judge.hpp"

namespace ccp {

/// The requirements on a reference solution (K.1).
struct CertificateRule {
  double tolerance = 1e-13;     ///< of the relative residual
  double floor_multiple = 2.0;  ///< where rounding does not allow that: of the rounding floor (D.2)
  double coarsest = 1e-2;       ///< no certificate where ten floors are more than this, relative to the residual at γ = 0
};

/// Whether a point solves a problem to the last digits, by the measures of the suite. The velocity residual decides. The
/// natural map, the cone violation, the velocity of penetration and the complementarity follow from it in exact arithmetic
/// (K.2–K.5); other formulas compute them, and they must agree.
struct Certificate {
  bool holds = false;
  bool at_floor = false;            ///< by the rounding floor, because the tolerance was out of reach
  double relative_residual = 0.0;   ///< of the point
  double velocity_residual = 0.0;   ///< of the point, m/s
  double rounding_floor = 0.0;      ///< at the point, m/s; 0 where it is not known
  double accuracy = 0.0;            ///< the relative residual that is certified: the tolerance, or ten rounding floors
  std::string_view measure;         ///< the measure that decided: the first out of bounds
  double value = 0.0, bound = 0.0;  ///< of that measure, in its unit

  /// One line: what holds, or what does not.
  std::string text(const CertificateRule& rule) const;
};

/// Judges γ (m, N·s; in the terms the problem is solved in, its impulse shift included) by a judge of that problem. Measures
/// that are not finite do not hold. No allocation once the judge has evaluated all measures.
Certificate certify(Judge& judge, const Vector& impulse, const CertificateRule& rule = {});

}  // namespace ccp
