#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/constraints.hpp"
#include "core/parallel.hpp"
#include "kernels/group_sweep.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/fixed_point/delassus_rows.hpp"
#include "solvers/fixed_point/direct_joints.hpp"
#include "solvers/fixed_point/shared_rows.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/operator_method.hpp"
#include "solvers/solver.hpp"

/// The frame of Gauss–Seidel methods. A method brings the update of one block; `SweepSession::run_sweeps` sweeps with it:
///
///     Sweeps::run      sweeps until the monitor says stop; the native criterion, the stall test
///     Sweeps::relax    one sweep: u_i with the newest impulses, the update, γ_i, for one block after the other
///     Sweeps::solve_joints  before it, where asked for: all bilateral rows at once (E.13)
///     GroupSweep       the same for contacts of rigid bodies, in groups that share no body (kernels/group_sweep.hpp)
///
/// A coloured sweep (E.12) goes through the same blocks colour by colour, those of a colour on several threads; its rows
/// read N.
///
/// The rows of N are those of delassus_rows.hpp, on ranks those of shared_rows.hpp.
namespace ccp {

/// The native column of the fixed-point methods.
struct FixedPointColumns : NativeColumns {
  NativeValue impulse_change{*this, "impulse_change", "N·s", "largest change of an impulse component in the last sweep"};
};

/// Sweeps after which rows that keep a running velocity start it anew, so that the rounding of old, large impulses does not
/// stay.
constexpr int refresh_interval = 50;
constexpr Index blocks_of_thread = 64;  ///< of one colour, at least

enum class SweepOrder { forward, symmetric, coloured };

struct SweepOptions {
  SweepOrder order = SweepOrder::forward;
  double lambda = 1.0;              ///< share of the new impulse in the average with the old one
  double native_tolerance = 1e-10;  ///< on max|Δγ| / max|γ| of a sweep
  bool direct_joints = false;       ///< bilateral rows are solved at once before each sweep of the others
  int idle_sweeps = 1;              ///< that change nothing, one after the other, before the method gives up
  RankCoupling rank_coupling = RankCoupling::colours;
  SweepUnit rank_unit = SweepUnit::cells;
};

/// Each block once; of a coloured sweep, where each colour starts in it, and the end.
struct BlockColours {
  std::vector<int> order;
  std::vector<Index> start{};
};

/// Blocks that N couples have different colours: the first one, in the order 0, 1, …, that no earlier neighbour has.
BlockColours coloured_blocks(const ConstraintSet& blocks, const SparseMatrix& N);

/// The same order and colours without the bilateral rows.
BlockColours without_joints(const ConstraintSet& blocks, const BlockColours& order);

/// The form of N that sweeps read: blocks of a colour must not write to the same bodies.
inline OperatorForm sweep_form(const SweepOptions& options, OperatorForm wanted) {
  return options.order == SweepOrder::coloured && wanted == OperatorForm::automatic ? OperatorForm::assembled : wanted;
}

/// Why sweeps cannot be made in that form; nothing where they can.
std::optional<std::string> sweep_defect(const ContactProblem& problem, const SweepOptions& options, OperatorForm wanted);

/// Sweeps until the monitor stops the run. rows: see delassus_rows.hpp. update(block, u_i, γ_i) returns the new γ_i of a
/// ConeBlock from the velocity u_i = (Nγ)_i + r_i + s_i with the newest impulses. An update that is Π(γ_i − s_i u_i) says so
/// by a member `step` with all s_i, one that solves contacts in the plane by a member `planar_matrices` with all N_ii,
/// column by column (empty where it does not): groups of contacts then take it at once, to the same bits.
template <typename Rows, typename Update>
class Sweeps final : public ImpulseSource {
 public:
  /// order: each block once, but for those of joints. groups: empty, or those of all blocks. joints: or null. free_velocity:
  /// r + s, shift: s.
  Sweeps(const ConstraintSet& blocks, const BlockColours& order, const ContactGroups& groups, DirectJoints* joints,
         Rows& rows, const Vector& free_velocity, const Vector& shift, const SweepOptions& options, const Update& update)
      : blocks_(blocks),
        order_(order.order),
        colour_start_(order.start),
        joints_(joints),
        joint_velocity_(joints == nullptr ? 0 : static_cast<Index>(joints->blocks().size())),
        rows_(rows),
        free_velocity_(free_velocity),
        shift_(shift),
        options_(options),
        update_(update),
        base_(free_velocity) {
    if constexpr (in_groups) {
      if (groups.empty()) return;
      groups_.emplace(groups, rows.contacts(), options.lambda);
      const Eigen::Map<const Vector> friction(blocks.frictions().data(), blocks.count());
      if constexpr (requires { update.step; }) groups_->set_projected_step(update.step, friction);
      if constexpr (requires { update.planar_matrices; })
        if (update.planar_matrices.size() > 0) groups_->set_planar_solution(update.planar_matrices, friction);
    }
  }

