#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {

const Kernels table{apgd_loops,   block_row_loops, contact_loops, group_loops,
                    jacobi_loops, krylov_loops,    pair_loops,    panel_loops};

}  // namespace ccp::CCP_INSTRUCTION_SET
