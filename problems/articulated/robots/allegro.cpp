#include <string>

#include "problems/articulated/robots/robots.hpp"
#include "problems/dynamics/attitude.hpp"

namespace ccp {
namespace {

constexpr double allegro_density = 800.0;  // kg/m³ of the boxes: fingers of 0.268 kg, a palm of 0.350 kg

/// A link that is a box, its joint at one end.
struct AllegroRow {
  double place[3];      ///< of the joint in the frame of the parent, m
  char axis;            ///< 'y', 'z', or 'm': against x
  double lower, upper;  ///< rad
  double size[3];       ///< of the box, m
  double middle[3];     ///< of the box, m
};

constexpr double box_x = 0.0196, box_y = 0.0275;
constexpr AllegroRow finger_rows[] = {{{0.0, 0.0, 0.0}, 'z', -0.47, 0.47, {box_x, box_y, 0.0164}, {0.0, 0.0, 0.0082}},
                                      {{0.0, 0.0, 0.0164}, 'y', -0.196, 1.61, {box_x, box_y, 0.054}, {0.0, 0.0, 0.027}},
                                      {{0.0, 0.0, 0.054}, 'y', -0.174, 1.709, {box_x, box_y, 0.0384}, {0.0, 0.0, 0.0192}},
                                      {{0.0, 0.0, 0.0384}, 'y', -0.227, 1.618, {box_x, box_y, 0.0267}, {0.0, 0.0, 0.01335}}};
constexpr AllegroRow thumb_rows[] = {
    {{-0.0182, 0.019333, -0.045987}, 'm', 0.263, 1.396, {0.0358, 0.034, 0.0455}, {-0.0179, 0.009, 0.0145}},
    {{-0.027, 0.005, 0.0399}, 'z', -0.105, 1.163, {box_x, box_y, 0.0177}, {0.0, 0.0, 0.00885}},
    {{0.0, 0.0, 0.0177}, 'y', -0.189, 1.644, {box_x, box_y, 0.0514}, {0.0, 0.0, 0.0257}},
    {{0.0, 0.0, 0.0514}, 'y', -0.162, 1.719, {box_x, box_y, 0.0423}, {0.0, 0.0, 0.02115}}};

Vector3 vector_of_row(const double (&row)[3]) { return {row[0], row[1], row[2]}; }

void give_box(const Vector3& size, const Vector3& middle, TreeLink& link, std::vector<LinkShape>& shapes,
              std::size_t number) {
  link.mass = allegro_density * size.prod();
  link.centre = middle;
  const Vector3 squares = size.cwiseAbs2();
  link.inertia = (link.mass / 12.0 * (Vector3::Constant(squares.sum()) - squares)).asDiagonal();
  shapes.push_back({number, Box{0.5 * size}, middle});
}

/// base: where the first joint is besides its row, and how it is turned. The tip is a ball at the end of the last link.
void add_finger(const char* name, const AllegroRow (&rows)[4], const Vector3& base, const Quaternion& turn,
                RobotDescription& hand) {
  constexpr double tip_radius = 0.012;
  int parent = 0;
  for (int i = 0; i < 4; ++i) {
    const AllegroRow& row = rows[i];
    TreeLink link;
    link.name = std::string(name) + std::to_string(i);
    link.parent = parent;
    link.place = vector_of_row(row.place);
    if (i == 0) {
      link.place += base;
      link.turn = rotation_matrix(turn);
    }
    link.axis = row.axis == 'm'   ? Vector3(-Vector3::UnitX())
                : row.axis == 'y' ? Vector3(Vector3::UnitY())
                                  : Vector3::UnitZ();
    link.lower = row.lower;
    link.upper = row.upper;
    const std::size_t number = hand.links.size();
    give_box(vector_of_row(row.size), vector_of_row(row.middle), link, hand.shapes, number);
    if (i == 3) hand.shapes.push_back({number, Sphere{tip_radius}, {0.0, 0.0, row.size[2]}});
    parent = static_cast<int>(number);
    hand.links.push_back(link);
  }
}

}  // namespace

RobotDescription allegro_hand() {
  RobotDescription hand;
  TreeLink palm;
  palm.name = "palm";
  palm.joint = TreeJoint::fixed;
  give_box({0.0408, 0.113, 0.095}, {-0.0093, 0.0, -0.0475}, palm, hand.shapes, 0);
  hand.links.push_back(palm);
  // Turns by ∓5° about x of the outer fingers.
  constexpr double cosine = 0.99904822158185780, sine = 0.043619387365336000;
  add_finger("first", finger_rows, {0.0, 0.0435, -0.001542}, {cosine, -sine, 0.0, 0.0}, hand);
  add_finger("middle", finger_rows, {0.0, 0.0, 0.0007}, {}, hand);
  add_finger("ring", finger_rows, {0.0, -0.0435, -0.001542}, {cosine, sine, 0.0, 0.0}, hand);
  // −95° about y, then −90° about z.
  add_finger("thumb", thumb_rows, Vector3::Zero(), unit_quaternion({0.477714, -0.521334, -0.521334, -0.477714}, "the thumb"),
             hand);
  return hand;
}

}  // namespace ccp
