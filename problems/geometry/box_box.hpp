#pragma once

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Contacts of two boxes with gap <= envelope (m), appended to `found`. Normals point from the first to the second; the
/// bodies of the ids are the caller's to fill in.
///
/// The direction is the one of 15 (faces of the first, of the second, crosses of edges) along which the boxes are farthest
/// apart; if one is over the envelope there is no contact. With `size` the shortest half length of both, an edge direction
/// must be better than the faces by 1e-3 size, and among directions equal within 1e-6 size the first one wins: ids do not
/// change with rounding.
///
/// * A face: the incident face of the other box, projected along the normal, and the face have a polygon in common. All its
///   corners are contacts, at most 8; corners within 1e-6 size of each other are one, and edges along each other do not
///   cross. The gap is measured along the normal. A corner of the polygon is a corner of one box over a face of the other,
///   or the crossing of an edge of each; these features name it, whichever box has the reference face.
/// * Two edges: their closest points, one contact.
/// * Boxes apart whose polygon is empty, or whose edges pass beside each other, are nearest at a corner of one or at two
///   edges: there the contact is the closest pair of points, two pairs where parallel edges run side by side.
void collide(const Box& first, const Pose& at, const Box& second, const Pose& there, double envelope, Contacts& found);

}  // namespace ccp
