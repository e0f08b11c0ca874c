#pragma once

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Contacts of two boxes with gap <= envelope (m), appended to `found`. Normals point from the first to the second; the
/// bodies of the ids are the caller's to fill in.
///
/// Directions: the normals of the faces of the first, of the second, the crosses of edges, 15 in all. If the boxes are
/// farther apart than the envelope along one, there is no contact. With `size` the shortest half length of both, among
/// directions equal within 1e-6 size the first one wins, and the best edge direction only if it is better than the best face
/// by 1e-3 size: ids do not change with rounding.
///
/// * Face: the incident face of the other box, projected along the normal, and the face have a polygon in common. Its
/// corners
///   are contacts, at most 8; corners within 1e-6 size of each other are one, and edges along each other do not cross. The
///   gap is measured along the normal. A corner of the polygon is a corner of one box over a face of the other or the
///   crossing of an edge of each; these features name it, whichever box has the reference face.
/// * Edges: their closest points, one contact.
/// * Overlapping boxes have the contacts of the best direction.
/// * Boxes apart have those of the best face. If the nearest of these is more than 1e-3 size farther than the boxes are
/// along
///   the best direction, there is one contact more at the closest points, where edges or corners face each other; two where
///   parallel edges run side by side.
void collide(const Box& first, const Pose& at, const Box& second, const Pose& there, double envelope, Contacts& found);

}  // namespace ccp
