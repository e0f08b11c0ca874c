#pragma once

#include "core/types.hpp"

namespace ccp {

/// A solid given by the signed distance φ of its surface: negative inside, m. What is declared here is all that contact
/// search asks of it.
class SignedDistance {
 public:
  virtual ~SignedDistance() = default;
  SignedDistance() = default;
  SignedDistance(const SignedDistance&) = delete;
  SignedDistance& operator=(const SignedDistance&) = delete;

  /// φ(p), m.
  virtual double distance(const Vector3& p) const = 0;
  /// ∇φ(p), of length 1 or close to it. Where φ has a kink, the gradient on one of its sides.
  virtual Vector3 gradient(const Vector3& p) const = 0;
  /// No point of the surface is nearer to p than distance(p)/lipschitz() where distance(p) > 0; >= 1.
  virtual double lipschitz() const = 0;

  /// Solids whose union is this one, as a ball sees them: one that lies in a corner touches two. φ is the least of theirs.
  virtual int parts() const { return 1; }
  virtual double part_distance(int /*part*/, const Vector3& p) const { return distance(p); }
  virtual Vector3 part_gradient(int /*part*/, const Vector3& p) const { return gradient(p); }

  /// ∇φ/‖∇φ‖, out of the solid.
  Vector3 normal(const Vector3& p) const;
};

/// The solid below the plane z = 0.
class FloorDistance final : public SignedDistance {
 public:
  double distance(const Vector3& p) const override { return p[2]; }
  Vector3 gradient(const Vector3& /*p*/) const override { return Vector3::UnitZ(); }
  double lipschitz() const override { return 1.0; }
};

/// Another solid, moved along z by `height` (m). Refers to it.
class RaisedDistance final : public SignedDistance {
 public:
  RaisedDistance(const SignedDistance& solid, double height) : solid_(solid), height_(height) {}
  double distance(const Vector3& p) const override { return solid_.distance(lowered(p)); }
  Vector3 gradient(const Vector3& p) const override { return solid_.gradient(lowered(p)); }
  double lipschitz() const override { return solid_.lipschitz(); }

 private:
  Vector3 lowered(const Vector3& p) const { return {p[0], p[1], p[2] - height_}; }

  const SignedDistance& solid_;
  double height_;
};

}  // namespace ccp
