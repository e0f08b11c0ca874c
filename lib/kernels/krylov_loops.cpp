#include "kernels/krylov_loops.hpp"

#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

using Four [[gnu::vector_size(32), gnu::may_alias, gnu::aligned(8)]] = double;  // at any address of a double

[[gnu::always_inline]] inline const Four& load(const double* from) { return *reinterpret_cast<const Four*>(from); }

/// The sum of the terms `term(k)`, whose first four are in `sums`; those up to `summed` are.
template <typename Term>
[[gnu::always_inline]] inline double finish(Index n, Index summed, const Four& sums, const Term& term) {
  double even = sums[0] + sums[2], odd = sums[1] + sums[3];
  Index k = summed;
  if (k + 2 <= n) {
    even += term(k);
    odd += term(k + 1);
    k += 2;
  }
  double sum = even + odd;
  if (k < n) sum += term(k);
  return sum;
}

double dot(Index n, const double* x, const double* y) {
  Four sums{0.0, 0.0, 0.0, 0.0};
  Index k = 0;
  for (; k + 4 <= n; k += 4) sums += load(x + k) * load(y + k);
  return finish(n, k, sums, [&](Index i) { return x[i] * y[i]; });
}

double subtract(Index n, double factor, const double* x, double* y, const double* next) {
  Four sums{0.0, 0.0, 0.0, 0.0};
  Index k = 0;
  for (; k + 4 <= n; k += 4) {
    const Four less = load(y + k) - factor * load(x + k);
    *reinterpret_cast<Four*>(y + k) = less;
    sums += (next != nullptr ? load(next + k) : less) * less;
  }
  return finish(n, k, sums, [&](Index i) {
    y[i] -= factor * x[i];
    return (next != nullptr ? next[i] : y[i]) * y[i];
  });
}

}  // namespace

const KrylovLoops krylov_loops{dot, subtract};

}  // namespace ccp::CCP_INSTRUCTION_SET
