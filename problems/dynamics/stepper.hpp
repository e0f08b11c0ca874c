#pragma once

namespace ccp {

/// The two integrators, chosen by the scene.
enum class Stepping {
  velocity_impulse,  ///< Anitescu and Tasora: geometry at the start of the step
  moreau_midpoint    ///< Moreau (Koziara, eqs. 1–5): geometry at the half step
};

/// The inputs of b_n of a contact.
struct Approach {
  double gap = 0.0;          ///< Φ, m
  double velocity = 0.0;     ///< u_n⁻ = (Dᵀ v⁽ˡ⁾)_n + the parts of obstacles and pseudo-rigid bodies, m/s
  double restitution = 0.0;  ///< e, 0 … 1
  double time_step = 0.0;    ///< h, s
};

/// What the integrators differ in. A step of length h moves all bodies by lead()·h with v⁽ˡ⁾, makes the problem there, and
/// moves them by the rest of the step with its solution. The velocity of obstacles is that of the end of the step, as v⁽ˡ⁺¹⁾
/// is.
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Part of the step before the geometry is taken.
  virtual double lead() const = 0;
  virtual bool active(double gap) const = 0;
  /// b_n without these parts, m/s.
  virtual double normal_offset(const Approach& contact) const = 0;
};

const Stepper& stepper(Stepping stepping);

}  // namespace ccp
