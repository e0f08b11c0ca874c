#pragma once

namespace ccp {

/// exp, sin, cos and the arctangent from +, −, ×, ÷ and rounding alone, which IEEE 754 fixes. Those of the mathematics library differ in the
/// last bit between machines, and bytes of a motion must not.

/// eˣ = 2ᵏ eʳ with |r| <= ln(2)/2 and the Taylor series of eʳ. Relative error about 3e-16.
double taylor_exp(double x);

/// sin x and cos x, x in rad: Taylor series after taking off a multiple of π/2, which is known to 1e-33. Absolute error
/// about 2e-16 for |x| < 1e6; NaN beyond 1e9.
double taylor_sin(double x);
double taylor_cos(double x);

/// The angle of (x, y) in [−π, π], rad: of std::atan2, but for the signs of zeros. Absolute error about 4e-16.
double taylor_atan2(double y, double x);

/// ∛x by Newton's method, x > 0.
double cube_root(double x);

}  // namespace ccp
