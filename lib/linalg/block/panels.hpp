#pragma once

#include "core/types.hpp"

/// Dense panels in strips, as the loops of a multifrontal factorisation take them (kernels/panel_loops.hpp).
namespace ccp {

/// Copies rows × depth numbers (column-major, `stride` between columns) into strips of rows.
void pack_rows(int rows, int depth, const double* from, Index stride, double* strips);
/// Copies depth × columns numbers times `sign` into strips of columns.
void pack_columns(int columns, int depth, const double* from, Index stride, double sign, double* strips);

}  // namespace ccp
