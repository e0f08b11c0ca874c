#pragma once

#include <vector>

#include "cones/rolling_cone.hpp"
#include "solvers/newton/contact_map.hpp"

namespace ccp {

/// The maps P of contact_map.hpp for all blocks, of points padded to `Rows` entries: 3, or most_rows where contacts have
/// moments. For these P is, for ncp, the strict projection, with the plain u; for ccp the Euclidean one (C.2, C.4).
template <int Rows>
class PaddedMaps {
 public:
  using Point = BlockVector<Rows>;
  using Square = Eigen::Matrix<double, Rows, Rows>;
  struct Map {
    Point value;
    Square derivative;
  };

  PaddedMaps(const ConstraintSet& set, Model model) : set_(set), model_(model) {
    cones_.resize(uz(set.count()));
    for (Index i = 0; i < set.count(); ++i)
      if (has_moments(set.kind(i))) cones_[uz(i)] = rolling_cone(set, i);
  }

  /// P(s) of block i.
  Point value(Index i, const Point& s) const {
    if constexpr (Rows == 3) {
      return contact_map_value(set_.kind(i), set_.friction(i), model_, s);
    } else {
      Point value = Point::Zero();
      if (!has_moments(set_.kind(i)))
        value.template head<3>() = contact_map_value(set_.kind(i), set_.friction(i), model_, s.template head<3>());
      else if (model_ == Model::ccp)
        project_rolling_cone(cones_[uz(i)], s.data(), value.data());
      else
        project_rolling_strict(cones_[uz(i)], s.data(), value.data());
      return value;
    }
  }

  /// With an element of the generalised Jacobian.
  Map map(Index i, const Point& s) const {
    if constexpr (Rows == 3) {
      const ContactMap map = contact_map(set_.kind(i), set_.friction(i), model_, s);
      return {map.value, map.derivative};
    } else {
      Map map{value(i, s), Square::Zero()};
      const RollingCone& own = cones_[uz(i)];
      if (!has_moments(set_.kind(i)))
        map.derivative.template topLeftCorner<3, 3>() =
            contact_map(set_.kind(i), set_.friction(i), model_, s.template head<3>()).derivative;
      else
        map.derivative.topLeftCorner(own.rows, own.rows) =
            model_ == Model::ccp ? rolling_cone_derivative(own, s.data()) : rolling_strict_derivative(own, s.data());
      return map;
    }
  }

  /// The cone of block i with moments.
  const RollingCone& cone(Index i) const { return cones_[uz(i)]; }

 private:
  const ConstraintSet& set_;
  Model model_;
  std::vector<RollingCone> cones_;
};

}  // namespace ccp
