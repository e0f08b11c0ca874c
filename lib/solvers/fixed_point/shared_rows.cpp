#include "solvers/fixed_point/shared_rows.hpp"

#include <algorithm>

#include "problem/share_arrays.hpp"

namespace ccp {

SharedRows::SharedRows(const ContactProblem& problem, RankCoupling coupling, SweepUnit unit)
    : share_(dynamic_cast<const SweepShare&>(*problem.share())),
      N_(dynamic_cast<const SharedDelassus&>(problem.shared())),
      all_(N_.all()),
      coupling_(coupling),
      unit_(unit),
      groups_(share_.groups(unit)),
      colours_(coupling == RankCoupling::colours ? groups_.colours : 1),
      first_block_(N_.first_block()),
      first_row_(all_.constraints().offset(first_block_)),
      changing_(uz(colours_)) {
  if (coupling == RankCoupling::colours) share_.prepare(unit);
  for (std::size_t g = 0; g < groups_.colour.size(); ++g) {
    std::vector<int>& bodies = bodies_.emplace_back();
    for (Index i = groups_.start[g]; i < groups_.start[g + 1]; ++i)
      for (const int body : all_.bodies_of(first_block_ + i)) bodies.push_back(body);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
  for (std::size_t i = 0; i < groups_.block_colour.size(); ++i)
    changing_[uz(coupling == RankCoupling::colours ? groups_.block_colour[i] : 0)].push_back(static_cast<int>(i));
  shared_w_.setZero(all_.padded_size());
  w_ = shared_w_;
  known_.setZero(all_.rows());
  renewed_ = known_;
  if (coupling == RankCoupling::split) make_split(problem);
}

void SharedRows::make_split(const ContactProblem& problem) {
  SparseMatrix H = problem.global().H;
  const BlockPartition& bodies = problem.mass().blocks();
  for (Index b = 0; b < std::ssize(groups_.copies); ++b)
    for (Index dof = bodies.offset(b); dof < bodies.offset(b) + bodies.size(b); ++dof)
      for (SparseMatrix::InnerIterator entry(H, dof); entry; ++entry) entry.valueRef() /= groups_.copies[uz(b)];
  split_.emplace(problem.constraints(), problem.global().D, problem.global().C, MassMatrix(H), BlockOrder::given);
}

void SharedRows::restart(const Vector& impulse, int threads) {
  share_.extend(impulse, known_);
  renewed_ = known_;
  all_.scaled_velocity(known_, shared_w_.data(), threads);
}

void SharedRows::begin_group(std::size_t group) {
  for (const int body : bodies_[group]) {
    auto part = w_.segment<6>(6 * Index{body});
    if (split_)
      part.setZero();
    else
      part = shared_w_.segment<6>(6 * Index{body});
  }
}

void SharedRows::exchange(int colour, const Vector& impulse) {
  if (coupling_ == RankCoupling::colours)
    share_.extend(unit_, colour, impulse, renewed_);
  else
    share_.extend(impulse, renewed_);
  const ConstraintSet& set = all_.constraints();
  for (const int i : changing_[uz(colour)])
    with_rows(set.rows(i), [&](auto rows) {
      const Eigen::Map<const BlockVector<rows>> next(renewed_.data() + set.offset(i));
      Eigen::Map<BlockVector<rows>> known(known_.data() + set.offset(i));
      if (next == known) return;
      all_.add_impulse<rows>(i, next - known, shared_w_.data());
      known = next;
    });
}

Largest SharedRows::largest(const Largest& own) const {
  const auto [change, impulse] = all_over_chunks<2>(share_, share_.blocks(), max_or_nan, [&](Index, Index) {
    return std::array<double, 2>{own.change, own.impulse};
  });
  return {change, impulse};
}

}  // namespace ccp