  Outcome run(const WarmStart& start, Monitor& monitor) {
    begin(start);
    FixedPointColumns native;
    bool converged = false;
    int since_restart = 0, idle = 0;
    while (monitor.go_on({*this, nullptr, native.values(), converged})) {
      const bool unchanged = since_restart > 0 && native.impulse_change == 0.0;
      idle = unchanged ? idle + 1 : 0;
      if (since_restart == 1 && idle >= options_.idle_sweeps)
        return {impulse(), {}, 0.0, Status::stalled, "a whole sweep changed nothing"};
      if (unchanged || since_restart >= refresh_interval) {
        restart(unchanged);
        since_restart = 0;
      }
      const Largest largest = sweep(monitor);
      native.impulse_change = largest.change;
      converged = largest.change <= options_.native_tolerance * largest.impulse;
      ++since_restart;
    }
    return {impulse(), {}, 0.0, std::nullopt, ""};
  }

  const Vector& impulse() override { return groups_ ? groups_->impulse() : gamma_; }

 private:
  /// Whether the rows let groups of contacts be relaxed at once.
  static constexpr bool in_groups = requires(Rows & rows) { rows.contacts(); };
  static constexpr bool on_ranks = std::is_same_v<Rows, SharedRows>;

  void begin(const WarmStart& start) {
    gamma_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(blocks_.rows());
    rows_.restart(gamma_);
    if (!groups_) return;
    groups_->set_impulse(gamma_);
    groups_->set_free_velocity(base_);
  }

  /// Computes anew what the rows keep. `exactly`: where the sweeps have got as far as their velocities are good, these start
  /// from those of γ as the problem has them, as in iterative refinement.
  void restart(bool exactly) {
    if constexpr (requires { rows_.restart_from_velocity(gamma_, base_); }) {
      const bool refined = exactly && rows_.restart_from_velocity(impulse(), base_);
      if (refined) base_ += shift_;
      if (refined || refined_) {
        if (!refined) base_ = free_velocity_;
        if (groups_) groups_->set_free_velocity(base_);
        refined_ = refined;
      }
      if (refined) return;
    }
    rows_.restart(impulse());
  }

  /// Each block once, or once forward and once backward.
  Largest sweep(Monitor& monitor) {
    const bool symmetric = options_.order == SweepOrder::symmetric;
    monitor.counters().products += symmetric ? 2 : 1;
    monitor.counters().projections += symmetric ? 2 : 1;
    if constexpr (in_groups) {
      if (groups_)
        return groups_->rows() == 2 ? sweep_groups<ConstraintKind::contact2d>(symmetric)
                                    : sweep_groups<ConstraintKind::contact>(symmetric);
    }
    double change = joints_ == nullptr ? 0.0 : solve_joints(monitor);
    if (options_.order == SweepOrder::coloured)
      return {std::max(change, relax_colours(monitor.threads())), max_norm(gamma_)};
    for (const bool backward : {false, true}) {
      if (backward && !symmetric) break;
      const auto relax_part = [this, backward, &change](Index begin, Index end) {
        change = std::max(change, relax(order_.data() + (backward ? end - 1 : begin), end - begin, backward ? -1 : 1));
      };
      if constexpr (on_ranks)
        rows_.for_groups(backward, gamma_, relax_part);
      else
        relax_part(0, static_cast<Index>(order_.size()));
    }
    if constexpr (on_ranks) return rows_.largest({change, max_norm(gamma_)});
    return {change, max_norm(gamma_)};
  }

