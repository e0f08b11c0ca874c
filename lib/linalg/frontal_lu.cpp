#include "linalg/frontal_lu.hpp"

#include <algorithm>
#include <cassert>

namespace ccp {
namespace {

std::size_t product(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

/// Distance between the columns of a front: room for what kernels write beyond the last row, and no power of two.
int front_stride(int size) { return padded_rows(size) + 8; }

}  // namespace

FrontalLu::FrontalLu(const BlockMatrix& A, const BlockOrdering& ordering)
    : tree_(front_tree(ordering)), ordering_(ordering.name), kernels_(panel_kernels()) {
  place_entries(A);
  plan_panels();
  work_.resize(3 * A.rows());
}

/// Every block of A goes to the front that eliminates the earlier of its row and column.
void FrontalLu::place_entries(const BlockMatrix& A) {
  std::vector<int> place(tree_.order.size()), front_of(tree_.order.size());
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
    for (int k = tree_.fronts[f].first; k < tree_.fronts[f].first + tree_.fronts[f].own; ++k) {
      front_of[static_cast<std::size_t>(k)] = static_cast<int>(f);
      place[static_cast<std::size_t>(tree_.order[static_cast<std::size_t>(k)])] = k;
    }
  std::vector<std::vector<Entry>> entries(tree_.fronts.size());
  for (std::size_t i = 0; i < tree_.order.size(); ++i)
    for (int p = A.row_start[i]; p < A.row_start[i + 1]; ++p) {
      const int row = place[i], column = place[static_cast<std::size_t>(A.column[static_cast<std::size_t>(p)])];
      const int f = front_of[static_cast<std::size_t>(std::min(row, column))];
      const FrontTree::Front& front = tree_.fronts[static_cast<std::size_t>(f)];
      entries[static_cast<std::size_t>(f)].push_back({p, scalars(front.place_of(row)), scalars(front.place_of(column))});
    }
  entry_start_.push_back(0);
  for (const auto& own : entries) {
    entries_.insert(entries_.end(), own.begin(), own.end());
    entry_start_.push_back(entries_.size());
  }
}

void FrontalLu::plan_panels() {
  const auto lines = [](std::size_t numbers) { return (numbers + 7) / 8; };
  std::size_t depth = 0;
  std::vector<std::size_t> stacked;
  panel_start_.push_back(0);
  for (const FrontTree::Front& front : tree_.fronts) {
    const int own = scalars(front.own), size = scalars(front.size()), rest = size - own;
    const int count = (own + panel_width - 1) / panel_width;
    for (int p = 0, begin = 0; p < count; ++p) {
      const int width = scalars((front.own - begin / 3) / (count - p));
      Panel panel{begin, width, size - begin - width, factor_lines_, 0, 0};
      panel.lower = panel.inverse + lines(product(width, panel_width));
      panel.upper = panel.lower + lines(product(padded_rows(panel.rest), padded_columns(width)));
      factor_lines_ = panel.upper + lines(product(padded_columns(panel.rest), width));
      panels_.push_back(panel);
      begin += width;
    }
    panel_start_.push_back(panels_.size());
    front_size_ = std::max(front_size_, product(front_stride(size), padded_columns(size) + strip_columns));
    column_size_ = std::max(column_size_, product(padded_rows(size), 1));
    for (int child = 0; child < front.children; ++child) {
      depth -= stacked.back();
      stacked.pop_back();
    }
    stacked.push_back(product(rest, rest));
    depth += stacked.back();
    stack_size_ = std::max(stack_size_, depth);
  }
}

bool FrontalLu::factorize(const BlockMatrix& A) {
  data_.resize(factor_lines_);  // here, not in the constructor: an analysis alone is to cost no memory
  front_.resize(front_size_);
  stack_.resize(stack_size_);
  stacked_.reserve(tree_.fronts.size());
  column_.resize(column_size_ * panel_width / 8 + 1);
  inverse_.resize(panel_width * panel_width / 8);
  local_.resize(column_size_ + panel_width);
  stacked_.clear();
  stack_top_ = 0;
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
    const Index stride = front_stride(scalars(tree_.fronts[f].size()));
    assemble(f, A);
    for (std::size_t p = panel_start_[f]; p < panel_start_[f + 1]; ++p)
      if (!eliminate(panels_[p], stride)) return false;
    keep_rest(f, stride);
  }
  return true;
}

void FrontalLu::assemble(std::size_t f, const BlockMatrix& A) {
  const FrontTree::Front& front = tree_.fronts[f];
  const int size = scalars(front.size()), stride = front_stride(size);
  std::fill_n(front_.begin(), product(stride, padded_columns(size) + strip_columns), 0.0);
  for (std::size_t e = entry_start_[f]; e < entry_start_[f + 1]; ++e) {
    const Entry& entry = entries_[e];
    const Matrix3& block = A.block[static_cast<std::size_t>(entry.block)];
    double* to = front_.data() + entry.row + product(entry.column, stride);
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) to[c * stride + r] = block(r, c);
  }
  for (int child = 0; child < front.children; ++child) {
    add_child(stacked_.back(), stride);
    stacked_.pop_back();
  }
}

