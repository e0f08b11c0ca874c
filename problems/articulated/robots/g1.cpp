#include <string>

#include "problems/articulated/robots/robots.hpp"
#include "problems/dynamics/attitude.hpp"

namespace ccp {
namespace {

/// A link of the left side; the right one is its mirror image in y = 0.
struct G1Row {
  const char* name;
  int parent;           ///< row; −1: the torso
  double place[3];      ///< of the joint, m
  char axis;            ///< 'x', 'y', 'z'
  double lower, upper;  ///< rad
  double mass;          ///< kg
  double centre[3];     ///< m
  double moments[6];    ///< xx, yy, zz, xy, xz, yz, kg m²
};

constexpr int wrist_row = 6, palm_row = 7;

/// The arm, the palm, which is fixed to the wrist, and the hand.
constexpr G1Row g1_rows[] = {
    {"shoulder_pitch",
     -1,
     {0.0039563, 0.10022, 0.23778},
     'y',
     -3.0892,
     2.6704,
     0.718,
     {0.0, 0.035892, -0.011628},
     {0.0004291, 0.000453, 0.000423, -9.2e-6, 6.4e-6, 2.26e-5}},
    {"shoulder_roll",
     0,
     {0.0, 0.038, -0.013831},
     'x',
     -1.5882,
     2.2515,
     0.643,
     {-0.000227, 0.00727, -0.063243},
     {0.0006177, 0.0006912, 0.0003894, -1e-6, 8.7e-6, -5.3e-6}},
    {"shoulder_yaw",
     1,
     {0.0, 0.00624, -0.1032},
     'z',
     -2.618,
     2.618,
     0.734,
     {0.010773, -0.002949, -0.072009},
     {0.0009988, 0.0010605, 0.0004354, 7.9e-6, 0.0001412, -2.86e-5}},
    {"elbow",
     2,
     {0.015783, 0.0, -0.080518},
     'y',
     -1.0472,
     2.0944,
     0.6,
     {0.064956, 0.004454, -0.010062},
     {0.0002891, 0.0004152, 0.0004197, 6.53e-5, 1.72e-5, -5.6e-6}},
    {"wrist_roll",
     3,
     {0.1, 0.00188791, -0.01},
     'x',
     -1.972222054,
     1.972222054,
     0.08544498,
     {0.01713944778, 0.00053759094, 4.8864e-7},
     {4.821544023e-5, 3.722899093e-5, 5.482106541e-5, -4.24511021e-6, 5.10599e-9, -1.23525e-9}},
    {"wrist_pitch",
     4,
     {0.038, 0.0, 0.0},
     'y',
     -1.614429558,
     1.614429558,
     0.48404956,
     {0.02299989837, -0.00111685314, -0.00111658096},
     {1.6579646273e-4, 4.295405741e-4, 4.2953697654e-4, -1.231206746e-5, 1.231699194e-5, 8.1417712e-7}},
    {"wrist_yaw",
     5,
     {0.046, 0.0, 0.0},
     'z',
     -1.614429558,
     1.614429558,
     0.08457647,
     {0.02200381568, 0.00049485096, 0.00053861123},
     {4.929128828e-5, 5.973338134e-5, 3.928083826e-5, -4.5735494e-7, 4.45867591e-6, 4.3217198e-7}},
    {"palm",
     wrist_row,
     {0.0415, 0.003, 0.0},
     'f',
     0.0,
     0.0,
     0.37283854,
     {0.06214634836, -0.00050869656, -0.00058171093},
     {2.7535181027e-4, 5.3951827219e-4, 3.9623390907e-4, -1.595519465e-5, -2.4216189e-6, -4.2279435e-7}},
    {"thumb_0",
     palm_row,
     {0.0255, 0.0, 0.0},
     'y',
     -1.04719755,
     1.04719755,
     0.08623657,
     {-0.0008842458, -0.00863407079, 0.00094429336},
     {1.602919238e-5, 1.451795012e-5, 1.637877663e-5, 1.0683177e-7, 1.6728875e-7, -5.1094752e-7}},
    {"thumb_1",
     8,
     {-0.0025, -0.0193, 0.0},
     'z',
     -0.72431163,
     1.04719755,
     0.0588507,
     {-0.00082788768, -0.03547435774, -0.0003808996},
     {1.274699945e-5, 6.01573947e-6, 1.234543582e-5, -5.0770784e-7, 1.608885e-7, -2.7839003e-7}},
    {"thumb_2",
     9,
     {0.0, -0.0458, 0.0},
     'z',
     0.0,
     1.74532925,
     0.02030626,
     {-0.00171735242, -0.02628192939, 0.00010778879},
     {4.61267817e-6, 1.53561368e-6, 3.86625776e-6, -3.42213e-8, -8.23881e-9, -2.549885e-8}},
    {"middle_0",
     palm_row,
     {0.0777, 0.0016, -0.0285},
     'z',
     -1.57079632,
     0.0,
     0.0588507,
     {0.03547435774, 0.00082788768, 0.0003808996},
     {6.01573947e-6, 1.274699945e-5, 1.234543582e-5, -5.0770784e-7, -2.7839003e-7, 1.608885e-7}},
    {"middle_1",
     11,
     {0.0458, 0.0, 0.0},
     'z',
     -1.74532925,
     0.0,
     0.02030626,
     {0.02628192939, 0.00171735242, -0.00010778879},
     {1.53561368e-6, 4.61267817e-6, 3.86625776e-6, -3.42213e-8, -2.549885e-8, -8.23881e-9}},
    {"index_0",
     palm_row,
     {0.0777, 0.0016, 0.0285},
     'z',
     -1.57079632,
     0.0,
     0.0588507,
     {0.03547435774, 0.00082788768, 0.0003808996},
     {6.01573947e-6, 1.274699945e-5, 1.234543582e-5, -5.0770784e-7, -2.7839003e-7, 1.608885e-7}},
    {"index_1",
     13,
     {0.0458, 0.0, 0.0},
     'z',
     -1.74532925,
     0.0,
     0.02030626,
     {0.02628192939, 0.00171735242, -0.00010778879},
     {1.53561368e-6, 4.61267817e-6, 3.86625776e-6, -3.42213e-8, -2.549885e-8, -8.23881e-9}},
};

/// Balls of the hand: row, place, radius, m.
struct G1Ball {
  int row;
  double place[3];
  double radius;
};
constexpr G1Ball g1_balls[] = {
    {palm_row, {0.062, 0.0, -0.025}, 0.019}, {palm_row, {0.062, 0.0, 0.025}, 0.019}, {9, {0.0, -0.015, 0.0}, 0.009},
    {9, {0.0, -0.035, 0.0}, 0.009},          {10, {0.0, -0.012, 0.0}, 0.009},        {10, {0.0, -0.03, 0.0}, 0.009},
    {10, {0.0, -0.045, 0.0}, 0.009},         {11, {0.015, 0.0, 0.0}, 0.009},         {11, {0.035, 0.0, 0.0}, 0.009},
    {12, {0.012, 0.0, 0.0}, 0.009},          {12, {0.03, 0.0, 0.0}, 0.009},          {12, {0.045, 0.0, 0.0}, 0.009},
    {13, {0.015, 0.0, 0.0}, 0.009},          {13, {0.035, 0.0, 0.0}, 0.009},         {14, {0.012, 0.0, 0.0}, 0.009},
    {14, {0.03, 0.0, 0.0}, 0.009},           {14, {0.045, 0.0, 0.0}, 0.009}};

Vector3 mirrored(const double (&v)[3], double side) { return {v[0], side * v[1], v[2]}; }

/// The turn of the shoulder in the torso: roll 0.27931, pitch 5.4949e-5, yaw −1.9159e-4; and back, of the next joint.
Matrix3 shoulder_turn(double side) {
  const Quaternion roll = rotation_exponential({side * 0.27931, 0.0, 0.0}),
                   pitch = rotation_exponential({0.0, 5.4949e-5, 0.0}),
                   yaw = rotation_exponential({0.0, 0.0, side * -1.9159e-4});
  return rotation_matrix(product(yaw, product(pitch, roll)));
}

/// side: 1 left, −1 right.
void add_side(double side, RobotDescription& body) {
  const std::size_t first = body.links.size();
  for (const G1Row& row : g1_rows) {
    TreeLink link;
    link.name = (side > 0.0 ? "left_" : "right_") + std::string(row.name);
    link.parent = row.parent < 0 ? 0 : static_cast<int>(first) + row.parent;
    link.place = mirrored(row.place, side);
    if (row.parent < 0) link.turn = shoulder_turn(side);
    if (row.parent == 0) link.turn = rotation_matrix(rotation_exponential({side * -0.27925, 0.0, 0.0}));
    link.mass = row.mass;
    link.centre = mirrored(row.centre, side);
    const double(&m)[6] = row.moments;
    link.inertia << m[0], side * m[3], m[4], side * m[3], m[1], side * m[5], m[4], side * m[5], m[2];
    if (row.axis == 'f') {
      link.joint = TreeJoint::fixed;
    } else {
      link.axis = Vector3::Unit(row.axis - 'x');
      const bool turned_over = side < 0.0 && row.axis != 'y';
      link.lower = turned_over ? -row.upper : row.lower;
      link.upper = turned_over ? -row.lower : row.upper;
    }
    body.links.push_back(link);
  }
  for (const G1Ball& ball : g1_balls)
    body.shapes.push_back({first + static_cast<std::size_t>(ball.row), Sphere{ball.radius}, mirrored(ball.place, side)});
}

}  // namespace

RobotDescription g1_upper_body() {
  RobotDescription body;
  TreeLink torso;
  torso.name = "torso";
  torso.joint = TreeJoint::fixed;
  torso.place = {-0.0039635, 0.0, 0.054};
  body.links.push_back(torso);
  add_side(1.0, body);
  add_side(-1.0, body);
  return body;
}

}  // namespace ccp
