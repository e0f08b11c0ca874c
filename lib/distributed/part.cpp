#include "distributed/part.hpp"

#include <algorithm>
#include <numeric>

#include "core/taken.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/gradient/iterate_products.hpp"

namespace ccp {
namespace {

/// Velocities without a body that a rank adds so that its H splits as the whole one does (find_body_blocks): into sixes,
/// threes or neither, whatever the number of its bodies.
Index idle_dofs(const BlockPartition& bodies, Index dofs) {
  const auto all_of = [&](Index size) {
    for (Index b = 0; b < bodies.count(); ++b)
      if (bodies.size(b) != size) return false;
    return true;
  };
  if (all_of(6)) return 0;
  if (all_of(3)) return dofs % 6 == 0 ? 3 : 0;
  return dofs % 3 == 0 ? 1 : 0;
}

/// The last cell that begins at `number` or before.
int cell_of(const std::vector<Index>& start, int number) {
  return static_cast<int>(std::upper_bound(start.begin(), start.end(), number) - start.begin()) - 1;
}

}  // namespace

/// Bodies and blocks of a rank, by their new numbers.
struct RankParts::Local {
  std::vector<int> bodies;
  std::vector<Index> offset{0};  ///< first velocity of each body, and the end
  std::vector<int> place;        ///< of a body among them; −1: none
  std::vector<int> before, own, after;
  Index dofs = 0;  ///< with those without a body
};

RankParts::RankParts(const ProblemOutline& problem, int ranks, const Cut& cut)
    : problem_(problem), bodies_(problem.bodies), touch_(problem.touch) {
  order_ = order_by_cells(problem, cells_of_bodies(touch_, cut));
  first_cell_ = cells_of_ranks(order_, ranks);
  new_body_.resize(order_.bodies.size());
  first_velocity_.push_back(0);
  for (std::size_t n = 0; n < order_.bodies.size(); ++n) {
    new_body_[uz(order_.bodies[n])] = static_cast<int>(n);
    first_velocity_.push_back(first_velocity_.back() + bodies_.size(order_.bodies[n]));
  }
  first_row_of_block_.push_back(0);
  blocks_start_.assign(order_.bodies.size() + 1, 0);
  for (const int old : order_.blocks) {
    first_row_of_block_.push_back(first_row_of_block_.back() + problem.rows(old));
    for (Index k = touch_.start[uz(old)]; k < touch_.start[uz(old) + 1]; ++k)
      ++blocks_start_[uz(new_body_[uz(touch_.body[uz(k)])]) + 1];
  }
  std::partial_sum(blocks_start_.begin(), blocks_start_.end(), blocks_start_.begin());
  blocks_at_.resize(touch_.body.size());
  std::vector<Index> next(blocks_start_.begin(), blocks_start_.end() - 1);
  for (std::size_t n = 0; n < order_.blocks.size(); ++n) {
    const auto old = uz(order_.blocks[n]);
    for (Index k = touch_.start[old]; k < touch_.start[old + 1]; ++k)
      blocks_at_[uz(next[uz(new_body_[uz(touch_.body[uz(k)])])]++)] = static_cast<int>(n);
  }
  std::vector<int> cell_at, cell_itself(uz(cell_count)), rank_of(uz(cell_count));
  for (const int block : blocks_at_) cell_at.push_back(cell_of_block(block));
  std::iota(cell_itself.begin(), cell_itself.end(), 0);
  for (int cell = 0; cell < cell_count; ++cell) rank_of[uz(cell)] = rank_of_cell(cell);
  cells_ = colour_groups(std::move(cell_itself), blocks_start_, cell_at);
  ranks_ = colour_groups(std::move(rank_of), blocks_start_, cell_at);
}

int RankParts::cell_of_block(int block) const { return cell_of(order_.block_start, block); }

int RankParts::rank_of_cell(int cell) const {
  // The last rank that begins there: those before it have no cells.
  return static_cast<int>(std::upper_bound(first_cell_.begin(), first_cell_.end() - 1, cell) - first_cell_.begin()) - 1;
}

RankParts::Local RankParts::local(int rank) const {
  const auto range = [&](const std::vector<Index>& start) {
    return std::pair(static_cast<int>(start[uz(first_cell_[uz(rank)])]),
                     static_cast<int>(start[uz(first_cell_[uz(rank) + 1])]));
  };
  const auto [first_body, last_body] = range(order_.body_start);
  const auto [first_block, last_block] = range(order_.block_start);
  const auto keep_each_once = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  Local local;
  for (int b = first_body; b < last_body; ++b) local.bodies.push_back(b);
  for (int n = first_block; n < last_block; ++n) {
    local.own.push_back(n);
    const auto old = uz(order_.blocks[uz(n)]);
    for (Index k = touch_.start[old]; k < touch_.start[old + 1]; ++k)
      local.bodies.push_back(new_body_[uz(touch_.body[uz(k)])]);
  }
  keep_each_once(local.bodies);
  local.place.assign(order_.bodies.size(), -1);
  std::vector<int> touching;
  for (const int b : local.bodies) {
    local.place[uz(b)] = static_cast<int>(std::ssize(local.offset)) - 1;
    local.offset.push_back(local.offset.back() + bodies_.size(order_.bodies[uz(b)]));
    touching.insert(touching.end(), blocks_at_.begin() + blocks_start_[uz(b)],
                    blocks_at_.begin() + blocks_start_[uz(b) + 1]);
  }
  local.dofs = local.offset.back() + idle_dofs(bodies_, local.offset.back());
  keep_each_once(touching);
  for (const int n : touching) {
    if (n < first_block) local.before.push_back(n);
    if (n >= last_block) local.after.push_back(n);
  }
  return local;
}

void RankParts::add_foreign_rows(RankPart& part, const std::vector<int>& blocks) const {
  const std::vector<int> first = first_rows();
  for (const int block : blocks) {
    const int rank = rank_of_cell(cell_of_block(block));
    for (Index row = first_row_of_block_[uz(block)]; row < first_row_of_block_[uz(block) + 1]; ++row) {
      part.foreign_rank.push_back(rank);
      part.foreign_row.push_back(static_cast<int>(row) - first[uz(rank)]);
    }
  }
}

SweepGroups RankParts::sweep_groups(const GroupColours& groups, const Local& local) const {
  SweepGroups mine;
  mine.colours = groups.colours;
  for (const std::vector<int>* blocks : {&local.before, &local.own, &local.after})
    for (const int block : *blocks)
      mine.block_colour.push_back(groups.colour[uz(groups.group_of_cell[uz(cell_of_block(block))])]);
  int last = -1;
  for (const int block : local.own) {
    const int group = groups.group_of_cell[uz(cell_of_block(block))];
    if (group != last) {
      mine.start.push_back(mine.start.back());
      mine.colour.push_back(groups.colour[uz(group)]);
      last = group;
    }
    ++mine.start.back();
  }
  for (const int body : local.bodies) mine.copies.push_back(groups.copies[uz(body)]);
  return mine;
}

RankPart RankParts::part(int rank) const {
  const Local mine = local(rank);
  RankPart part;
  for (const int n : mine.bodies) part.wanted_bodies.push_back(order_.bodies[uz(n)]);
  const std::vector<int>* lists[] = {&mine.before, &mine.own, &mine.after};
  for (std::size_t list = 0; list < 3; ++list)
    for (const int n : *lists[list]) part.wanted_blocks[list].push_back(order_.blocks[uz(n)]);
  part.velocities = mine.dofs;
  part.body_start = mine.offset;
  for (const int n : mine.bodies) {
    const int owner = rank_of_cell(cell_of(order_.body_start, n));
    const Index first = order_.body_start[uz(first_cell_[uz(owner)])];
    part.body_rank.push_back(owner);
    part.body_place.push_back(static_cast<int>(first_velocity_[uz(n)] - first_velocity_[uz(first)]));
  }
  add_foreign_rows(part, mine.before);
  add_foreign_rows(part, mine.after);
  part.first_cell = first_cell_[uz(rank)];
  for (int cell = part.first_cell; cell < first_cell_[uz(rank) + 1]; ++cell) {
    part.blocks_of_cell.push_back(order_.block_start[uz(cell) + 1] - order_.block_start[uz(cell)]);
    part.bodies_of_cell.push_back(order_.body_start[uz(cell) + 1] - order_.body_start[uz(cell)]);
    part.bodies += part.bodies_of_cell.back();
  }
  const Index first = order_.body_start[uz(part.first_cell)];
  part.first_body = std::lower_bound(mine.bodies.begin(), mine.bodies.end(), first) - mine.bodies.begin();
  part.first_row = first_rows()[uz(rank)];
  part.rows = problem_.first_row.back();
  part.contacts = problem_.contacts;
  part.compliant = problem_.compliant;
  part.cells = sweep_groups(cells_, mine);
  part.ranks = sweep_groups(ranks_, mine);
  return part;
}

std::vector<int> RankParts::rows() const {
  std::vector<int> list;
  for (const int old : order_.blocks)
    for (int row = problem_.first_row[uz(old)]; row < problem_.first_row[uz(old) + 1]; ++row) list.push_back(row);
  return list;
}

std::vector<int> RankParts::first_rows() const {
  std::vector<int> list;
  for (const int cell : first_cell_) list.push_back(static_cast<int>(first_row_of_block_[uz(order_.block_start[uz(cell)])]));
  return list;
}

Index RankParts::cut_contacts() const {
  const auto rank_of_body = [&](int old) { return rank_of_cell(cell_of(order_.body_start, new_body_[uz(old)])); };
  Index cut = 0;
  for (std::size_t i = 0; i + 1 < touch_.start.size(); ++i) {
    bool one = true;
    for (Index k = touch_.start[i]; k < touch_.start[i + 1]; ++k)
      one = one && rank_of_body(touch_.body[uz(k)]) == rank_of_body(touch_.body[uz(touch_.start[i])]);
    if (!one) ++cut;
  }
  return cut;
}

double RankParts::imbalance() const {
  Index most = 0;
  for (std::size_t rank = 0; rank + 1 < first_cell_.size(); ++rank)
    most = std::max(most, order_.block_start[uz(first_cell_[rank + 1])] - order_.block_start[uz(first_cell_[rank])]);
  const auto all = static_cast<double>(order_.block_start.back());
  return all > 0.0 ? static_cast<double>(most) * static_cast<double>(first_cell_.size() - 1) / all : 1.0;
}

namespace {

/// The members that travel, for a Packer or an Unpacker.
void part_members(auto& stream, auto& part) {
  stream(part.wanted_bodies, part.velocities);
  for (auto& blocks : part.wanted_blocks) stream(blocks);
  stream(part.before, part.own, part.after, part.H, part.D_before, part.D_own, part.D_after, part.C, part.k, part.b);
  stream(part.first_body, part.bodies, part.body_start, part.body_rank, part.body_place, part.first_cell,
         part.blocks_of_cell, part.bodies_of_cell, part.foreign_rank, part.foreign_row, part.first_row, part.rows,
         part.contacts, part.compliant);
  for (auto* groups : {&part.cells, &part.ranks})
    stream(groups->colours, groups->start, groups->colour, groups->block_colour, groups->copies);
}

}  // namespace

void put(Packer& packer, const RankPart& part) { part_members(packer, part); }
void take(Unpacker& unpacker, RankPart& part) { part_members(unpacker, part); }

void fill(RankPart& part, const PartSource& source) {
  PartForm form = source.part(part.wanted_bodies, part.wanted_blocks);
  part.wanted_bodies = {};
  part.wanted_blocks = {};
  const Index known = form.H.rows(), all = part.velocities;
  part.H.swap(form.H);
  part.k = std::move(form.k);
  auto& [before, own, after] = form.blocks;
  for (PartBlocks* blocks : {&before, &own, &after}) blocks->D.conservativeResize(all, blocks->D.cols());
  if (all > known) {
    part.H.conservativeResize(all, all);
    for (Index idle = known; idle < all; ++idle) part.H.insert(idle, idle) = 1.0;
    part.H.makeCompressed();
    part.k.conservativeResizeLike(Vector::Zero(all));
  }
  part.before = std::move(before.set);
  part.own = std::move(own.set);
  part.after = std::move(after.set);
  part.D_before.swap(before.D);
  part.D_own.swap(own.D);
  part.D_after.swap(after.D);
  part.C.swap(own.C);
  part.b = std::move(own.b);
}

ContactProblem shared_problem(RankPart&& part, std::shared_ptr<const Share> share, bool keeps_matrices) {
  auto form = std::make_shared<SharedForm>();
  form->share = std::move(share);
  form->before = std::move(part.before);
  form->after = std::move(part.after);
  form->D_before.swap(part.D_before);
  form->D_after.swap(part.D_after);
  form->first_body = part.first_body;
  form->bodies = part.bodies;
  form->compliant = part.compliant;
  form->keeps_matrices = keeps_matrices;
  ProblemBuilder builder("share");
  builder.global(taken(part.H), std::move(part.k), taken(part.D_own), std::move(part.b)).constraints(part.own);
  part.own = {};
  part.cells = part.ranks = {};
  if (part.compliant)
    builder.compliance(taken(part.C));
  else
    SparseMatrix().swap(part.C);
  builder.shared(std::move(form));
  return std::move(builder).build();
}

CellChunks block_chunks(const RankPart& part) {
  CellChunks chunks;
  for (std::size_t c = 0; c < part.blocks_of_cell.size(); ++c)
    chunks.add(part.first_cell + static_cast<int>(c), part.blocks_of_cell[c], BlockPass::chunk);
  return chunks;
}

CellChunks root_chunks(const RankPart& part) {
  CellChunks chunks;
  for (std::size_t c = 0; c < part.bodies_of_cell.size(); ++c)
    chunks.add(part.first_cell + static_cast<int>(c), 6 * part.bodies_of_cell[c], IterateProducts::distance_chunk);
  return chunks;
}

}  // namespace ccp
