#include "problems/finite_elements/surface_contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "problems/dynamics/attitude.hpp"

namespace ccp {
namespace {

constexpr double facing = -0.3;       // largest cosine of the normals of a vertex and of what it touches
constexpr double edge_margin = 0.02;  // of a sharp edge at its ends, where vertices have the contact
constexpr double same_place = 1e-6;   // of the thickness

using Share = SurfaceContact::Share;

bool inside(const Bounds& box, double grown, const Vector3& p) {
  return ((p - box.low).array() >= -grown).all() && ((box.high - p).array() >= -grown).all();
}

bool meet(const Bounds& one, const Bounds& two, double grown) {
  return ((two.low - one.high).array() <= grown).all() && ((one.low - two.high).array() <= grown).all();
}

struct Normal {
  Vector3 direction;  ///< from the triangle to the vertex, unit
  double gap;
};

/// The normal for a vertex next to a point of a triangle; nothing where the vertex is beside the triangle and below it.
std::optional<Normal> normal_at(const ElasticSurface& side, const TriangleTree::Found& found, const Vector3& vertex) {
  const Vector3& face = side.triangle_normal(found.triangle);
  const Vector3 d = vertex - found.point.place;
  const double height = d.dot(face);
  const Skin& skin = side.skin();
  const auto triangle = static_cast<std::size_t>(found.triangle);
  const bool rim =
      (found.point.edge >= 0 && skin.edge_is_sharp[triangle][static_cast<std::size_t>(found.point.edge)]) ||
      (found.point.corner >= 0 &&
       skin.node_is_sharp[static_cast<std::size_t>(skin.triangles[triangle][static_cast<std::size_t>(found.point.corner)])]);
  if (!rim) return Normal{face, height};
  const double close = same_place * side.thickness();
  if (height < 0.0) {
    if ((d - height * face).norm() > close) return std::nullopt;
    return Normal{face, height};
  }
  const double distance = d.norm();
  if (distance <= close) return Normal{face, height};
  return Normal{d / distance, distance};
}

/// Shares with the same node would be written twice; a triangle has three nodes, and the other side another body.
void add_share(SurfaceContact& contact, int body, int node, double weight) {
  if (weight == 0.0) return;
  auto end = contact.shares.begin() + contact.count++;
  const Share share{body, node, weight};
  const auto before = [](const Share& x, const Share& y) { return std::pair(x.body, x.node) < std::pair(y.body, y.node); };
  const auto place = std::upper_bound(contact.shares.begin(), end, share, before);
  std::move_backward(place, end, end + 1);
  *place = share;
}

/// Contacts of the vertices of one body with the triangles of the other. vertex_first: the vertices are those of body_a.
void find_vertex_contacts(const ElasticSurface& points, int number_points, const ElasticSurface& faces, int number_faces,
                          bool vertex_first, double reach, double depth, std::vector<SurfaceContact>& found) {
  const double radius = std::max(reach, depth);
  const auto& vertices = points.skin().vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector3 &vertex = points.place(vertices[i]), &outwards = points.vertex_normal(i);
    if (!inside(faces.bounds(), radius, vertex)) continue;
    const auto nearest = faces.tree().nearest(
        vertex, radius, [&](int triangle) { return faces.triangle_normal(triangle).dot(outwards) <= facing; });
    if (!nearest) continue;
    const auto normal = normal_at(faces, *nearest, vertex);
    if (!normal || normal->gap > reach || normal->gap < -depth || normal->direction.dot(outwards) > facing) continue;
    SurfaceContact contact;
    contact.gap = normal->gap;
    contact.point = vertex - 0.5 * normal->gap * normal->direction;
    contact.normal = vertex_first ? Vector3(-normal->direction) : normal->direction;
    if (vertex_first)
      contact.key = {number_points, number_faces, static_cast<int>(SkinContact::first_vertex), vertices[i],
                     nearest->triangle};
    else
      contact.key = {number_faces, number_points, static_cast<int>(SkinContact::second_vertex), nearest->triangle,
                     vertices[i]};
    const double sign = vertex_first ? -1.0 : 1.0;
    add_share(contact, number_points, vertices[i], sign);
    const auto& corners = faces.skin().triangles[static_cast<std::size_t>(nearest->triangle)];
    for (std::size_t c = 0; c < 3; ++c)
      add_share(contact, number_faces, corners[c], -sign * nearest->point.weights[static_cast<Index>(c)]);
    found.push_back(contact);
  }
}

Vector3 outwards_of(const ElasticSurface& side, const Skin::Edge& edge) {
  return side.triangle_normal(edge.triangles[0]) + side.triangle_normal(edge.triangles[1]);
}

/// Sharp edges that a box, grown, may touch.
std::vector<int> edges_near(const ElasticSurface& side, const Bounds& box, double grown) {
  std::vector<int> near;
  const auto& edges = side.skin().sharp_edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Vector3 &p = side.place(edges[e].nodes[0]), &q = side.place(edges[e].nodes[1]);
    if (meet({p.cwiseMin(q), p.cwiseMax(q)}, box, grown)) near.push_back(static_cast<int>(e));
  }
  return near;
}

