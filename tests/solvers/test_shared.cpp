#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "problem/block_scale.hpp"
#include "solvers/flops.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"
#include "support/bare_monitor.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

struct TwoColumns : NativeColumns {
  NativeValue length{*this, "length", "m", "of a step"};
  NativeValue trials{*this, "trials", "", "so far"};
};

class Accepting final : public BareMonitor {
 public:
  bool go_on(const Iterate&) override { return !accepts; }
  bool solved() const override { return accepts; }
  bool accepts = false;
};

}  // namespace

TEST_CASE("native columns have names and values in the order of their declaration") {
  TwoColumns native;
  REQUIRE(native.columns().size() == 2);
  CHECK(native.columns()[0].name == "length");
  CHECK(native.columns()[0].unit == "m");
  CHECK(native.columns()[1].meaning == "so far");
  native.trials = 3.0;
  native.length = 0.5;
  native.trials += 1.0;
  CHECK(native.values() == std::vector<double>{0.5, 4.0});
  CHECK(native.length < native.trials);
  native.clear();
  CHECK(native.values() == std::vector<double>{0.0, 0.0});
}

TEST_CASE("the best iterate is the one of the lowest residual, unless the monitor accepts another") {
  Accepting monitor;
  const std::vector<double> native;
  BestIterate best(1, 2);
  const auto show = [&](double residual, const Vector& impulse, const Vector* velocity) {
    return best.show(monitor, residual, impulse, {impulse, velocity, native, false});
  };
  const Vector zero = Vector::Zero(1), one = Vector::Ones(1), two = 2.0 * one, v = Vector::Ones(2);
  best.restart(zero);
  CHECK(best.impulse() == zero);
  CHECK(best.velocity().size() == 0);
  CHECK(show(0.5, one, &v));
  CHECK(show(0.7, two, nullptr));
  CHECK(show(std::numeric_limits<double>::quiet_NaN(), two, nullptr));
  CHECK(best.impulse() == one);
  CHECK(best.velocity() == v);
  CHECK(best.residual() == 0.5);
  monitor.accepts = true;
  CHECK_FALSE(show(0.6, two, nullptr));
  CHECK(best.impulse() == two);
  CHECK(best.velocity().size() == 0);
}

TEST_CASE("blocks are read with padding and written without") {
  ConstraintSet set;
  set.add(ConstraintKind::contact2d, 0.5);
  set.add(ConstraintKind::unilateral);
  Vector x(3);
  x << 1.0, 2.0, 3.0;
  CHECK(padded_block(set, x, 0) == Vector3(1.0, 2.0, 0.0));
  CHECK(padded_block(set, x, 1) == Vector3(3.0, 0.0, 0.0));
  put_block(set, x, 0, Vector3(4.0, 5.0, 6.0));
  CHECK(x == Vector3(4.0, 5.0, 3.0));
}

TEST_CASE("the scale of a block is 1 where its trace is not positive") {
  ConstraintSet set;
  set.add(ConstraintKind::contact2d, 0.5);
  set.add(ConstraintKind::unilateral);
  Vector diagonal(3);
  diagonal << 3.0, 5.0, 0.0;
  CHECK(block_steps(set, diagonal) == Vector(Eigen::Vector2d(0.25, 1.0)));
  CHECK(block_means(set, diagonal) == Vector(Eigen::Vector2d(4.0, 1.0)));
}

TEST_CASE("every linear solver of a symmetric system has a name") {
  CHECK(linear_backend_name(LinearBackend::automatic) == "auto");
  CHECK(linear_backend_name(LinearBackend::eigen_ldlt) == "eigen_ldlt");
  CHECK(linear_backend_choices().size() == 4);
}

TEST_CASE("operations of a run follow from its counts and the numbers of the problem") {
  const ContactProblem global = random_problem(7, {4, 6}), local = as_local(global);
  const auto numbers = [](const SparseMatrix& matrix) { return static_cast<double>(matrix.nonZeros()); };
  CHECK(product_flops(local) == 2.0 * numbers(local.local().N));
  double inverses = 0.0;
  for (Index body = 0; body < global.mass().blocks().count(); ++body)
    inverses += 2.0 * std::pow(static_cast<double>(global.mass().blocks().size(body)), 2);
  CHECK(inverses > 0.0);
  CHECK(product_flops(global) == 4.0 * numbers(global.global().D) + 2.0 * numbers(global.global().C) + inverses);
  const ConstraintSet& set = local.constraints();
  CHECK(projection_flops(local) == 13.0 * static_cast<double>(set.contacts()) + static_cast<double>(set.count()));
  StopRule stop;
  stop.max_iterations = 10;
  stop.tolerance = 0.0;
  const Result result = run(local, {"jacobi", Model::ccp, stop});
  CHECK(result.counters.products == 10);
  CHECK(result.counters.flops == 10.0 * product_flops(local) + 10.0 * projection_flops(local));
  for (const char* method : {"admm", "proximal_newton", "semismooth_newton", "canal", "ipm_cone", "subadmm"}) {
    CAPTURE(method);
    const Result other = run(global, {method, Model::ccp, stop});
    const double counted = static_cast<double>(other.counters.products) * product_flops(global) +
                           static_cast<double>(other.counters.projections) * projection_flops(global);
    CHECK(other.counters.flops > counted);  // and its linear systems
    CHECK(run(global, {method, Model::ccp, stop}).counters.flops == other.counters.flops);
  }
  CHECK(std::isnan(total_flops({}, local)));  // other programs count nothing
}
