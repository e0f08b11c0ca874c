#pragma once

#include "kernels/apgd_loops.hpp"
#include "kernels/block_row_loops.hpp"
#include "kernels/contact_loops.hpp"
#include "kernels/group_loops.hpp"
#include "kernels/instruction_set.hpp"
#include "kernels/jacobi_loops.hpp"
#include "kernels/pair_loops.hpp"
#include "kernels/panel_loops.hpp"

namespace ccp {

/// All loops that exist once for each instruction set.
struct Kernels {
  const ApgdLoops& apgd;
  const BlockRowLoops& block_rows;
  const ContactLoops& contacts;
  const GroupLoops& groups;
  const JacobiLoops& jacobi;
  const PairLoops& pairs;
  const PanelLoops& panels;
};

/// Those of the widest instruction set that this processor has.
const Kernels& kernels();
/// Those of one set; the processor must be able to run it.
const Kernels& kernels(InstructionSet set);

}  // namespace ccp
