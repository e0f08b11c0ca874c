#include "problems/finite_elements/triangle_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ccp {
namespace {

constexpr int leaf_triangles = 4;

double squared_distance_to(const Bounds& box, const Vector3& p) {
  return (box.low - p).cwiseMax(p - box.high).cwiseMax(0.0).squaredNorm();
}

TrianglePoint corner_point(int corner, const std::array<Vector3, 3>& triangle) {
  TrianglePoint point;
  point.corner = corner;
  point.weights[corner] = 1.0;
  point.place = triangle[static_cast<std::size_t>(corner)];
  return point;
}

/// share: of the second end.
TrianglePoint edge_point(int edge, double share, const std::array<Vector3, 3>& triangle) {
  TrianglePoint point;
  point.edge = edge;
  const int next = (edge + 1) % 3;
  point.weights[edge] = 1.0 - share;
  point.weights[next] = share;
  point.place = (1.0 - share) * triangle[static_cast<std::size_t>(edge)] + share * triangle[static_cast<std::size_t>(next)];
  return point;
}

}  // namespace

TrianglePoint closest_point(const Vector3& p, const std::array<Vector3, 3>& triangle) {
  const auto& [a, b, c] = triangle;
  const Vector3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return corner_point(0, triangle);
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return corner_point(1, triangle);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return edge_point(0, d1 / (d1 - d3), triangle);
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return corner_point(2, triangle);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return edge_point(2, 1.0 - d2 / (d2 - d6), triangle);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return edge_point(1, (d4 - d3) / ((d4 - d3) + (d5 - d6)), triangle);
  TrianglePoint point;
  const double sum = va + vb + vc;
  point.weights = Vector3(va / sum, vb / sum, vc / sum);
  point.place = point.weights[0] * a + point.weights[1] * b + point.weights[2] * c;
  return point;
}

TriangleTree::TriangleTree(const Skin& skin, const std::vector<Vector3>& places)
    : skin_(skin), places_(places), order_(skin.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  boxes_.reserve(order_.size());
  add_box(0, static_cast<int>(order_.size()));
}

std::array<Vector3, 3> TriangleTree::corners(int triangle) const {
  const std::array<int, 3>& nodes = skin_.triangles[static_cast<std::size_t>(triangle)];
  const auto place = [&](std::size_t i) { return places_[static_cast<std::size_t>(nodes[i])]; };
  return {place(0), place(1), place(2)};
}

int TriangleTree::add_box(int first, int last) {
  const int number = static_cast<int>(boxes_.size());
  Bounds bounds{Vector3::Constant(infinite), Vector3::Constant(-infinite)};
  Vector3 low = bounds.low, high = bounds.high;  // of the centres, three times
  const auto centre = [&](int triangle) -> Vector3 {
    const auto [a, b, c] = corners(triangle);
    return a + b + c;
  };
  for (int i = first; i < last; ++i) {
    const int triangle = order_[static_cast<std::size_t>(i)];
    for (const Vector3& corner : corners(triangle)) {
      bounds.low = bounds.low.cwiseMin(corner);
      bounds.high = bounds.high.cwiseMax(corner);
    }
    low = low.cwiseMin(centre(triangle));
    high = high.cwiseMax(centre(triangle));
  }
  boxes_.push_back({bounds, first, last, -1});
  if (last - first <= leaf_triangles) return number;
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const int middle = (first + last) / 2;
  std::sort(order_.begin() + first, order_.begin() + last,
            [&](int x, int y) { return std::pair(centre(x)[axis], x) < std::pair(centre(y)[axis], y); });
  add_box(first, middle);
  const int second = add_box(middle, last);
  boxes_[static_cast<std::size_t>(number)].second_child = second;
  return number;
}

std::optional<TriangleTree::Found> TriangleTree::nearest(const Vector3& p, double reach,
                                                         const std::function<bool(int)>& accepts) const {
  Found best;
  best.squared_distance = reach * reach;
  std::vector<int> open{0};
  while (!open.empty()) {
    const int number = open.back();
    const Box& box = boxes_[static_cast<std::size_t>(number)];
    open.pop_back();
    if (squared_distance_to(box.bounds, p) > best.squared_distance) continue;
    if (box.second_child >= 0) {
      open.push_back(box.second_child);
      open.push_back(number + 1);
      continue;
    }
    for (int i = box.first; i < box.last; ++i) {
      const int triangle = order_[static_cast<std::size_t>(i)];
      if (!accepts(triangle)) continue;
      const TrianglePoint point = closest_point(p, corners(triangle));
      const double square = (p - point.place).squaredNorm();
      if (square < best.squared_distance ||
          (square == best.squared_distance && (best.triangle < 0 || triangle < best.triangle)))
        best = {triangle, point, square};
    }
  }
  if (best.triangle < 0) return std::nullopt;
  return best;
}

}  // namespace ccp
