#include "solvers/proximal_newton/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/judge/velocity_residual.hpp"
#include "solvers/forwarding_monitor.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {
constexpr double joins = 0.1;        ///< of the largest speed in R: bodies that are faster join
constexpr double most_moving = 0.1;  ///< of all bodies: with more, a packing flows
constexpr double rests_below = 0.1;  ///< of the residual: a largest speed in R that counts as rest
constexpr double roughly = 0.1;      ///< accuracy of a first look
constexpr double accurate = 1e-2;    ///< of a step, over what is left for the next one
constexpr double rounding = 1e-13;   ///< of the free velocity: as exact as a step need be
/// Rounds in a row without a better iterate: bodies may join for five before the residual falls.
constexpr int most_idle = 8;
constexpr double better = 0.9;  ///< of the residual
constexpr int first_burst = 500, bursts = 5, newton_steps = 20, other_steps = 60, sweeps_per_look = 10;

/// The residuals of one part at the iterates of its solver.
class PartMonitor : public ForwardingMonitor {
 public:
  PartMonitor(const ProblemPart& part, Monitor& run)
      : ForwardingMonitor(run),
        part_(part),
        step_(block_steps(part.problem.constraints(), delassus_diagonal(part.problem))),
        best_(part.problem.rows()) {}

  void note(const std::function<std::string()>&) override {}
  void set_outer(int) override {}
  bool solved() const override { return false; }
  const BestIterate& best() const { return best_; }

 protected:
  /// Keeps the point where it is the best so far.
  void look_at(const Vector& impulse, Correction correction) {
    ++counters().products;
    part_.problem.local_velocity(impulse, v_, u_);
    last_ = velocity_residual(part_.problem.constraints(), step_, impulse, u_, correction);
    if (last_ <= best_.residual()) best_.keep(last_, impulse);
  }
  /// The residual of the last point, m/s.
  double last() const { return last_; }

  const ProblemPart& part_;
  Vector step_, v_, u_;
  double last_ = 0.0;
  BestIterate best_;
};

/// Shows the impulses of R with those of A to the monitor of the run. Ends where the error of the convex solution is small
/// beside the residual of the ncp.
class RestingMonitor final : public PartMonitor {
 public:
  /// show(γ of R): shows it, adds the residual of the ncp to what it is called with, and returns the answer.
  using Show = std::function<bool(const Vector&, double& residual)>;
  RestingMonitor(const ProblemPart& part, double floor, double accuracy, Show show, Monitor& run)
      : PartMonitor(part, run), floor_(floor), accuracy_(accuracy), show_(std::move(show)) {}

  bool go_on(const Iterate& iterate) override {
    look_at(iterate.impulse(), Correction::none);
    double strict = 0.0;
    stopped_ = !show_(iterate.impulse(), strict);
    return !stopped_ && last() > std::max(floor_, accuracy_ * strict);
  }
  bool stopped() const { return stopped_; }

 private:
  double floor_, accuracy_;
  Show show_;
  bool stopped_ = false;
};

/// Ends the sweeps or the Newton steps on A at a residual, or after so many.
class MovingMonitor final : public PartMonitor {
 public:
  MovingMonitor(const ProblemPart& part, const Vector& start, double target, Monitor& run)
      : PartMonitor(part, run), target_(target) {
    look_at(start, Correction::de_saxce);
  }

  void begin(int most, int per_look) {
    most_ = most;
    per_look_ = per_look;
    shown_ = 0;
  }
  bool go_on(const Iterate& iterate) override {
    if (shown_++ % per_look_ != 0) return true;
    look_at(iterate.impulse(), Correction::de_saxce);
    return !done() && shown_ <= most_ && remaining().seconds > 0.0;
  }
  bool done() const { return best_.residual() <= target_; }

 private:
  double target_;
  int most_ = 0, per_look_ = 1, shown_ = 0;
};

}  // namespace