  /// u_B <- 0 with the newest impulses of the contacts; the largest change of a component.
  double solve_joints(Monitor& monitor) {
    const auto& joints = joints_->blocks();
    for (Index k = 0; k < joint_velocity_.size(); ++k)
      joint_velocity_[k] = rows_.template product<1>(joints[uz(k)], gamma_)[0] + base_[blocks_.offset(joints[uz(k)])];
    joints_->solve(joint_velocity_, joint_velocity_, monitor.counters());
    for (Index k = 0; k < joint_velocity_.size(); ++k) {
      gamma_[blocks_.offset(joints[uz(k)])] += joint_velocity_[k];
      rows_.template changed<1>(joints[uz(k)], BlockVector<1>(joint_velocity_[k]));
    }
    return max_norm(joint_velocity_);
  }

  template <ConstraintKind Kind>
  Largest sweep_groups(bool symmetric) {
    constexpr int rows = constraint_rows(Kind);
    return groups_->template sweep<rows>(symmetric, rows_.velocity(), [this](Index i, const auto& u, const auto& gamma) {
      return update_(ConeBlock<Kind>{i, rows * i, blocks_.friction(i)}, u, gamma);
    });
  }

  /// So many blocks, from that place of the order in that direction; the largest change of a component.
  double relax(const int* first, Index count, Index step) {
    double change = 0.0;
    for_blocks(
        blocks_, 0, count, [first, step](Index k) { return Index{first[step * k]}; },
        [ this, &change ](const auto& block) __attribute__((always_inline)) {
          assign(block, update_(block, velocity(block), block.of(std::as_const(gamma_))), change);
        });
    return change;
  }

  /// Colour by colour. No block of a colour reads the impulses of another one, so that the threads do not matter.
  double relax_colours(int threads) {
    std::atomic<double> largest = 0.0;
    for (std::size_t c = 0; c + 1 < colour_start_.size(); ++c) {
      const int* first = order_.data() + colour_start_[c];
      const auto body = [&](Index begin, Index end) {
        const double change = relax(first + begin, end - begin, 1);
        for (double seen = largest; change > seen && !largest.compare_exchange_weak(seen, change);) continue;
      };
      parallel_ranges(threads, colour_start_[c + 1] - colour_start_[c], body, blocks_of_thread);
    }
    return largest;
  }

  /// u_i with the newest impulses.
  template <typename Block>
  [[gnu::always_inline]] inline typename Block::Point velocity(const Block& block) const {
    return rows_.template product<Block::rows>(block.index, gamma_) + block.of(base_);
  }

  template <typename Block>
  [[gnu::always_inline]] inline void assign(const Block& block, typename Block::Point updated, double& largest) {
    using Part = typename Block::Point;
    const Part old = block.of(std::as_const(gamma_));
    if (options_.lambda != 1.0) updated = options_.lambda * updated + (1.0 - options_.lambda) * old;
    const Part delta = updated - old;
    double change = 0.0;
    for (int r = 0; r < Block::rows; ++r) change = std::max(change, std::abs(delta[r]));
    if (change == 0.0 && !delta.hasNaN()) return;
    block.of(gamma_) = updated;
    rows_.template changed<Block::rows>(block.index, delta);
    largest = std::max(largest, change);
  }

  const ConstraintSet& blocks_;
  const std::vector<int>& order_;
  const std::vector<Index>& colour_start_;
  DirectJoints* joints_;   ///< or null
  Vector joint_velocity_;  ///< u_B, m/s, then the changes of γ_B, N·s
  Rows& rows_;
  const Vector &free_velocity_, &shift_;
  const SweepOptions& options_;
  const Update& update_;
  Vector base_;                       ///< what the products of the rows are added to: r + s
  bool refined_ = false;              ///< or the velocity and s, where they are of changes alone
  Vector gamma_;                      ///< that of the blocks taken one by one
  std::optional<GroupSweep> groups_;  ///< takes the place of all that, where there are groups
};

/// Base of the sessions of the Gauss–Seidel methods: the problem, with N in the form that sweeps read.
class SweepSession : public Session {
 public:
  SweepSession(const ContactProblem& problem, OperatorForm wanted, const SweepOptions& options, Monitor& monitor)
      : problem_(problem), N_(delassus_operator(problem, OperatorUse::rows, sweep_form(options, wanted))) {
    problem.free_velocity();  // formed here, where set-up is timed
    if (problem.share() != nullptr)
      shared_ = std::make_unique<SharedRows>(problem, options.rank_coupling, options.rank_unit);
    factored_ =
        problem.share() == nullptr && problem.has_factored() && sweep_form(options, wanted) != OperatorForm::assembled;
    if (options.order == SweepOrder::coloured) {
      order_ = coloured_blocks(blocks(), problem.assembled().to_sparse());
    } else if (!factored_) {
      order_.order.resize(uz(blocks().count()));
      std::iota(order_.order.begin(), order_.order.end(), 0);
    } else {
      order_.order = problem_.factored().order();
      if (problem_.factored().contact_pairs()) groups_ = ContactGroups(problem_.factored().paired_contacts());
    }
    if (!options.direct_joints || blocks().count(ConstraintKind::bilateral) == 0) return;
    joints_ = std::make_unique<DirectJoints>(blocks(), problem.assembled().to_sparse(), monitor);
    order_ = without_joints(blocks(), order_);
  }

