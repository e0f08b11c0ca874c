#pragma once

#include "kernels/kernels.hpp"

/// What the files of loops define for the instruction set they are compiled for, which gives the namespace its name. The
/// rest of such a file is in an unnamed namespace and calls no inline function of a library: the linker, which keeps one
/// copy of those, might keep this one.
namespace ccp::CCP_INSTRUCTION_SET {

extern const ApgdLoops apgd_loops;
extern const BlockRowLoops block_row_loops;
extern const ContactLoops contact_loops;
extern const GroupLoops group_loops;
extern const JacobiLoops jacobi_loops;
extern const KrylovLoops krylov_loops;
extern const PairLoops pair_loops;
extern const PanelLoops panel_loops;
extern const Kernels table;

}  // namespace ccp::CCP_INSTRUCTION_SET
