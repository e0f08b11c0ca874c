#include "cones/rolling_cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ccp {
namespace {

using detail::safe_limit;
constexpr double smallest_safe = 1e-60;  // largest entry of a point whose products do not underflow

/// A number of each disc.
using DiscNumbers = std::array<double, 3>;

double disc_norm(const ConeDisc& disc, const double* p) {
  const double* part = p + disc.first;
  return disc.size == 1 ? std::abs(part[0]) : detail::tangent_norm(Vector3(0.0, part[0], part[1]));
}
DiscNumbers disc_norms(const RollingCone& cone, const double* p) {
  DiscNumbers norms{};
  for (int i = 0; i < cone.count; ++i) norms[uz(i)] = disc_norm(cone.disc[uz(i)], p);
  return norms;
}

/// The piece of the projection at a point: its normal t >= 0, and the discs whose bound is active.
struct Piece {
  double t = 0.0, divisor = 1.0;  ///< 1 + Σ c_i² over them
  std::array<bool, 3> active{};
  bool polar = false;
};

/// (C.4): discs become active in the order of their breakpoints ‖p_i‖/c_i, the largest first.
Piece piece_of(const RollingCone& cone, double normal, const DiscNumbers& norm) {
  Piece piece;
  piece.t = normal;
  double sum = normal;
  bool any = false;
  for (int added = 0; added < cone.count; ++added) {
    int next = -1;
    for (int i = 0; i < cone.count; ++i) {
      const double c = cone.disc[uz(i)].radius;
      if (piece.active[uz(i)] || !(norm[uz(i)] > c * piece.t)) continue;
      if (next < 0 || norm[uz(i)] * cone.disc[uz(next)].radius > norm[uz(next)] * c) next = i;
    }
    if (next < 0) break;
    const double c = cone.disc[uz(next)].radius;
    any = piece.active[uz(next)] = true;
    piece.divisor += c * c;
    sum += c * norm[uz(next)];
    piece.t = sum / piece.divisor;
  }
  piece.polar = any ? !(piece.t > 0.0) : !(piece.t >= 0.0);
  return piece;
}

/// A disc of p, whose norm is given, brought to a smaller radius.
void shrink_disc(const ConeDisc& disc, double radius, double norm, double* p) {
  double* part = p + disc.first;
  if (disc.size == 1) {
    part[0] = std::copysign(radius, part[0]);
    return;
  }
  const double factor = norm > 0.0 ? radius / norm * detail::inward : 0.0;
  part[0] *= factor;
  part[1] *= factor;
}

/// Calls body(p) for the point, or for a copy scaled by a power of two where products would overflow or underflow, and
/// returns the exponent; `not_finite` where an entry is none.
constexpr int not_finite = std::numeric_limits<int>::max();
template <typename Body>
int with_safe_point(int rows, const double* p, const Body& body) {
  double largest = 0.0;
  for (int k = 0; k < rows; ++k) {
    if (!std::isfinite(p[k])) return not_finite;
    largest = std::max(largest, std::abs(p[k]));
  }
  if (largest == 0.0 || (largest >= smallest_safe && largest <= safe_limit)) {
    body(p);
    return 0;
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  double scaled[most_rows];
  for (int k = 0; k < rows; ++k) scaled[k] = std::ldexp(p[k], -exponent);
  body(scaled);
  return exponent;
}

void restore(int rows, int exponent, double* p) {
  if (exponent == 0) return;
  for (int k = 0; k < rows; ++k)
    p[k] = exponent == not_finite ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(p[k], exponent);
}

/// matrix += factor q qᵀ of a disc's two unit vectors along p, or of the only one.
void add_disc_identity(const ConeDisc& disc, double factor, BlockSquare& matrix) {
  for (int k = disc.first; k < disc.first + disc.size; ++k) matrix(k, k) += factor;
}
/// p_i/‖p_i‖ in the rows of a disc.
BlockColumn disc_direction(const RollingCone& cone, const ConeDisc& disc, double norm, const double* p) {
  BlockColumn q = BlockColumn::Zero(cone.rows);
  for (int k = disc.first; k < disc.first + disc.size && norm > 0.0; ++k) q[k] = p[k] / norm;
  return q;
}

/// The parts of g and u along q = p_i/‖p_i‖ and across it.
struct DiscParts {
  double q[2] = {1.0, 0.0};
  double g_along = 0.0, u_along = 0.0, rest = 0.0, g_norm = 0.0;
};
DiscParts disc_parts(const ConeDisc& disc, const double* g, const double* u, double norm) {
  DiscParts parts;
  const double *own = g + disc.first, *velocity = u + disc.first;
  parts.g_norm = disc_norm(disc, g);
  if (disc.size == 1) {
    parts.q[0] = own[0] - velocity[0] < 0.0 ? -1.0 : 1.0;
    parts.g_along = parts.q[0] * own[0];
    parts.u_along = parts.q[0] * velocity[0];
    return parts;
  }
  if (!(norm > 0.0)) return parts;
  parts.q[0] = (own[0] - velocity[0]) / norm;
  parts.q[1] = (own[1] - velocity[1]) / norm;
  parts.g_along = parts.q[0] * own[0] + parts.q[1] * own[1];
  parts.u_along = parts.q[0] * velocity[0] + parts.q[1] * velocity[1];
  parts.rest = (own[0] * velocity[1] - own[1] * velocity[0]) / norm;  // p × g = p × u = g × u
  const double speed = disc_norm(disc, u);
  if (norm < 0.5 * std::max(parts.g_norm, speed)) {  // where g is nearly u that product has no digits of its own
    const double* smaller = speed < parts.g_norm ? velocity : own;
    parts.rest = parts.q[0] * smaller[1] - parts.q[1] * smaller[0];
  }
  return parts;
}
/// The disc of a defect with these coordinates along q and across it.
void set_disc(const ConeDisc& disc, const DiscParts& parts, double radial, double* defect) {
  double* part = defect + disc.first;
  part[0] = radial * parts.q[0];
  if (disc.size == 1) return;
  part[0] -= parts.rest * parts.q[1];
  part[1] = radial * parts.q[1] + parts.rest * parts.q[0];
}

/// ‖g_i − u_i‖ − ‖u_i‖ from the difference of the squares: both may be far larger.
double longer(const ConeDisc& disc, const double* g, const double* u, double norm, double speed) {
  if (!(norm + speed > 0.0)) return 0.0;
  double product = 0.0;
  for (int k = disc.first; k < disc.first + disc.size; ++k) product += g[k] * (g[k] - 2.0 * u[k]);
  return product / (norm + speed);
}

/// g − Π_K(g − w). e = (1, c_i q_i)/√D spans the face of the active discs. Of û its part along e stays, of g that across e,
/// from δ_i = q_i·g_i − c_i g_n: in the normal −Σ c_i δ_i/D, along q_i (δ_i + Σ_j c_j (c_j q_i·g_i − c_i q_j·g_j))/D, where
/// large coefficients cancel in no sum. A disc is active where ‖p_i‖ − c_i t > 0, which is δ_i − q_i·u_i + c_i d_n with
/// the normal d_n of the defect: good near a solution, where t is nearly g_n.
class FaceDefect {
 public:
  FaceDefect(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u, bool corrected)
      : cone_(cone), g_(g), u_(u), corrected_(corrected), norm_(disc_norms(cone, BlockColumn(g - u).data())) {
    speed_ = disc_norms(cone, u.data());
    for (int i = 0; i < cone.count; ++i) {
      const ConeDisc& disc = cone.disc[uz(i)];
      DiscParts& own = parts_[uz(i)];
      own = disc_parts(disc, g.data(), u.data(), norm_[uz(i)]);
      excess_[uz(i)] = own.g_norm - disc.radius * g[0] - detail::shortfall(own.g_norm, own.g_along, own.rest);
    }
  }

  BlockColumn find() {
    find_normal();
    while (activate_next()) find_normal();
    if (polar()) return g_;
    BlockColumn defect = u_;
    defect[0] = normal_;
    for (int i = 0; i < cone_.count; ++i) {
      if (!active_[uz(i)]) continue;
      const double c = radius(i);
      double radial = excess_[uz(i)] + c * by_face_;
      for (int j = 0; j < cone_.count; ++j)
        if (j != i && active_[uz(j)]) radial += radius(j) * (radius(j) * parts_[uz(i)].g_along - c * parts_[uz(j)].g_along);
      set_disc(cone_.disc[uz(i)], parts_[uz(i)], radial / divisor_, defect.data());
    }
    return defect;
  }

 private:
  double radius(int i) const { return cone_.disc[uz(i)].radius; }

  void find_normal() {
    by_face_ = u_[0];
    double weighted = 0.0;
    for (int i = 0; i < cone_.count; ++i) {
      const DiscParts& own = parts_[uz(i)];
      if (!active_[uz(i)]) {
        if (corrected_) by_face_ += radius(i) * speed_[uz(i)];
        continue;
      }
      by_face_ += radius(i) * (corrected_ ? detail::shortfall(speed_[uz(i)], -own.u_along, own.rest) : own.u_along);
      weighted += radius(i) * excess_[uz(i)];
    }
    normal_ = (by_face_ - weighted) / divisor_;
  }
  /// Of the discs beyond their bound the one with the largest ‖p_i‖/c_i. False when there is none.
  bool activate_next() {
    int next = -1;
    for (int i = 0; i < cone_.count; ++i) {
      if (active_[uz(i)] || !beyond(i)) continue;
      if (next < 0 || norm_[uz(i)] * radius(next) > norm_[uz(next)] * radius(i)) next = i;
    }
    if (next < 0) return false;
    active_[uz(next)] = true;
    divisor_ += radius(next) * radius(next);
    return true;
  }
  /// ‖p_i‖ > c_i t, in the way whose terms are smaller.
  bool beyond(int i) const {
    const auto [sum, terms] = normal_sum();
    const double along = std::abs(parts_[uz(i)].u_along), c = radius(i);
    const double by_sum = norm_[uz(i)] + c * (terms / divisor_);
    const double by_defect = parts_[uz(i)].g_norm + along + c * (std::abs(g_[0]) + std::abs(normal_));
    if (by_sum < by_defect) return norm_[uz(i)] > c * (sum / divisor_);
    return excess_[uz(i)] - parts_[uz(i)].u_along + c * normal_ > 0.0;
  }
  /// t D of the active discs, with ‖p_i‖ − ‖u_i‖ from the difference of the squares, and the sum of the sizes of its terms.
  std::pair<double, double> normal_sum() const {
    double sum = g_[0] - u_[0], terms = std::abs(sum);
    for (int i = 0; i < cone_.count; ++i) {
      double term = active_[uz(i)] ? norm_[uz(i)] : 0.0;
      if (corrected_)
        term =
            active_[uz(i)] ? longer(cone_.disc[uz(i)], g_.data(), u_.data(), norm_[uz(i)], speed_[uz(i)]) : -speed_[uz(i)];
      sum += radius(i) * term;
      terms += std::abs(radius(i) * term);
    }
    return {sum, terms};
  }
  /// Whether t <= 0 off K. A disc that is within its bound and not zero says t > 0, whatever the rounding of the sum.
  bool polar() const {
    for (int i = 0; i < cone_.count; ++i)
      if (!active_[uz(i)] && norm_[uz(i)] > 0.0) return false;
    const double sum = normal_sum().first;
    return active_[0] || active_[1] || active_[2] ? !(sum > 0.0) : !(sum >= 0.0);
  }

  const RollingCone& cone_;
  const BlockColumn &g_, &u_;
  bool corrected_;
  DiscNumbers norm_, speed_{}, excess_{};
  std::array<DiscParts, 3> parts_{};
  std::array<bool, 3> active_{};
  double divisor_ = 1.0, by_face_ = 0.0, normal_ = 0.0;
};

BlockColumn strict_defect_in_range(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u) {
  const BlockColumn p = g - u;
  if (p[0] <= 0.0) return g;
  BlockColumn defect = u;
  for (int i = 0; i < cone.count; ++i) {
    const ConeDisc& disc = cone.disc[uz(i)];
    const double norm = disc_norm(disc, p.data());
    if (norm <= disc.radius * p[0]) continue;
    const DiscParts own = disc_parts(disc, g.data(), u.data(), norm);
    const double excess = own.g_norm - disc.radius * g[0] - detail::shortfall(own.g_norm, own.g_along, own.rest);
    set_disc(disc, own, excess + disc.radius * u[0], defect.data());
  }
  return defect;
}

/// defect(g, u), or of both divided by a power of two.
template <typename Defect>
BlockColumn safe_defect(const BlockColumn& g, const BlockColumn& u, const Defect& defect) {
  const double largest = std::max(g.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff());
  if (!g.allFinite() || !u.allFinite()) return BlockColumn::Constant(g.size(), std::numeric_limits<double>::quiet_NaN());
  if (largest == 0.0 || (largest >= smallest_safe && largest <= safe_limit)) return defect(g, u);
  int exponent = 0;
  std::frexp(largest, &exponent);
  const auto scaled = [exponent](double x) { return std::ldexp(x, -exponent); };
  BlockColumn result = defect(g.unaryExpr(scaled), u.unaryExpr(scaled));
  restore(static_cast<int>(result.size()), exponent, result.data());
  return result;
}

}  // namespace

RollingCone rolling_cone(const ConstraintSet& constraints, Index block) {
  const BlockShape shape = block_shape(constraints.kind(block));
  const MomentFriction& moments = constraints.moments(block);
  RollingCone cone;
  cone.rows = 1;
  const auto add = [&](int size, double radius) {
    if (size == 0) return;
    cone.disc[uz(cone.count++)] = {cone.rows, size, std::min(radius, safe_limit)};
    cone.rows += size;
  };
  add(shape.tangents, constraints.friction(block));
  add(shape.rollings, moments.rolling);
  add(shape.spins, moments.spinning);
  return cone;
}

void project_rolling_cone(const RollingCone& cone, const double* from, double* to) {
  double value[most_rows] = {};
  const int exponent = with_safe_point(cone.rows, from, [&](const double* p) {
    std::copy_n(p, cone.rows, value);
    const DiscNumbers norm = disc_norms(cone, p);
    const Piece piece = piece_of(cone, p[0], norm);
    if (piece.polar) {
      std::fill_n(value, cone.rows, 0.0);
      return;
    }
    value[0] = piece.t;
    for (int i = 0; i < cone.count; ++i)
      if (norm[uz(i)] > cone.disc[uz(i)].radius * piece.t)
        shrink_disc(cone.disc[uz(i)], cone.disc[uz(i)].radius * piece.t, norm[uz(i)], value);
  });
  restore(cone.rows, exponent, value);
  std::copy_n(value, cone.rows, to);
}

BlockSquare rolling_cone_derivative(const RollingCone& cone, const double* point) {
  BlockSquare matrix = BlockSquare::Zero(cone.rows, cone.rows);
  const int exponent = with_safe_point(cone.rows, point, [&](const double* p) {
    const DiscNumbers norm = disc_norms(cone, p);
    const Piece piece = piece_of(cone, p[0], norm);
    if (piece.polar) return;
    // (1, c_i q_i) (1, c_i q_i)ᵀ/D, what is left of the active discs across q_i, and the others as they are.
    BlockColumn along = BlockColumn::Unit(cone.rows, 0);
    for (int i = 0; i < cone.count; ++i) {
      const ConeDisc& disc = cone.disc[uz(i)];
      if (!piece.active[uz(i)]) {
        add_disc_identity(disc, 1.0, matrix);
        continue;
      }
      const BlockColumn q = disc_direction(cone, disc, norm[uz(i)], p);
      along += disc.radius * q;
      if (disc.size == 1) continue;
      const double k = norm[uz(i)] > 0.0 ? std::clamp(disc.radius * piece.t / norm[uz(i)], 0.0, 1.0) : 0.0;
      add_disc_identity(disc, k, matrix);
      matrix -= k * q * q.transpose();
    }
    matrix += along * along.transpose() / piece.divisor;
  });
  if (exponent == not_finite) matrix.setConstant(std::numeric_limits<double>::quiet_NaN());
  return matrix;
}

double distance_to_rolling_cone(const RollingCone& cone, const double* point) {
  double distance = 0.0;
  const int exponent = with_safe_point(cone.rows, point, [&](const double* p) {
    const DiscNumbers norm = disc_norms(cone, p);
    const Piece piece = piece_of(cone, p[0], norm);
    const double t = piece.polar ? 0.0 : piece.t;
    double square = (t - p[0]) * (t - p[0]);
    for (int i = 0; i < cone.count; ++i) square += std::pow(std::max(norm[uz(i)] - cone.disc[uz(i)].radius * t, 0.0), 2);
    distance = std::sqrt(square);
  });
  restore(1, exponent, &distance);
  return distance;
}

void project_rolling_strict(const RollingCone& cone, const double* from, double* to) {
  double value[most_rows] = {};
  const int exponent = with_safe_point(cone.rows, from, [&](const double* p) {
    if (p[0] < 0.0) return;
    std::copy_n(p, cone.rows, value);
    for (int i = 0; i < cone.count; ++i) {
      const double radius = cone.disc[uz(i)].radius * p[0], norm = disc_norm(cone.disc[uz(i)], p);
      if (norm > radius) shrink_disc(cone.disc[uz(i)], radius, norm, value);
    }
  });
  restore(cone.rows, exponent, value);
  std::copy_n(value, cone.rows, to);
}

BlockSquare rolling_strict_derivative(const RollingCone& cone, const double* p) {
  BlockSquare matrix = BlockSquare::Zero(cone.rows, cone.rows);
  if (p[0] <= 0.0) return matrix;
  matrix(0, 0) = 1.0;
  for (int i = 0; i < cone.count; ++i) {
    const ConeDisc& disc = cone.disc[uz(i)];
    const double norm = disc_norm(disc, p), radius = disc.radius * p[0];
    if (norm <= radius) {
      add_disc_identity(disc, 1.0, matrix);
      continue;
    }
    const BlockColumn q = disc_direction(cone, disc, norm, p);
    matrix.col(0) += disc.radius * q;
    if (disc.size == 1) continue;
    add_disc_identity(disc, radius / norm, matrix);
    matrix -= radius / norm * q * q.transpose();
  }
  return matrix;
}

double rolling_shift(const RollingCone& cone, const double* u) {
  double shift = 0.0;
  for (int i = 0; i < cone.count; ++i) shift += cone.disc[uz(i)].radius * disc_norm(cone.disc[uz(i)], u);
  return shift;
}

BlockColumn rolling_defect(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u, Correction correction) {
  return safe_defect(g, u, [&](const BlockColumn& own, const BlockColumn& velocity) {
    return FaceDefect(cone, own, velocity, correction == Correction::de_saxce).find();
  });
}

BlockColumn rolling_strict_defect(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u) {
  return safe_defect(g, u, [&](const BlockColumn& own, const BlockColumn& velocity) {
    return strict_defect_in_range(cone, own, velocity);
  });
}

double rolling_power(const RollingCone& cone, const double* impulse, const double* u, Correction correction) {
  double power = impulse[0] * u[0];
  for (int i = 0; i < cone.count; ++i) {
    const ConeDisc& disc = cone.disc[uz(i)];
    const double *force = impulse + disc.first, *velocity = u + disc.first;
    const bool flat = disc.size == 1;
    const double part = force[0] * velocity[0] + (flat ? 0.0 : force[1] * velocity[1]);
    if (correction == Correction::none) {
      power += part;
      continue;
    }
    const double rest = flat ? 0.0 : force[0] * velocity[1] - force[1] * velocity[0];
    const double size = disc_norm(disc, impulse), speed = disc_norm(disc, u), product = size * speed;
    power += (disc.radius * impulse[0] - size) * speed;
    power += part < 0.0 ? rest * (rest / (product - part)) : product + part;
  }
  return power;
}

}  // namespace ccp