/// What the front on top of the stack left is added to the one at work.
void FrontalLu::add_child(std::size_t child, Index stride) {
  const FrontTree::Front& front = tree_.fronts[child];
  const int rest = scalars(static_cast<int>(front.reach.size()));
  stack_top_ -= product(rest, rest);
  const double* from = stack_.data() + stack_top_;
  for (const FrontTree::Run& across : front.in_parent)
    for (int c = 0; c < scalars(across.length); ++c) {
      const double* column = from + product(scalars(across.here) + c, rest);
      double* to = front_.data() + (scalars(across.there) + c) * stride;
      for (const FrontTree::Run& down : front.in_parent) {
        const double* source = column + scalars(down.here);
        double* target = to + scalars(down.there);
        for (int r = 0; r < scalars(down.length); ++r) target[r] += source[r];
      }
    }
}

/// One panel (E125): its pivot is inverted, L = A₂₁ A₁₁⁻¹ and U = A₁₂ are kept, and A₂₂ −= L U.
bool FrontalLu::eliminate(const Panel& panel, Index stride) {
  double* pivot = front_.data() + panel.begin + panel.begin * stride;
  double* inverse = at(panel.inverse);
  for (int c = 0; c < panel.width; ++c) {
    std::copy_n(pivot + c * stride, panel.width, inverse + c * panel_width);
    std::fill(inverse + c * panel_width + panel.width, inverse + (c + 1) * panel_width, 0.0);
  }
  if (!kernels_.invert(panel.width, inverse)) return false;
  if (panel.rest == 0) return true;
  double *lower = at(panel.lower), *upper = at(panel.upper);
  pack_columns(panel.width, panel.width, inverse, panel_width, -1.0, inverse_.data()->value);
  pack_rows(panel.rest, panel.width, pivot + panel.width, stride, column_.data()->value);
  pack_columns(panel.rest, panel.width, pivot + panel.width * stride, stride, 1.0, upper);
  // A strip of L is a column-major matrix as high as the strip.
  double* strip = column_.data()->value;
  for (int row = 0; row < panel.rest; row += panel_width) {
    const int height = std::min(panel_width, padded_rows(panel.rest - row));
    std::fill_n(lower, product(height, panel.width), 0.0);
    kernels_.subtract(height, panel.width, panel.width, strip, inverse_.data()->value, lower, height);
    strip += product(height, panel.width);
    lower += product(height, panel.width);
  }
  kernels_.subtract(panel.rest, panel.rest, panel.width, at(panel.lower), upper, pivot + panel.width + panel.width * stride,
                    stride);
  return true;
}

void FrontalLu::keep_rest(std::size_t f, Index stride) {
  const FrontTree::Front& front = tree_.fronts[f];
  const int own = scalars(front.own), rest = scalars(front.size()) - own;
  if (rest == 0) return;
  const double* from = front_.data() + own + own * stride;
  for (int c = 0; c < rest; ++c, from += stride, stack_top_ += static_cast<std::size_t>(rest))
    std::copy_n(from, rest, stack_.data() + stack_top_);
  stacked_.push_back(f);
}

void FrontalLu::solve(const Vector& rhs, Vector& x) {
  assert(rhs.size() == work_.size() && x.size() == work_.size());
  const auto block = [](Vector& v, int k) { return v.segment<3>(3 * static_cast<Index>(k)); };
  for (std::size_t k = 0; k < tree_.order.size(); ++k)
    block(work_, static_cast<int>(k)) = rhs.segment<3>(3 * static_cast<Index>(tree_.order[k]));
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
    const FrontTree::Front& front = tree_.fronts[f];
    const int own = scalars(front.own);
    std::copy_n(work_.data() + scalars(front.first), own, local_.begin());
    std::fill(local_.begin() + own, local_.end(), 0.0);
    for (std::size_t p = panel_start_[f]; p < panel_start_[f + 1]; ++p) {
      const Panel& panel = panels_[p];
      double* own_part = local_.data() + panel.begin;
      kernels_.subtract_rows(panel.rest, panel.width, at(panel.lower), own_part, own_part + panel.width);
    }
    std::copy_n(local_.begin(), own, work_.data() + scalars(front.first));
    for (std::size_t k = 0; k < front.reach.size(); ++k)
      block(work_, front.reach[k]) += Eigen::Map<const Vector3>(local_.data() + own + 3 * k);
  }
  for (std::size_t f = tree_.fronts.size(); f-- > 0;) {
    const FrontTree::Front& front = tree_.fronts[f];
    const int own = scalars(front.own);
    std::copy_n(work_.data() + scalars(front.first), own, local_.begin());
    for (std::size_t k = 0; k < front.reach.size(); ++k)
      Eigen::Map<Vector3>(local_.data() + own + 3 * k) = block(work_, front.reach[k]);
    std::fill_n(local_.begin() + scalars(front.size()), strip_columns, 0.0);
    for (std::size_t p = panel_start_[f + 1]; p-- > panel_start_[f];) {
      const Panel& panel = panels_[p];
      double* own_part = local_.data() + panel.begin;
      kernels_.subtract_columns(panel.rest, panel.width, at(panel.upper), own_part + panel.width, own_part);
      double value[panel_width];
      std::copy_n(own_part, panel.width, value);
      std::fill_n(own_part, panel.width, 0.0);
      for (int c = 0; c < panel.width; ++c)
        for (int r = 0; r < panel.width; ++r) own_part[r] += at(panel.inverse)[c * panel_width + r] * value[c];
    }
    std::copy_n(local_.begin(), own, work_.data() + scalars(front.first));
  }
  for (std::size_t k = 0; k < tree_.order.size(); ++k)
    x.segment<3>(3 * static_cast<Index>(tree_.order[k])) = block(work_, static_cast<int>(k));
}

}  // namespace ccp
