#pragma once

#include <cstdint>

#include "bench/record/cell_record.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The two kernels of the first-order methods: a product by the operator that they choose (OperatorForm::automatic), and a
/// projection of a whole vector.
class FirstOrderKernels {
 public:
  FirstOrderKernels(ContactProblem problem, int threads);
  /// y = N x. The first call forms the operator, unless it is there.
  void multiply();
  /// Π_Υ(x)
  void project();
  const DelassusOperator& chosen() const;
  const Vector& x() const { return x_; }

 private:
  ContactProblem problem_;
  int threads_;
  Vector x_, y_, projected_;
};

/// Times of the kernels, s, called between the iterations of a run: they find the caches as the run leaves them, and the
/// machine in the state in which the run has it.
class KernelTotals {
 public:
  /// One product and one projection.
  void add_call(FirstOrderKernels& kernels);
  /// The time of the products and projections that a run has counted, s; NaN without a call.
  double work(const Counters& counters) const;

 private:
  double product_ = 0.0, projection_ = 0.0;
  std::int64_t calls_ = 0;
};

/// Times the kernels in this process, on `threads` threads where they take any (Eigen's run on one).
KernelTimes measure_kernels(const ContactProblem& problem, int threads);

}  // namespace ccp
