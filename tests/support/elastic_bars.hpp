#pragma once

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "problem/problem_builder.hpp"

/// Problems of elastic bars: the step of linear tetrahedra at rest, so that H = M + (hβ + h²) K is not block-diagonal.
namespace ccp::testing {

struct BarShape {
  std::array<int, 3> cells{12, 3, 3};
  double young = 1e6;    ///< E, Pa
  double density = 1e3;  ///< of the lowest bar, kg/m³
  double ratio = 1.0;    ///< of density and modulus of each bar to those of the one below it
  int bars = 1;          ///< one on the other, the lowest one on the floor
  double mu = 0.3;
  double roughness = 0.0;  ///< mean gap of the contacts, m; gaps go from 0 to twice that
};

/// A bar of 0.8 × 0.08 × 0.08 m along x, each cell cut into six tetrahedra along one diagonal.
class ElasticBar {
 public:
  explicit ElasticBar(std::array<int, 3> cells) : cells_(cells), edge_(0.8 / cells[0], 0.08 / cells[1], 0.08 / cells[2]) {}

  Index nodes() const { return Index{cells_[0] + 1} * (cells_[1] + 1) * (cells_[2] + 1); }
  Index node(int i, int j, int k) const { return i + (cells_[0] + 1) * (j + Index{cells_[1] + 1} * k); }
  Vector3 place(int i, int j, int k) const { return Vector3(i, j, k).cwiseProduct(edge_); }
  const std::array<int, 3>& cells() const { return cells_; }
  const Vector3& edge() const { return edge_; }

  /// M + factor K, kg: mass lumped, Poisson's ratio 0.3. density in kg/m³, young in Pa, factor in s².
  SparseMatrix step_matrix(double density, double young, double factor) const {
    std::vector<Triplet> entries;
    for (int k = 0; k < cells_[2]; ++k)
      for (int j = 0; j < cells_[1]; ++j)
        for (int i = 0; i < cells_[0]; ++i)
          for (const auto& axes : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2}, std::array{1, 2, 0},
                                   std::array{2, 0, 1}, std::array{2, 1, 0}}) {
            std::array<std::array<int, 3>, 4> corner;
            corner[0] = {i, j, k};
            for (std::size_t c = 0; c < 3; ++c) {
              corner[c + 1] = corner[c];
              ++corner[c + 1][static_cast<std::size_t>(axes[c])];
            }
            add_tetrahedron(corner, density, young, factor, entries);
          }
    SparseMatrix H(3 * nodes(), 3 * nodes());
    H.setFromTriplets(entries.begin(), entries.end());
    return H;
  }

 private:
  void add_tetrahedron(const std::array<std::array<int, 3>, 4>& corner, double density, double young, double factor,
                       std::vector<Triplet>& entries) const {
    Eigen::Matrix4d place = Eigen::Matrix4d::Ones();
    std::array<Index, 4> number;
    for (int a = 0; a < 4; ++a) {
      const auto& [i, j, k] = corner[static_cast<std::size_t>(a)];
      place.row(a).tail<3>() = this->place(i, j, k);
      number[static_cast<std::size_t>(a)] = node(i, j, k);
    }
    const double volume = std::abs(place.determinant()) / 6.0;
    const Eigen::Matrix<double, 3, 4> gradient = place.inverse().bottomRows<3>();
    const double poisson = 0.3, lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                 shear = young / (2.0 * (1.0 + poisson));
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const Vector3 p = gradient.col(a), q = gradient.col(b);
        Matrix3 block = factor * volume * (lame * p * q.transpose() + shear * (q * p.transpose()));
        block.diagonal().array() += factor * volume * shear * p.dot(q) + (a == b ? 0.25 * density * volume : 0.0);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            entries.emplace_back(static_cast<int>(3 * number[static_cast<std::size_t>(a)] + r),
                                 static_cast<int>(3 * number[static_cast<std::size_t>(b)] + c), block(r, c));
      }
  }

  std::array<int, 3> cells_;
  Vector3 edge_;
};

