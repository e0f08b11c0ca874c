#include "kernels/jacobi_loops.hpp"

#include <cmath>
#include <cstdint>

#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

void step_contacts(Index count, const double* __restrict gamma, const double* __restrict product, const double* __restrict r,
                   const double* __restrict s, double* __restrict to) {
  for (Index i = 0; i < count; ++i) {
    to[3 * i] = gamma[3 * i] - s[i] * (product[3 * i] + r[3 * i]);
    to[3 * i + 1] = gamma[3 * i + 1] - s[i] * (product[3 * i + 1] + r[3 * i + 1]);
    to[3 * i + 2] = gamma[3 * i + 2] - s[i] * (product[3 * i + 2] + r[3 * i + 2]);
  }
}

void step(const BlockRows& blocks, const StepVectors& at) {
  if (blocks.offset == nullptr) return step_contacts(blocks.count, at.gamma, at.product, at.r, at.step, at.to);
  for (Index i = 0; i < blocks.count; ++i)
    for (Index k = blocks.before(i); k < blocks.before(i + 1); ++k)
      at.to[k] = at.gamma[k] - at.step[i] * (at.product[k] + at.r[k]);
}

/// The larger one of |x| and a number whose bits are `most`. As integers, in whose order positive doubles are too: a maximum
/// of those may be taken in any order. A NaN does not count.
[[gnu::always_inline]] inline std::int64_t larger(std::int64_t most, double x) {
  const double size = std::fabs(x);
  const std::int64_t bits = size == size ? __builtin_bit_cast(std::int64_t, size) : 0;
  return bits > most ? bits : most;
}

Largest average(Index rows, double lambda, const double* __restrict gamma, double* __restrict next) {
  std::int64_t change = 0, impulse = 0;
  for (Index k = 0; k < rows; ++k) {
    next[k] = lambda * next[k] + (1.0 - lambda) * gamma[k];
    change = larger(change, next[k] - gamma[k]);
    impulse = larger(impulse, next[k]);
  }
  return {__builtin_bit_cast(double, change), __builtin_bit_cast(double, impulse)};
}

}  // namespace

const JacobiLoops jacobi_loops{step, average};

}  // namespace ccp::CCP_INSTRUCTION_SET
