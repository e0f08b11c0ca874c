#include "linalg/block/frontal_lu.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/kernels.hpp"
#include "linalg/block/panels.hpp"

namespace ccp {
namespace {

std::size_t product(int a, int b) { return uz(a) * uz(b); }

/// Distance between the columns of a front: room for what kernels write beyond the last row, and no power of two.
int front_stride(int size) { return padded_rows(size) + 8; }

}  // namespace

FrontalLu::FrontalLu(const BlockMatrix& A, const BlockOrdering& ordering)
    : width_(A.width), tree_(front_tree(ordering)), ordering_(ordering.name), kernels_(kernels().panels) {
  place_entries(A);
  none_.assign(tree_.order.size(), 0);
  plan(none_);
  bytes_ = sizeof(Line) * factor_lines_;
  work_.resize(3 * A.rows());
}

/// Every block of A goes to the front that eliminates the earlier of its row and column.
void FrontalLu::place_entries(const BlockMatrix& A) {
  std::vector<int> place(tree_.order.size()), front_of(tree_.order.size());
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
    for (int k = tree_.fronts[f].first; k < tree_.fronts[f].first + tree_.fronts[f].own; ++k) {
      front_of[uz(k)] = static_cast<int>(f);
      place[uz(tree_.order[uz(k)])] = k;
    }
  std::vector<std::vector<Entry>> entries(tree_.fronts.size());
  for (std::size_t i = 0; i < tree_.order.size(); ++i)
    for (int p = A.row_start[i]; p < A.row_start[i + 1]; ++p) {
      const int row = place[i], column = place[uz(A.column[uz(p)])];
      const int f = front_of[uz(std::min(row, column))];
      const FrontTree::Front& front = tree_.fronts[uz(f)];
      entries[uz(f)].push_back({p, static_cast<int>(i), front.place_of(row), front.place_of(column)});
    }
  entry_start_.push_back(0);
  for (const auto& own : entries) {
    entries_.insert(entries_.end(), own.begin(), own.end());
    entry_start_.push_back(entries_.size());
  }
}

void FrontalLu::plan_rows(const std::vector<char>& left_out) {
  left_out_.resize(tree_.order.size());
  for (std::size_t k = 0; k < left_out_.size(); ++k) left_out_[k] = left_out[uz(tree_.order[k])];
  active_.clear();
  fronts_.clear();
  const auto take = [this](int k) {
    if (left_out_[uz(k)] == 0) active_.push_back(k);
  };
  for (const FrontTree::Front& front : tree_.fronts) {
    Active rows{active_.size(), 0, 0, width_};
    for (int k = front.first; k < front.first + front.own; ++k) take(k);
    rows.reach = active_.size();
    for (const int k : front.reach) take(k);
    rows.end = active_.size();
    fronts_.push_back(rows);
  }
}

void FrontalLu::plan(const std::vector<char>& left_out) {
  planned_ = left_out;
  plan_rows(left_out);
  plan_panels();
}

void FrontalLu::plan_panels() {
  const auto lines = [](std::size_t numbers) { return (numbers + 7) / 8; };
  std::size_t depth = 0;
  stacked_.clear();
  panels_.clear();
  panel_start_.assign(1, 0);
  factor_lines_ = front_size_ = stack_size_ = column_size_ = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const int own = fronts_[f].own(), size = fronts_[f].size(), rest = fronts_[f].rest();
    const int count = (own + panel_width - 1) / panel_width;
    for (int p = 0, begin = 0; p < count; ++p) {
      const int width = scalars((own - begin) / width_ / (count - p));
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
    for (int child = 0; child < tree_.fronts[f].children; ++child) {
      depth -= product(fronts_[stacked_.back()].rest(), fronts_[stacked_.back()].rest());
      stacked_.pop_back();
    }
    stacked_.push_back(f);
    depth += product(rest, rest);
    stack_size_ = std::max(stack_size_, depth);
  }
}

Matrix3 FrontalLu::Values::of(const Entry& entry) const {
  const auto block = uz(entry.block), row = uz(entry.of_row);
  if (scale == nullptr) return A.block[block];
  Matrix3 value = scale[row] * A.block[block];
  if (entry.row == entry.column) value += diagonal[row];
  return value;
}

bool FrontalLu::factorize(const BlockMatrix& A) { return factorize({A, nullptr, nullptr}, none_); }

bool FrontalLu::factorize(const BlockMatrix& A, const std::vector<Matrix3>& scale, const std::vector<Matrix3>& diagonal,
                          const std::vector<char>& left_out) {
  assert(scale.size() == tree_.order.size() && diagonal.size() == tree_.order.size());
  return factorize({A, scale.data(), diagonal.data()}, left_out);
}

bool FrontalLu::factorize(const Values& values, const std::vector<char>& left_out) {
  assert(left_out.size() == tree_.order.size());
  if (data_ == nullptr) {  // here, not in the constructor: an analysis alone is to cost no memory
    data_ = std::make_unique_for_overwrite<Line[]>(factor_lines_);
    front_.resize(front_size_);
    stack_.resize(stack_size_);
    column_.resize(column_size_ * panel_width / 8 + 1);
    inverse_.resize(panel_width * panel_width / 8);
    local_.resize(column_size_ + panel_width);
    slot_.resize(tree_.order.size());
    runs_.reserve(tree_.order.size());
  }
  if (left_out != planned_) plan(left_out);
  assert(sizeof(Line) * factor_lines_ <= bytes_);  // fewer rows never need more
  stacked_.clear();
  stack_top_ = 0;
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
    const Index stride = front_stride(fronts_[f].size());
    assemble(f, values);
    for (std::size_t p = panel_start_[f]; p < panel_start_[f + 1]; ++p)
      if (!eliminate(panels_[p], stride)) return false;
    keep_rest(f, stride);
  }
  return true;
}

