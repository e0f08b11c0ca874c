#pragma once

#include <vector>

#include "problems/geometry/shape.hpp"

namespace ccp {

/// What a filling lies in: a pipe around y, its facets turned as `rotation` says, between walls across y.
struct FilledDrum {
  Drum pipe;
  Matrix3 rotation;              ///< of the pipe
  double low = 0.0, high = 0.0;  ///< y of the walls, m
};

/// Equal particles that lie in a drum, each on two rows of others, or on one and the pipe. Nothing is random.
///
/// Particles have the axes of the world as their own, so that lengths in radii make spheres of them. They lie in rows along
/// y, from wall to wall; a shifted row has one particle less, each beside the middle between two of a row that is not. Seen
/// along y, rows are discs, laid one by one into the lowest place where two discs, or one and a facet, support it from both
/// sides: heaps of close-packed grains with a level top. Neighbours overlap by 2e-6 radii, so that rounding does not
/// decide what touches.
class DrumFilling {
 public:
  /// radii: half axes of a particle, m, that fit between the walls.
  DrumFilling(int particles, const Vector3& radii, const FilledDrum& drum);

  int particles() const { return particles_; }
  /// Rows from below to the top, in them along y; m.
  Vector3 centre(int particle) const;
  /// The particles with higher numbers that touch it, ascending, behind what `others` has.
  void add_touching(int particle, std::vector<int>& others) const;
  /// z of the highest point, m.
  double top() const;

 private:
  struct Row {
    double x = 0.0, z = 0.0;  ///< radii
    bool shifted = false;
    int first = 0;              ///< its first particle
    std::vector<int> touching;  ///< later rows, ascending
  };
  int row_of(int particle) const;

  int particles_;
  Vector3 radii_;
  double first_y_ = 0.0;  ///< of the first particle of a row, m
  double spacing_ = 0.0;  ///< of a row, m
  std::vector<Row> rows_;
};

}  // namespace ccp
