#include <catch2/catch.hpp>

#include "core/constraints.hpp"

using namespace ccp;

TEST_CASE("every kind has its rows and friction", "[core]") {
  CHECK(constraint_rows(ConstraintKind::contact) == 3);
  CHECK(constraint_rows(ConstraintKind::contact2d) == 2);
  CHECK(constraint_rows(ConstraintKind::unilateral) == 1);
  CHECK(constraint_rows(ConstraintKind::bilateral) == 1);
  CHECK(has_friction(ConstraintKind::contact));
  CHECK(has_friction(ConstraintKind::contact2d));
  CHECK_FALSE(has_friction(ConstraintKind::unilateral));
  CHECK_FALSE(has_friction(ConstraintKind::bilateral));
}

TEST_CASE("an empty constraint set has no rows", "[core]") {
  const ConstraintSet set;
  CHECK(set.count() == 0);
  CHECK(set.rows() == 0);
  CHECK(set.contacts() == 0);
  CHECK(set.offsets() == std::vector<Index>{0});
  CHECK(set.all_contacts_3d());
}

TEST_CASE("blocks of a constraint set lie one behind the other", "[core]") {
  ConstraintSet set;
  set.add(ConstraintKind::unilateral);
  set.add(ConstraintKind::contact, 0.5);
  set.add(ConstraintKind::bilateral);
  set.add(ConstraintKind::contact2d, 0.25);
  set.add(ConstraintKind::contact, 0.75);

  CHECK(set.count() == 5);
  CHECK(set.rows() == 10);
  CHECK(set.offsets() == std::vector<Index>{0, 1, 4, 5, 7, 10});
  for (Index i = 0; i < set.count(); ++i) {
    CHECK(set.offset(i) == set.offsets()[static_cast<std::size_t>(i)]);
    CHECK(set.offset(i) + set.rows(i) == set.offsets()[static_cast<std::size_t>(i + 1)]);
  }
  CHECK(set.count(ConstraintKind::contact) == 2);
  CHECK(set.count(ConstraintKind::contact2d) == 1);
  CHECK(set.count(ConstraintKind::unilateral) == 1);
  CHECK(set.count(ConstraintKind::bilateral) == 1);
  CHECK(set.contacts() == 3);
  CHECK(set.kind(3) == ConstraintKind::contact2d);
  CHECK(set.friction(1) == 0.5);
  CHECK(set.friction(3) == 0.25);
  CHECK_FALSE(set.all_contacts_3d());
}

TEST_CASE("only contacts keep a friction coefficient", "[core]") {
  ConstraintSet set;
  set.add(ConstraintKind::unilateral, 0.5);
  set.add(ConstraintKind::bilateral, 0.5);
  CHECK(set.friction(0) == 0.0);
  CHECK(set.friction(1) == 0.0);
}

TEST_CASE("constraint sets compare by kind and friction", "[core]") {
  ConstraintSet a, b;
  a.add(ConstraintKind::contact, 0.5);
  b.add(ConstraintKind::contact, 0.5);
  CHECK(a == b);
  CHECK(a.all_contacts_3d());
  b.add(ConstraintKind::contact, 0.5);
  CHECK_FALSE(a == b);
  a.add(ConstraintKind::contact, 0.6);
  CHECK_FALSE(a == b);
}
