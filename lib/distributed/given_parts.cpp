#include "distributed/given_parts.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "distributed/cells.hpp"

namespace ccp {
namespace {

/// Columns one after the other; entries of a column in any order.
class ColumnWriter {
 public:
  explicit ColumnWriter(Index rows) : rows_(rows) {}
  void add(Index row, double value) { column_.emplace_back(static_cast<int>(row), value); }
  void end_column() {
    std::sort(column_.begin(), column_.end());
    for (const auto& [row, value] : column_) {
      row_.push_back(row);
      value_.push_back(value);
    }
    start_.push_back(static_cast<int>(row_.size()));
    column_.clear();
  }
  SparseMatrix matrix() const {
    return Eigen::Map<const SparseMatrix>(rows_, std::ssize(start_) - 1, std::ssize(row_), start_.data(), row_.data(),
                                          value_.data());
  }

 private:
  Index rows_;
  std::vector<std::pair<int, double>> column_;
  std::vector<int> start_{0}, row_;
  std::vector<double> value_;
};

}  // namespace

/// First velocity of each body in the part; −1: not there.
struct GivenParts::Places {
  Places(const BlockPartition& partition, const std::vector<int>& bodies) : owner(partition.owner()) {
    first.assign(uz(partition.count()), -1);
    for (const int body : bodies) {
      first[uz(body)] = velocities;
      velocities += partition.size(body);
    }
  }

  std::vector<int> owner;  ///< of each velocity of the problem
  std::vector<Index> first;
  Index velocities = 0;
};

GivenParts::GivenParts(const RankProblem& whole) : whole_(whole), bodies_(find_body_blocks(whole.form.H)) {
  if (bodies_.empty() && whole.form.H.rows() > 0)
    throw InputError("ranks take an H that splits into bodies of at most 6 velocities; this one couples more");
}

ProblemOutline GivenParts::outline() const {
  const ConstraintSet& set = whole_.constraints;
  ProblemOutline outline;
  outline.bodies = bodies_;
  outline.touch = touch_of(set, whole_.form.D, bodies_);
  outline.first_row.assign(set.offsets().begin(), set.offsets().end());
  outline.contacts = set.count() - set.count(ConstraintKind::bilateral);
  outline.compliant = whole_.form.C.nonZeros() > 0;
  outline.moments = set.has_moments();
  return outline;
}

SparseMatrix GivenParts::mass(const std::vector<int>& bodies, const Places& places) const {
  ColumnWriter writer(places.velocities);
  for (const int body : bodies)
    for (Index c = 0; c < bodies_.size(body); ++c) {
      for (SparseMatrix::InnerIterator entry(whole_.form.H, bodies_.offset(body) + c); entry; ++entry)
        writer.add(places.first[uz(body)] + entry.row() - bodies_.offset(body), entry.value());
      writer.end_column();
    }
  return writer.matrix();
}

PartBlocks GivenParts::some_blocks(const std::vector<int>& blocks, const Places& places) const {
  const ConstraintSet& set = whole_.constraints;
  PartBlocks some;
  for (const int block : blocks) some.set.add(set.kind(block), set.friction(block), set.moments(block));
  some.b.resize(some.set.rows());
  ColumnWriter jacobian(places.velocities), compliance(some.set.rows());
  Index row = 0;
  for (const int block : blocks) {
    some.b.segment(row, set.rows(block)) = whole_.form.b.segment(set.offset(block), set.rows(block));
    for (Index c = set.offset(block); c < set.offset(block) + set.rows(block); ++c) {
      for (SparseMatrix::InnerIterator entry(whole_.form.D, c); entry; ++entry) {
        const int body = places.owner[uz(entry.row())];
        if (places.first[uz(body)] >= 0)
          jacobian.add(places.first[uz(body)] + entry.row() - bodies_.offset(body), entry.value());
      }
      jacobian.end_column();
      for (SparseMatrix::InnerIterator entry(whole_.form.C, c); entry; ++entry)
        compliance.add(row + entry.row() - set.offset(block), entry.value());
      compliance.end_column();
    }
    row += set.rows(block);
  }
  jacobian.matrix().swap(some.D);
  compliance.matrix().swap(some.C);
  return some;
}

PartForm GivenParts::part(const std::vector<int>& bodies, const BlockLists& blocks) const {
  const Places places(bodies_, bodies);
  PartForm form{mass(bodies, places),
                Vector(places.velocities),
                {some_blocks(blocks[0], places), some_blocks(blocks[1], places), some_blocks(blocks[2], places)}};
  for (const int body : bodies)
    form.k.segment(places.first[uz(body)], bodies_.size(body)) =
        whole_.form.k.segment(bodies_.offset(body), bodies_.size(body));
  return form;
}

}  // namespace ccp