void find_edge_contacts(const ElasticSurface& a, int number_a, const ElasticSurface& b, int number_b, double reach,
                        double depth, std::vector<SurfaceContact>& found) {
  const double radius = std::max(reach, depth);
  const std::vector<int> others = edges_near(b, a.bounds(), radius);
  for (const int i : edges_near(a, b.bounds(), radius))
    for (const int j : others) {
      const Skin::Edge &one = a.skin().sharp_edges[static_cast<std::size_t>(i)],
                       &two = b.skin().sharp_edges[static_cast<std::size_t>(j)];
      const Vector3 p = a.place(one.nodes[0]), q = b.place(two.nodes[0]);
      const Vector3 along = a.place(one.nodes[1]) - p, other = b.place(two.nodes[1]) - q, between = q - p;
      const double aa = along.squaredNorm(), bb = other.squaredNorm(), ab = along.dot(other);
      const double determinant = aa * bb - ab * ab;
      if (!(determinant > 1e-6 * aa * bb)) continue;  // parallel: vertices have the contact
      const double s = (bb * along.dot(between) - ab * other.dot(between)) / determinant;
      const double t = (ab * along.dot(between) - aa * other.dot(between)) / determinant;
      if (!(std::min(s, t) > edge_margin && std::max(s, t) < 1.0 - edge_margin)) continue;
      Vector3 normal = along.cross(other).normalized();
      if (normal.dot(outwards_of(a, one)) < 0.0) normal = -normal;
      if (!(normal.dot(outwards_of(a, one)) > 0.0 && normal.dot(outwards_of(b, two)) < 0.0)) continue;
      SurfaceContact contact;
      contact.gap = normal.dot(between);
      if (contact.gap > reach || contact.gap < -depth) continue;
      contact.key = {number_a, number_b, static_cast<int>(SkinContact::edges), i, j};
      contact.normal = normal;
      contact.point = 0.5 * (p + s * along + q + t * other);
      add_share(contact, number_a, one.nodes[0], s - 1.0);
      add_share(contact, number_a, one.nodes[1], -s);
      add_share(contact, number_b, two.nodes[0], 1.0 - t);
      add_share(contact, number_b, two.nodes[1], t);
      found.push_back(contact);
    }
}

/// From the obstacle to the point, unit, and the distance.
Normal obstacle_normal(const Shape& shape, const Matrix3& axes, const Vector3& from) {
  const Vector3 axis = axes.col(2);
  if (std::holds_alternative<HalfSpace>(shape)) return {axis, axis.dot(from)};
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    const double distance = from.norm();
    return {distance > 0.0 ? Vector3(from / distance) : axis, distance - sphere->radius};
  }
  const Vector3 across = from - axis.dot(from) * axis;
  const double distance = across.norm();
  const Vector3 out = distance > 0.0 ? Vector3(across / distance) : Vector3(axes.col(0));
  return {out, distance - std::get<Cylinder>(shape).radius};
}