/// H of the bars and D of their contacts: every lower node of a bar with the floor, or with the three nodes of the face of
/// the bar below that it stands on; normal first, up.
struct ElasticStack {
  SparseMatrix H, D;
  Index contacts = 0;

  explicit ElasticStack(const BarShape& shape, double step = 0.05, double damping = 0.01) {
    const ElasticBar bar(shape.cells);
    const Index size = 3 * bar.nodes();
    std::vector<Triplet> masses, columns;
    for (int b = 0; b < shape.bars; ++b) {
      const double scale = std::pow(shape.ratio, b);
      const SparseMatrix own = bar.step_matrix(scale * shape.density, scale * shape.young, step * (damping + step));
      for (Index c = 0; c < size; ++c)
        for (SparseMatrix::InnerIterator entry(own, c); entry; ++entry)
          masses.emplace_back(static_cast<int>(b * size + entry.row()), static_cast<int>(b * size + c), entry.value());
      for (int j = 0; j <= shape.cells[1]; ++j)
        for (int i = 0; i <= shape.cells[0]; ++i) {
          add(b * size + 3 * bar.node(i, j, 0), 1.0, columns);
          if (b > 0) add_face(bar, i, j, (b - 1) * size, columns);
          ++contacts;
        }
    }
    H.resize(shape.bars * size, shape.bars * size);
    H.setFromTriplets(masses.begin(), masses.end());
    D.resize(shape.bars * size, 3 * contacts);
    D.setFromTriplets(columns.begin(), columns.end());
  }

 private:
  void add(Index dof, double weight, std::vector<Triplet>& columns) const {
    for (int c = 0; c < 3; ++c)  // normal z, tangents x and y
      columns.emplace_back(static_cast<int>(dof + (c + 2) % 3), static_cast<int>(3 * contacts + c), weight);
  }
  /// The node is pushed a little inwards, so that it stands in a cell of the bar below and not on a node.
  void add_face(const ElasticBar& bar, int i, int j, Index first, std::vector<Triplet>& columns) const {
    const auto& cells = bar.cells();
    const int cell_i = std::min(i, cells[0] - 1), cell_j = std::min(j, cells[1] - 1);
    const double x = i < cells[0] ? 0.3 : 0.7, y = j < cells[1] ? 0.2 : 0.6;
    const auto top = [&](int di, int dj) { return first + 3 * bar.node(cell_i + di, cell_j + dj, cells[2]); };
    add(top(0, 0), -(1.0 - std::max(x, y)), columns);
    add(top(1, 1), -std::min(x, y), columns);
    add(x > y ? top(1, 0) : top(0, 1), -std::abs(x - y), columns);
  }
};

/// The bars fall, slide and turn: nodes at one end are pressed on, those at the other lift off.
inline ContactProblem elastic_bars(const BarShape& shape, const std::string& name = "elastic bars") {
  const ElasticStack stack(shape);
  const ElasticBar bar(shape.cells);
  const Index size = 3 * bar.nodes();
  Vector k(stack.H.rows());
  for (int b = 0; b < shape.bars; ++b) {
    const SparseMatrix masses = bar.step_matrix(std::pow(shape.ratio, b) * shape.density, 0.0, 0.0);
    Vector v(size);
    for (int z = 0; z <= shape.cells[2]; ++z)
      for (int y = 0; y <= shape.cells[1]; ++y)
        for (int x = 0; x <= shape.cells[0]; ++x)
          v.segment<3>(3 * bar.node(x, y, z)) =
              Vector3(0.3, 0.0, -0.5 - 0.49) + Vector3(0.0, -3.0, 0.0).cross(bar.place(x, y, z));
    k.segment(b * size, size) = masses * v;
  }
  ProblemBuilder builder(name);
  Vector b = Vector::Zero(stack.D.cols());
  for (Index i = 0; i < stack.contacts; ++i)
    b[3 * i] = shape.roughness * (1.0 + std::sin(2.4 * static_cast<double>(i))) / 0.05;
  builder.global(stack.H, k, stack.D, b);
  for (Index i = 0; i < stack.contacts; ++i) builder.contact(shape.mu);
  return builder.build();
}

}  // namespace ccp::testing
