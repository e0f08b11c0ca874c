#pragma once

/// Attributes of the versions of a function for InstructionSet::avx2 and avx512; where processors are others they are
/// ordinary functions, never chosen. What they name is what can_run() asks for.
#if defined(__x86_64__)
#define CCP_FOR_AVX2 [[gnu::target("avx2")]]
#define CCP_FOR_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq")]]
#else
#define CCP_FOR_AVX2
#define CCP_FOR_AVX512
#endif

namespace ccp {

/// What loops are compiled for more than once: vectors of 8 doubles, of 4, or what every processor has. All versions of a
/// loop do the same operations in the same order, without fused multiply-add: the processor changes no bits.
enum class InstructionSet { portable, avx2, avx512 };

/// Whether this processor has it.
bool can_run(InstructionSet set);

/// The widest one this processor has.
InstructionSet widest_instruction_set();

/// The version for that set.
template <typename Version>
const Version& version_for(InstructionSet set, const Version& portable, const Version& avx2, const Version& avx512) {
  return set == InstructionSet::avx512 ? avx512 : set == InstructionSet::avx2 ? avx2 : portable;
}

}  // namespace ccp
