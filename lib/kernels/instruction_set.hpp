#pragma once

namespace ccp {

/// What loops are compiled for more than once: vectors of 8 doubles, of 4, or what every processor has. All versions of a
/// loop do the same operations in the same order, without fused multiply-add: the processor changes no bits.
enum class InstructionSet { portable, avx2, avx512 };

/// Whether this processor has it.
bool can_run(InstructionSet set);

}  // namespace ccp
