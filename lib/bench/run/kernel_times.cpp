#include "bench/run/kernel_times.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <utility>

#include "cones/product_cone.hpp"
#include "core/stopwatch.hpp"
#include "problem/delassus/operator_form.hpp"

namespace ccp {
namespace {

using CsrMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// A kernel is repeated in batches until this much time is spent, but at least so often: the first calls fill the caches.
constexpr double time_per_kernel_s = 0.3;
constexpr int calls_per_batch = 10, least_batches = 3;

/// The time of one call in the fastest batch, s, where `between` runs before each, off the clock.
template <typename Kernel, typename Between>
double least_time(const Kernel& kernel, const Between& between) {
  double least = std::numeric_limits<double>::infinity();
  Stopwatch whole;
  whole.start();
  for (int batch = 0; batch < least_batches || whole.seconds() < time_per_kernel_s; ++batch) {
    double seconds = 0.0;
    for (int call = 0; call < calls_per_batch; ++call) {
      between();
      const TimeSpent timed(seconds);
      kernel();
    }
    least = std::min(least, seconds / calls_per_batch);
  }
  return least;
}

/// A vector with entries of both signs in [−1, 1], so that a part of the contacts is open, sticking or slipping.
Vector sample(Index size) {
  Vector x(size);
  std::uint32_t state = 1;
  for (double& entry : x) {
    state = state * 1664525u + 1013904223u;
    entry = static_cast<double>(state >> 8) * 0x1p-23 - 1.0;
  }
  return x;
}

/// H⁻¹ as a sparse matrix of 6×6 blocks.
CsrMatrix inverse_matrix(const MassMatrix& mass) {
  std::vector<Triplet> entries;
  for (Index body = 0; body < mass.blocks().count(); ++body) {
    const Index offset = mass.blocks().offset(body), size = mass.blocks().size(body);
    for (Index c = 0; c < size; ++c)
      for (Index r = 0; r < size; ++r)
        if (const double value = mass.block_inverse(body)[6 * c + r]; value != 0.0)
          entries.emplace_back(static_cast<int>(offset + r), static_cast<int>(offset + c), value);
  }
  return from_triplets<CsrMatrix>(mass.size(), mass.size(), entries);
}

}  // namespace

FirstOrderKernels::FirstOrderKernels(ContactProblem problem, int threads)
    : problem_(std::move(problem)),
      threads_(threads),
      x_(sample(problem_.rows())),
      y_(Vector::Zero(x_.size())),
      projected_(Vector::Zero(x_.size())) {}

const DelassusOperator& FirstOrderKernels::chosen() const { return delassus_operator(problem_, OperatorUse::products); }

void FirstOrderKernels::multiply() { chosen().multiply(x_, y_, threads_); }

void FirstOrderKernels::project() {
  projected_ = x_;
  project_product(problem_.constraints(), projected_, threads_);
}

void KernelTotals::add_call(FirstOrderKernels& kernels) {
  kernels.chosen();  // formed off this clock, too
  ++calls_;
  {
    const TimeSpent timed(product_);
    kernels.multiply();
  }
  const TimeSpent timed(projection_);
  kernels.project();
}

double KernelTotals::work(const Counters& counters) const {
  if (calls_ == 0) return unknown_number;
  const double products = static_cast<double>(counters.products), projections = static_cast<double>(counters.projections);
  return (products * product_ + projections * projection_) / static_cast<double>(calls_);
}

KernelTimes measure_kernels(const ContactProblem& problem, int threads) {
  KernelTimes times;
  FirstOrderKernels kernels(problem, threads);
  const DelassusOperator& chosen = kernels.chosen();
  const Vector& x = kernels.x();
  Vector y(x.size());
  const auto product = [&] { kernels.multiply(); };
  const auto rest = [&] { kernels.project(); };
  times.product = least_time(product, rest);
  times.projection = least_time(rest, product);
  if (problem.constraints().contacts() > 0)
    times.bytes_per_contact = static_cast<double>(chosen.bytes()) / static_cast<double>(problem.constraints().contacts());
  if (problem.has_factored()) {
    const GlobalForm& form = problem.global();
    const CsrMatrix D = form.D, transposed = form.D.transpose(), inverse = inverse_matrix(problem.mass());
    Vector momentum(D.rows()), velocity(D.rows());
    times.factors_product = least_time(
        [&] {
          momentum.noalias() = D * x;
          velocity.noalias() = inverse * momentum;
          y.noalias() = transposed * velocity;
        },
        rest);
  }
  const AssembledDelassus& blocks = problem.assembled();
  times.block_product = least_time([&] { blocks.multiply(x, y, threads); }, rest);
  const CsrMatrix N = problem.local().N;
  times.csr_product = least_time([&] { y.noalias() = N * x; }, rest);
  return times;
}

}  // namespace ccp
