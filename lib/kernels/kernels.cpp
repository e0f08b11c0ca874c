#include "kernels/kernels.hpp"

namespace ccp {

namespace portable {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}

bool can_run(InstructionSet set) {
  switch (set) {
    case InstructionSet::portable: return true;
#if defined(__x86_64__)
    case InstructionSet::avx2: return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case InstructionSet::avx512:
      return can_run(InstructionSet::avx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
    default: break;
#endif
  }
  return false;
}

const Kernels& kernels(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::avx512: return avx512::table;
    case InstructionSet::avx2: return avx2::table;
#endif
    default: return portable::table;
  }
}

const Kernels& kernels() {
  static const Kernels& widest = kernels(can_run(InstructionSet::avx512) ? InstructionSet::avx512
                                         : can_run(InstructionSet::avx2) ? InstructionSet::avx2
                                                                         : InstructionSet::portable);
  return widest;
}

}  // namespace ccp