bool Decomposition::applies(const ContactProblem& problem, Model model) {
  const ConstraintSet& set = problem.constraints();
  const bool known =
      set.contacts() + set.count(ConstraintKind::unilateral) + set.count(ConstraintKind::bilateral) == set.count();
  if (model != Model::ncp || !known || set.contacts() == 0) return false;
  if (!problem.has_factored() || problem.global().C.nonZeros() > 0) return false;
  return most_moving * static_cast<double>(problem.mass().blocks().count()) >= 1.0;
}

Decomposition::Decomposition(const ContactProblem& problem, Residual residual)
    : problem_(problem), residual_(std::move(residual)) {
  const std::vector<int> owner = problem.mass().blocks().owner();
  const SparseMatrix& D = problem.global().D;
  const ConstraintSet& set = problem.constraints();
  bodies_.resize(uz(set.count()));
  for (Index i = 0; i < set.count(); ++i) {
    std::vector<int>& bodies = bodies_[uz(i)];
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
      for (SparseMatrix::InnerIterator entry(D, row); entry; ++entry) bodies.push_back(owner[uz(entry.row())]);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
}

bool Decomposition::run(BestIterate& best, const Vector& shift, const std::vector<double>& native, Monitor& monitor) {
  moving_.assign(uz(problem_.mass().blocks().count()), 0);
  impulse_ = Vector::Zero(problem_.rows());
  warm_ = false;
  const double floor = rounding * max_norm(problem_.free_velocity());
  if (!solve_resting(roughly, best, shift, native, monitor)) return false;
  const double fast = joins * find_speeds();
  if (too_many((speed_.array() > fast).count())) return true;
  double lowest = best.residual();
  bool rested = false;
  for (int idle = 0; idle < most_idle;) {
    if (!solve_resting(accurate, best, shift, native, monitor)) return false;
    idle = best.residual() <= better * lowest ? 0 : idle + 1;
    lowest = best.residual();
    const double residual = residual_(impulse_), fastest = find_speeds();
    const bool rests = fastest <= rests_below * residual;  // all that is left comes from A
    if (rests && rested && idle > 0) break;                // A would be solved from where it ended
    rested = rests;
    if (!rests) join(joins * fastest);
    if (moving() == 0 || too_many(moving())) break;
    solve_moving(rests ? floor : std::max(floor, accurate * residual), shift, monitor);
  }
  monitor.note([this] { return fmt::format("decomposition: {} of {} bodies move", moving(), moving_.size()); });
  return true;
}

bool Decomposition::too_many(Index bodies) const {
  return static_cast<double>(bodies) > most_moving * static_cast<double>(moving_.size());
}
Index Decomposition::moving() const { return std::count(moving_.begin(), moving_.end(), 1); }

bool Decomposition::touches_moving(Index block) const {
  const std::vector<int>& bodies = bodies_[uz(block)];
  return std::any_of(bodies.begin(), bodies.end(), [this](int body) { return moving_[uz(body)] != 0; });
}

/// R under the impulses of A: k_R ← k_R + D_A γ_A.
ProblemPart Decomposition::resting_part(const Vector& shift) const {
  const GlobalForm& form = problem_.global();
  const ConstraintSet& set = problem_.constraints();
  std::vector<char> bodies(moving_.size()), blocks(bodies_.size());
  std::transform(moving_.begin(), moving_.end(), bodies.begin(), [](char moving) { return moving == 0; });
  Vector given = Vector::Zero(impulse_.size());
  for (Index i = 0; i < set.count(); ++i) {
    blocks[uz(i)] = !touches_moving(i);
    if (blocks[uz(i)] == 0) given.segment(set.offset(i), set.rows(i)) = impulse_.segment(set.offset(i), set.rows(i));
  }
  return part_of(problem_, bodies, blocks, form.k + form.D * given, form.b + shift);
}

ProblemPart Decomposition::moving_part(const Vector& shift) const {
  const GlobalForm& form = problem_.global();
  std::vector<char> blocks(bodies_.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = touches_moving(static_cast<Index>(i));
  return part_of(problem_, moving_, blocks, form.k, form.b + shift);
}

/// False when the monitor ended the run.
bool Decomposition::solve_resting(double accuracy, BestIterate& best, const Vector& shift, const std::vector<double>& native,
                                  Monitor& monitor) {
  const ProblemPart part = resting_part(shift);
  Vector whole = impulse_;
  const auto show = [&](const Vector& own, double& residual) {
    part.scatter(problem_.constraints(), own, whole);
    residual = residual_(whole);
    return best.show(monitor, residual, whole, {whole, nullptr, native, false});
  };
  RestingMonitor resting(part, rounding * max_norm(problem_.free_velocity()), accuracy, show, monitor);
  const auto solver = make_ipm_cone();
  solver->settings().set("correctors", std::int64_t{2});
  WarmStart start;
  if (warm_) part.gather(problem_.constraints(), impulse_, start.impulse);
  warm_ = true;
  const Vector none = Vector::Zero(part.problem.rows());
  solver->prepare(part.problem, Model::ccp, resting)->run(start, none, resting);
  if (resting.stopped()) return false;
  part.scatter(problem_.constraints(), resting.best().impulse(), impulse_);
  return true;
}

/// Sweeps and Newton steps in turn, while they get nearer.
void Decomposition::solve_moving(double target, const Vector& shift, Monitor& monitor) {
  const ProblemPart part = moving_part(shift);
  Vector start;
  part.gather(problem_.constraints(), impulse_, start);
  MovingMonitor moving(part, start, target, monitor);
  const auto nsgs = make_nsgs(), newton = make_proximal_newton();
  nsgs->settings().set("local", std::string("newton"));
  newton->settings().set("first_phase", std::string("none"));
  newton->settings().set("decomposition", false);
  const auto sweeps = nsgs->prepare(part.problem, Model::ncp, moving);
  const auto steps = newton->prepare(part.problem, Model::ncp, moving);
  const Vector none = Vector::Zero(part.problem.rows());
  for (int burst = 0; burst < bursts && !moving.done(); ++burst) {
    const double before = moving.best().residual();
    moving.begin(first_burst << burst, sweeps_per_look);
    sweeps->run({moving.best().impulse(), {}, 0.0}, none, moving);
    if (moving.done()) break;
    moving.begin(newton_steps, 1);
    steps->run({moving.best().impulse(), {}, 0.0}, none, moving);
    if (moving.best().residual() > 0.5 * before) break;
  }
  // Another start may do where this one does not.
  for (const Vector& other : {start, Vector()}) {
    if (moving.done()) break;
    moving.begin(other_steps, 1);
    steps->run({other, {}, 0.0}, none, moving);
  }
  part.scatter(problem_.constraints(), moving.best().impulse(), impulse_);
}

void Decomposition::join(double speed) {
  for (Index body = 0; body < speed_.size(); ++body)
    if (speed_[body] > speed) moving_[uz(body)] = 1;
}

/// Returns the largest in R.
double Decomposition::find_speeds() {
  const BlockPartition& bodies = problem_.mass().blocks();
  const ConstraintSet& set = problem_.constraints();
  const SparseMatrix& D = problem_.global().D;
  const std::vector<int> owner = bodies.owner();
  Vector v, u;
  problem_.local_velocity(impulse_, v, u);
  speed_.setZero(bodies.count());
  for (Index i = 0; i < set.count(); ++i)
    for (const int body : bodies_[uz(i)]) {
      Vector3 own = Vector3::Zero();
      for (Index c = 0; c < set.rows(i); ++c)
        for (SparseMatrix::InnerIterator entry(D, set.offset(i) + c); entry; ++entry)
          if (owner[uz(entry.row())] == body) own[c] += entry.value() * v[entry.row()];
      speed_[body] = std::max(speed_[body], own.norm());
    }
  double fastest = 0.0;
  for (Index body = 0; body < bodies.count(); ++body)
    if (moving_[uz(body)] == 0) fastest = std::max(fastest, speed_[body]);
  return fastest;
}

}  // namespace ccp
