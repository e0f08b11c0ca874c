#include "core/instruction_set.hpp"

namespace ccp {

bool can_run(InstructionSet set) {
  switch (set) {
    case InstructionSet::portable: return true;
#if defined(__x86_64__)
    case InstructionSet::avx2: return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0;
#else
    default: break;
#endif
  }
  return false;
}

InstructionSet widest_instruction_set() {
  if (can_run(InstructionSet::avx512)) return InstructionSet::avx512;
  if (can_run(InstructionSet::avx2)) return InstructionSet::avx2;
  return InstructionSet::portable;
}

}  // namespace ccp