 protected:
  const ConstraintSet& blocks() const { return N_.constraints(); }
  /// Has the N_ii of the local problems.
  const DelassusOperator& delassus() const { return shared_ ? shared_->own() : N_; }

  /// Sweeps with this update of one block.
  template <typename Update>
  Outcome run_sweeps(const WarmStart& start, const Vector& shift, const SweepOptions& options, Monitor& monitor,
                     const Update& update) const {
    const Vector r = problem_.free_velocity() + shift;
    const auto run = [&](auto&& rows) {
      return Sweeps(blocks(), order_, groups_, joints_.get(), rows, r, shift, options, update).run(start, monitor);
    };
    if (shared_) return run(*shared_);
    return factored_ ? run(FactoredRows(problem_)) : run(AssembledRows(problem_));
  }

 private:
  ContactProblem problem_;
  const DelassusOperator& N_;
  bool factored_;
  BlockColours order_;                    ///< that of the operator, which has the bits of the order 0, 1, …; or by colours
  ContactGroups groups_;                  ///< none where the blocks are taken one by one
  std::unique_ptr<DirectJoints> joints_;  ///< null where they are swept like the others
  std::unique_ptr<SharedRows> shared_;    ///< on ranks
};

/// The frame of a method of sweeps: `Settings` has the members `sweep` and `form`.
template <typename Settings, typename Run>
class SweepMethod : public OperatorMethod<Settings, Run> {
 protected:
  using OperatorMethod<Settings, Run>::OperatorMethod;
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return sweep_defect(problem, this->settings_.sweep, this->settings_.form);
  }
};

inline void add_sweep_fields(FieldTable& fields, SweepOptions& sweep) {
  fields
      .add(
          "sweep", &sweep.order,
          {{"forward", SweepOrder::forward}, {"symmetric", SweepOrder::symmetric}, {"coloured", SweepOrder::coloured}},
          "order of the blocks in one iteration; symmetric: forward, then backward; coloured: blocks that N does not couple "
          "together, on the threads of the run",
          "ours; coloured: Siconos 2026")
      .add("direct_joints", &sweep.direct_joints,
           "solve all bilateral rows at once before each sweep, by a factor of their part of N; λ does not average them",
           "Kamino, arXiv:2603.16536, projected sweeps with direct joints")
      .add("lambda", &sweep.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses", "ours")
      .add("native_tolerance", &sweep.native_tolerance, Range::non_negative(), "",
           "native criterion: max|Δγ| of a sweep <= native_tolerance · max|γ|", "ours");
}

/// Those of methods that run on ranks.
inline void add_rank_fields(FieldTable& fields, SweepOptions& sweep) {
  fields
      .add("rank_coupling", &sweep.rank_coupling,
           {{"colours", RankCoupling::colours}, {"jacobi", RankCoupling::jacobi}, {"split", RankCoupling::split}},
           "on ranks: groups of one colour at once; all at once with old impulses of the others; or the same, each with a "
           "share of the mass of its bodies",
           "Koziara 2017 compares with such a Gauss–Seidel; Tonge et al. 2012; ours")
      .add("rank_unit", &sweep.rank_unit, {{"cells", SweepUnit::cells}, {"ranks", SweepUnit::ranks}},
           "the groups: cells, with the same bits on every number of ranks, or ranks, where iterates depend on it", "ours");
}

}  // namespace ccp
