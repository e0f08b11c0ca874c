#include <cholmod.h>

#include "linalg/block/ordering.hpp"

namespace ccp {

std::vector<int> nested_dissection_order(const std::vector<int>& start, const std::vector<int>& neighbour) {
  std::vector<int> columns = start, rows = neighbour;  // CHOLMOD's interface is not const
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  cholmod_sparse graph{};
  graph.nrow = graph.ncol = start.size() - 1;
  graph.nzmax = neighbour.size();
  graph.p = columns.data();
  graph.i = rows.data();
  graph.stype = 1;
  graph.itype = CHOLMOD_INT;
  graph.xtype = CHOLMOD_PATTERN;
  graph.dtype = CHOLMOD_DOUBLE;
  graph.sorted = 1;
  graph.packed = 1;
  std::vector<int> order(graph.ncol);
  const bool done = cholmod_metis(&graph, nullptr, 0, 1, order.data(), &common) != 0;
  cholmod_finish(&common);
  if (!done) order.clear();
  return order;
}

}  // namespace ccp
