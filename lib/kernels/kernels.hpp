#pragma once

#include "kernels/apgd_loops.hpp"
#include "kernels/block_row_loops.hpp"
#include "kernels/contact_loops.hpp"
#include "kernels/group_loops.hpp"
#include "kernels/jacobi_loops.hpp"
#include "kernels/krylov_loops.hpp"
#include "kernels/pair_loops.hpp"
#include "kernels/panel_loops.hpp"

namespace ccp {

/// What loops are compiled for more than once: vectors of 8 doubles, of 4, or what every processor has. All versions of a
/// loop do the same operations in the same order, without fused multiply-add: the processor changes no bits.
enum class InstructionSet { portable, avx2, avx512 };

/// Whether this processor has it.
bool can_run(InstructionSet set);

/// All loops that exist once for each instruction set.
struct Kernels {
  const ApgdLoops& apgd;
  const BlockRowLoops& block_rows;
  const ContactLoops& contacts;
  const GroupLoops& groups;
  const JacobiLoops& jacobi;
  const KrylovLoops& krylov;
  const PairLoops& pairs;
  const PanelLoops& panels;
};

/// Those of the widest instruction set that this processor has.
const Kernels& kernels();
/// Those of one set; the processor must be able to run it.
const Kernels& kernels(InstructionSet set);

}  // namespace ccp
