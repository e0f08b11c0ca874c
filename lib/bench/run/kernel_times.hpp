#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bench/record/cell_record.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The two kernels of the first-order methods: a product by the operator that they choose (OperatorForm::automatic), and a
/// projection of a whole vector.
class FirstOrderKernels {
 public:
  FirstOrderKernels(ContactProblem problem, int threads);
  /// y = N x. The first call forms the operator, where nobody has.
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
  /// What the products and projections that a run has counted take, s; NaN without a call.
  double work(const Counters& counters) const;

 private:
  double product_ = 0.0, projection_ = 0.0;
  std::int64_t calls_ = 0;
};

/// What measuring the kernels of a problem takes at least, s.
extern const double least_measuring_s;

/// Times the kernels in this process, on `threads` threads where they take any (Eigen's run on one).
KernelTimes measure_kernels(const ContactProblem& problem, int threads);

/// The same in a worker of its own, so that what it derives and allocates is gone afterwards. `run_apart` runs a function in
/// a forked process and says whether it has returned 0; nothing when it has not.
std::optional<KernelTimes> measure_kernels_apart(const ContactProblem& problem, int threads,
                                                 const std::function<bool(const std::function<int()>&)>& run_apart);

}  // namespace ccp