void FrontalLu::assemble(std::size_t f, const Values& values) {
  const FrontTree::Front& front = tree_.fronts[f];
  const int size = fronts_[f].size(), stride = front_stride(size);
  int slot = 0;
  for (int k = 0; k < front.size(); ++k) {
    const int column = k < front.own ? front.first + k : front.reach[uz(k - front.own)];
    const bool out = left_out_[uz(column)] != 0;
    slot_[uz(k)] = out ? -1 : slot++;
  }
  std::fill_n(front_.begin(), product(stride, padded_columns(size) + strip_columns), 0.0);
  for (std::size_t e = entry_start_[f]; e < entry_start_[f + 1]; ++e) {
    const int row = slot_[uz(entries_[e].row)];
    const int column = slot_[uz(entries_[e].column)];
    if (row < 0 || column < 0) continue;
    const Matrix3 block = values.of(entries_[e]);
    double* to = front_.data() + scalars(row) + product(scalars(column), stride);
    for (int c = 0; c < width_; ++c)
      for (int r = 0; r < width_; ++r) to[c * stride + r] = block(r, c);
  }
  for (int child = 0; child < front.children; ++child) {
    add_child(stacked_.back(), stride);
    stacked_.pop_back();
  }
}

/// Adds what the front on top of the stack left to the one at work.
void FrontalLu::add_child(std::size_t child, Index stride) {
  const int rest = fronts_[child].rest();
  stack_top_ -= product(rest, rest);
  runs_.clear();
  // A run stays one run: the rows left out are missing on both sides.
  for (const FrontTree::Run& run : tree_.fronts[child].in_parent) {
    FrontTree::Run kept{runs_.empty() ? 0 : runs_.back().here + runs_.back().length, 0, 0};
    for (int k = run.there; k < run.there + run.length; ++k) {
      const int slot = slot_[uz(k)];
      if (slot >= 0 && kept.length++ == 0) kept.there = slot;
    }
    if (kept.length > 0) runs_.push_back(kept);
  }
  const double* from = stack_.data() + stack_top_;
  for (const FrontTree::Run& across : runs_)
    for (int c = 0; c < scalars(across.length); ++c) {
      const double* column = from + product(scalars(across.here) + c, rest);
      double* to = front_.data() + (scalars(across.there) + c) * stride;
      for (const FrontTree::Run& down : runs_) {
        const double* source = column + scalars(down.here);
        double* target = to + scalars(down.there);
        for (int r = 0; r < scalars(down.length); ++r) target[r] += source[r];
      }
    }
}

/// One panel (H.5): its pivot is inverted, L = A₂₁ A₁₁⁻¹ and U = A₁₂ are kept, and A₂₂ −= L U.
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
  if (tree_.fronts[f].reach.empty()) return;
  const int own = fronts_[f].own(), rest = fronts_[f].rest();
  const double* from = front_.data() + own + own * stride;
  for (int c = 0; c < rest; ++c, from += stride, stack_top_ += uz(rest)) std::copy_n(from, rest, stack_.data() + stack_top_);
  stacked_.push_back(f);
}

void FrontalLu::solve(const Vector& rhs, Vector& x) {
  assert(rhs.size() == work_.size() && x.size() == work_.size());
  const auto block = [this](std::size_t k) { return work_.segment<3>(3 * static_cast<Index>(k)); };
  for (std::size_t k = 0; k < tree_.order.size(); ++k) block(k) = rhs.segment<3>(3 * static_cast<Index>(tree_.order[k]));
  for (std::size_t f = 0; f < fronts_.size(); ++f) solve_lower(f);
  for (std::size_t f = fronts_.size(); f-- > 0;) solve_upper(f);
  for (std::size_t k = 0; k < tree_.order.size(); ++k) x.segment<3>(3 * static_cast<Index>(tree_.order[k])) = block(k);
}

void FrontalLu::load_local(std::size_t begin, std::size_t end, double* to) const {
  for (std::size_t k = begin; k < end; ++k, to += width_) std::copy_n(work_.data() + 3 * active_[k], width_, to);
}

void FrontalLu::store_own(const Active& rows) {
  for (std::size_t k = rows.first; k < rows.reach; ++k)
    std::copy_n(local_.data() + uz(width_) * (k - rows.first), width_, work_.data() + 3 * active_[k]);
}

void FrontalLu::solve_lower(std::size_t f) {
  const Active& rows = fronts_[f];
  load_local(rows.first, rows.reach, local_.data());
  std::fill(local_.begin() + rows.own(), local_.end(), 0.0);
  for (std::size_t p = panel_start_[f]; p < panel_start_[f + 1]; ++p) {
    const Panel& panel = panels_[p];
    double* own_part = local_.data() + panel.begin;
    kernels_.subtract_rows(panel.rest, panel.width, at(panel.lower), own_part, own_part + panel.width);
  }
  store_own(rows);
  for (std::size_t k = rows.reach; k < rows.end; ++k)
    for (std::size_t r = 0; r < uz(width_); ++r)
      work_.data()[3 * uz(active_[k]) + r] += local_[uz(width_) * (k - rows.first) + r];
}

void FrontalLu::solve_upper(std::size_t f) {
  const Active& rows = fronts_[f];
  load_local(rows.first, rows.end, local_.data());
  std::fill_n(local_.begin() + rows.size(), strip_columns, 0.0);
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
  store_own(rows);
}

}  // namespace ccp
