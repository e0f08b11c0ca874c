#pragma once

/// The closed form of a contact in the plane with all others frozen (E.6), without branches, so that several contacts go
/// into one instruction. Shared by loops over groups and by single contacts; in an unnamed namespace, because the linker
/// must not keep one copy for all.
namespace ccp {
namespace {

/// One contact in the plane: N_ii by its entries (1/kg), μ, and its velocity without its own impulse (m/s).
struct PlanarContact {
  double nn, tn, nt, tt;
  double mu;
  double w_n, w_t;
};
struct PlanarImpulse {
  double n, t;
};

constexpr double zero_planar_rate = 64.0 * 0x1p-52;       ///< a Schur complement below this, against N_ii, is rounding
constexpr double zero_planar_velocity = 1e-12;            ///< and a velocity below this, against w
constexpr double largest_planar_impulse = 1e-3 * 0x1p52;  ///< through N_ii of the size of 1, for w of the size of 1

[[gnu::always_inline]] inline double larger_entry(double a, double b) { return a < b ? b : a; }

/// γ with u = N_ii γ + w: open, else stick, else slip with γ_t = ∓μ γ_n. False, with a result that means nothing, where N_ii
/// is singular, sticking leaves a velocity or the contact jams, and for a NaN.
[[gnu::always_inline]] inline bool solve_planar(const PlanarContact& c, PlanarImpulse& gamma) {
  const bool open = (c.w_n >= 0.0) | !(c.nn > 0.0), numbers = (c.w_n == c.w_n) & (c.w_t == c.w_t);
  const double ratio = c.tn / c.nn, S = c.tt - ratio * c.nt, w_t = c.w_t - ratio * c.w_n;
  const bool regular = S > zero_planar_rate * larger_entry(c.nn, c.tt);
  const double size = larger_entry(__builtin_fabs(c.w_n), __builtin_fabs(c.w_t));

  const double stick_t = -w_t / S, stick_n = -(c.w_n + c.nt * stick_t) / c.nn;
  const bool sticks = __builtin_fabs(stick_t) <= c.mu * stick_n;
  const double u_n = c.nn * stick_n + c.nt * stick_t + c.w_n, u_t = c.tn * stick_n + c.tt * stick_t + c.w_t;
  const bool holds =
      (larger_entry(__builtin_fabs(u_n), __builtin_fabs(u_t)) <= zero_planar_velocity * size) & (stick_n >= 0.0);

  const double slope = __builtin_copysign(c.mu, stick_t), slip_n = -c.w_n / (c.nn + slope * c.nt), slip_t = slope * slip_n;
  const double most = largest_planar_impulse * size / c.nn;
  const bool slips = (slip_n >= 0.0) & (larger_entry(slip_n, __builtin_fabs(slip_t)) <= most);

  gamma.n = open ? 0.0 : sticks ? stick_n : slip_n;
  gamma.t = open ? 0.0 : sticks ? stick_t : slip_t;
  return numbers & (open | (regular & ((sticks & holds) | (!sticks & slips))));
}

}  // namespace
}  // namespace ccp
