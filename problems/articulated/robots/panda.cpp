#include "problems/articulated/robots/robots.hpp"

namespace ccp {
namespace {

/// Quarter turns about x of a frame in that of its parent.
struct PandaRow {
  double place[3];    ///< m
  int quarter;        ///< −1, 0, 1
  double mass;        ///< kg
  double centre[3];   ///< m
  double moments[6];  ///< xx, yy, zz, xy, xz, yz, kg m²
};

constexpr PandaRow panda_rows[] = {{{0.0, 0.0, 0.333},
                                    0,
                                    4.970684,
                                    {3.875e-3, 2.081e-3, -0.04762},
                                    {0.70337, 0.70661, 9.1170e-3, -1.3900e-4, 6.7720e-3, 1.9169e-2}},
                                   {{0.0, 0.0, 0.0},
                                    -1,
                                    0.646926,
                                    {-3.141e-3, -0.02872, 3.495e-3},
                                    {7.9620e-3, 2.8110e-2, 2.5995e-2, -3.9250e-3, 1.0254e-2, 7.0400e-4}},
                                   {{0.0, -0.316, 0.0},
                                    1,
                                    3.228604,
                                    {2.7518e-2, 3.9252e-2, -6.6502e-2},
                                    {3.7242e-2, 3.6155e-2, 1.0830e-2, -4.7610e-3, -1.1396e-2, -1.2805e-2}},
                                   {{0.0825, 0.0, 0.0},
                                    1,
                                    3.587895,
                                    {-5.317e-2, 1.04419e-1, 2.7454e-2},
                                    {2.5853e-2, 1.9552e-2, 2.8323e-2, 7.7960e-3, -1.3320e-3, 8.6410e-3}},
                                   {{-0.0825, 0.384, 0.0},
                                    -1,
                                    1.225946,
                                    {-1.1953e-2, 4.1065e-2, -3.8437e-2},
                                    {3.5549e-2, 2.9474e-2, 8.6270e-3, -2.1170e-3, -4.0370e-3, 2.2900e-4}},
                                   {{0.0, 0.0, 0.0},
                                    1,
                                    1.666555,
                                    {6.0149e-2, -1.4117e-2, -1.0517e-2},
                                    {1.9640e-3, 4.3540e-3, 5.4330e-3, 1.0900e-4, -1.1580e-3, 3.4100e-4}},
                                   {{0.088, 0.0, 0.0},
                                    1,
                                    0.735522,
                                    {1.0517e-2, -4.252e-3, 6.1597e-2},
                                    {1.2516e-2, 1.0027e-2, 4.8150e-3, -4.2800e-4, -1.1960e-3, -7.4100e-4}}};

Matrix3 symmetric(const double (&m)[6]) {
  Matrix3 result;
  result << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  return result;
}

}  // namespace

std::vector<TreeLink> panda() {
  std::vector<TreeLink> links;
  for (const PandaRow& row : panda_rows) {
    TreeLink link;
    link.name = "link" + std::to_string(links.size() + 1);
    link.parent = static_cast<int>(links.size()) - 1;
    link.place = Vector3(row.place[0], row.place[1], row.place[2]);
    const double sine = row.quarter, cosine = row.quarter == 0 ? 1.0 : 0.0;
    link.turn << 1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine;
    link.mass = row.mass;
    link.centre = Vector3(row.centre[0], row.centre[1], row.centre[2]);
    link.inertia = symmetric(row.moments);
    links.push_back(link);
  }
  return links;
}

}  // namespace ccp