/// A contact of an obstacle with a point of the skin, without its shares.
SurfaceContact obstacle_contact(const ContactKey& key, const Vector3& place, const Normal& normal) {
  SurfaceContact contact;
  contact.key = key;
  contact.gap = normal.gap;
  contact.point = place - 0.5 * normal.gap * normal.direction;
  contact.normal = -normal.direction;
  return contact;
}

/// Contacts of the edges of the skin with a sphere, or with a cylinder that they cross: it would slip through between
/// vertices further apart than it is thick.
void find_obstacle_edge_contacts(const ElasticSurface& body, int number, const Shape& shape, const ObstacleFrame& frame,
                                 const Matrix3& axes, int number_obstacle, double reach,
                                 std::vector<SurfaceContact>& found) {
  const Vector3 axis = axes.col(2);
  const bool around_axis = std::holds_alternative<Cylinder>(shape);
  const auto across = [&](const Vector3& vector) {
    return around_axis ? Vector3(vector - axis.dot(vector) * axis) : vector;
  };
  const auto& edges = body.skin().edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Vector3 start = body.place(edges[e].nodes[0]), along = body.place(edges[e].nodes[1]) - start;
    const Vector3 seen = across(along);
    if (!(seen.squaredNorm() > 1e-6 * along.squaredNorm())) continue;  // along the axis: vertices have the contact
    const double t = -across(start - frame.position).dot(seen) / seen.squaredNorm();
    if (!(t > edge_margin && t < 1.0 - edge_margin)) continue;
    const Vector3 place = start + t * along;
    const Normal normal = obstacle_normal(shape, axes, place - frame.position);
    if (normal.gap > reach || normal.direction.dot(outwards_of(body, edges[e]).normalized()) > facing) continue;
    SurfaceContact contact = obstacle_contact(
        {number, number_obstacle, static_cast<int>(SkinContact::edges), static_cast<int>(e), 0}, place, normal);
    add_share(contact, number, edges[e].nodes[0], t - 1.0);
    add_share(contact, number, edges[e].nodes[1], -t);
    found.push_back(contact);
  }
}

/// Contacts of a sphere with the triangles above whose inside its centre is: one that is smaller than a triangle may touch
/// nothing else.
void find_sphere_face_contacts(const ElasticSurface& body, int number, const Sphere& sphere, const Vector3& centre,
                               int number_obstacle, double reach, std::vector<SurfaceContact>& found) {
  const auto& triangles = body.skin().triangles;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::array<int, 3>& nodes = triangles[t];
    const Vector3& outwards = body.triangle_normal(static_cast<int>(t));
    const double height = outwards.dot(centre - body.place(nodes[0]));
    if (!(height > 0.0) || height - sphere.radius > reach) continue;
    const TrianglePoint point = closest_point(centre, {body.place(nodes[0]), body.place(nodes[1]), body.place(nodes[2])});
    if (!(point.weights.minCoeff() > edge_margin)) continue;
    SurfaceContact contact =
        obstacle_contact({number, number_obstacle, static_cast<int>(SkinContact::face), static_cast<int>(t), 0}, point.place,
                         {-outwards, height - sphere.radius});
    for (std::size_t c = 0; c < 3; ++c) add_share(contact, number, nodes[c], -point.weights[static_cast<Index>(c)]);
    found.push_back(contact);
  }
}

/// Contacts with a box, whose skin is that of one hexahedron: its corners with triangles, vertices with its faces, and the
/// sharp edges of both.
void find_box_contacts(const ElasticSurface& body, int number, const Box& box, const ObstacleFrame& frame,
                       const Matrix3& axes, int number_obstacle, double reach, std::vector<SurfaceContact>& found) {
  static const Mesh unit = box_mesh(Vector3::Constant(2.0), {1, 1, 1}, ElementKind::hexahedron);
  static const Skin skin = skin_of(unit);
  std::vector<Vector3> corners;
  for (const Vector3& corner : unit.nodes) corners.emplace_back(frame.position + axes * corner.cwiseProduct(box.half));
  const ElasticSurface rigid(skin, 2.0 * box.half.minCoeff(), corners);
  const std::size_t old = found.size();
  find_skin_contacts(body, number, rigid, number_obstacle, reach, found);
  for (std::size_t c = old; c < found.size(); ++c) {  // the box has no nodes in the problem
    auto& shares = found[c].shares;
    const auto end = std::remove_if(shares.begin(), shares.begin() + found[c].count,
                                    [&](const Share& share) { return share.body == number_obstacle; });
    found[c].count = static_cast<int>(end - shares.begin());
  }
}

}  // namespace

ElasticSurface::ElasticSurface(const ElasticModel& model, const std::vector<Vector3>& places)
    : ElasticSurface(model.skin(), model.thickness(), places) {}

ElasticSurface::ElasticSurface(const Skin& skin, double thickness, const std::vector<Vector3>& places)
    : skin_(skin),
      thickness_(thickness),
      places_(places),
      triangle_normals_(triangle_normals(skin, places)),
      vertex_normals_(vertex_normals(skin, places)),
      tree_(skin, places) {}

bool meets_elastic_bodies(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Cylinder>(shape) ||
         std::holds_alternative<Sphere>(shape) || std::holds_alternative<Box>(shape);
}

void find_skin_contacts(const ElasticSurface& a, int number_a, const ElasticSurface& b, int number_b, double reach,
                        std::vector<SurfaceContact>& found) {
  const double thickness = std::min(a.thickness(), b.thickness()), depth = 0.5 * thickness;
  if (!meet(a.bounds(), b.bounds(), reach)) return;
  const auto old = static_cast<std::ptrdiff_t>(found.size());
  find_vertex_contacts(a, number_a, b, number_b, true, reach, depth, found);
  const auto middle = static_cast<std::ptrdiff_t>(found.size());
  find_vertex_contacts(b, number_b, a, number_a, false, reach, depth, found);
  // Two vertices on one another would have two contacts in one place.
  found.erase(std::remove_if(found.begin() + middle, found.end(),
                             [&](const SurfaceContact& contact) {
                               return std::any_of(found.begin() + old, found.begin() + middle, [&](const auto& other) {
                                 return (contact.point - other.point).norm() < same_place * thickness;
                               });
                             }),
              found.end());
  find_edge_contacts(a, number_a, b, number_b, reach, depth, found);
  std::sort(found.begin() + old, found.end(),
            [](const SurfaceContact& x, const SurfaceContact& y) { return x.key < y.key; });
}

void find_obstacle_contacts(const ElasticSurface& body, int number, const Shape& shape, const ObstacleFrame& frame,
                            int number_obstacle, double reach, std::vector<SurfaceContact>& found) {
  if (!meets_elastic_bodies(shape))
    throw InputError(fmt::format("contact of an elastic body and a {} is not supported", shape_name(shape)));
  const Matrix3 axes = rotation_matrix(frame.attitude);
  if (const auto* box = std::get_if<Box>(&shape)) {
    find_box_contacts(body, number, *box, frame, axes, number_obstacle, reach, found);
    return;
  }
  const auto& vertices = body.skin().vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector3& vertex = body.place(vertices[i]);
    const Normal normal = obstacle_normal(shape, axes, vertex - frame.position);
    if (normal.gap > reach || normal.direction.dot(body.vertex_normal(i)) > facing) continue;
    SurfaceContact contact = obstacle_contact(
        {number, number_obstacle, static_cast<int>(SkinContact::first_vertex), vertices[i], 0}, vertex, normal);
    add_share(contact, number, vertices[i], -1.0);
    found.push_back(contact);
  }
  if (std::holds_alternative<HalfSpace>(shape)) return;
  find_obstacle_edge_contacts(body, number, shape, frame, axes, number_obstacle, reach, found);
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    find_sphere_face_contacts(body, number, *sphere, frame.position, number_obstacle, reach, found);
}

}  // namespace ccp
