#include "distributed/ranks_solver.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "distributed/job.hpp"
#include "distributed/launch.hpp"
#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

constexpr double hand_over_s = 600.0;  // reading and cutting the largest problems
constexpr double judging_s = 120.0;    // of an iterate, off the clock

/// Solves on ranks that are started with the session and end with its run.
class RanksSession final : public Session {
 public:
  RanksSession(RankJob job, const ContactProblem& problem, RunMonitor& monitor)
      : problem_(problem), they_judge_(job.judges_end) {
    monitor.advance_clock(0.0);  // what follows is handing over
    guarded([&] {
      launch_ = std::make_unique<RankLaunch>(job.ranks, job.threads, [&monitor] { return monitor.interrupted(); });
      launch_->set_patience(hand_over_s);
      Packer packer([this](const void* data, std::size_t bytes) { launch_->write(data, bytes); });
      put(packer, job);
      if (job.origin.scene.empty()) put(packer, problem.constraints(), problem.global());
      Unpacker from(reader());
      if (!expect(from, RankFrame::ready)) return;
      const auto setup_s = from.take<double>();
      monitor.advance_clock(setup_s);
      spent_s_ = setup_s;
    });
  }

  Outcome run(const WarmStart& start, const Vector&, Monitor& watching) override {
    auto& monitor = dynamic_cast<RunMonitor&>(watching);
    if (launch_) guarded([&] { converse(start, monitor); });
    launch_.reset();
    if (interrupted_) monitor.take_end(Status::interrupted, monitor.iteration(), {}, std::nullopt);
    if (they_judge_) monitor.take_judgement(judgement_.value_or(unjudged()));
    if (outcome_.impulse.size() == 0) outcome_.impulse = Vector::Zero(problem_.rows());
    return std::move(outcome_);
  }

 private:
  Unpacker::Read reader() {
    return [this](void* data, std::size_t bytes) { launch_->read(data, bytes); };
  }

  /// What goes wrong with the ranks is an outcome.
  void guarded(const std::function<void()>& talk) {
    try {
      talk();
    } catch (const RanksInterrupted&) {
      interrupted_ = true;
      launch_.reset();
    } catch (const RanksLost& loss) {
      give_up(loss.what(), loss.out_of_memory() ? Status::out_of_memory : Status::failed);
    }
  }
  void give_up(std::string reason, Status status = Status::failed) {
    outcome_.given_up = status;
    outcome_.reason = std::move(reason);
    launch_.reset();
  }

  /// False after a failure, which the outcome says.
  bool expect(Unpacker& from, RankFrame wanted) {
    const auto frame = from.take<RankFrame>();
    if (frame == wanted) return true;
    give_up_for(frame, from);
    return false;
  }
  void give_up_for(RankFrame frame, Unpacker& from) {
    if (frame == RankFrame::memory) return give_up(memory_reason, Status::out_of_memory);
    give_up(frame == RankFrame::failure ? from.take<std::string>() : "the ranks sent what nobody asked for");
  }

  void converse(const WarmStart& start, RunMonitor& monitor) {
    Packer packer([this](const void* data, std::size_t bytes) { launch_->write(data, bytes); });
    packer.put(start.impulse);
    packer.put(start.carried);
    Unpacker from(reader());
    TraceRow row;
    std::vector<double> native;
    while (true) {
      launch_->set_patience(std::min(monitor.remaining().seconds, 1e8) + judging_s);
      const auto frame = from.take<RankFrame>();
      if (frame == RankFrame::row) {
        take(from, row, native);
        monitor.advance_clock(std::max(0.0, row.elapsed_s - spent_s_));
        spent_s_ = std::max(spent_s_, row.elapsed_s);
        monitor.take(row);
        continue;
      }
      if (frame == RankFrame::end) return finish(from, monitor);
      return give_up_for(frame, from);
    }
  }

  void finish(Unpacker& from, RunMonitor& monitor) {
    RankEnd end;
    take(from, end);
    launch_->let_end();
    monitor.advance_clock(std::max(0.0, end.elapsed_s - spent_s_));
    monitor.counters() = end.counters;
    monitor.take_end(end.verdict, end.iteration, end.crossings, end.facts);
    outcome_.impulse = std::move(end.impulse);
    outcome_.carried = end.carried;
    outcome_.given_up = end.given_up;
    outcome_.reason = std::move(end.reason);
    judgement_ = std::move(end.judgement);
  }

  EndJudgement unjudged() const {
    EndJudgement judgement{outcome_.given_up.value_or(Status::failed), outcome_.reason, {}, {}};
    judgement.measures.fill(std::numeric_limits<double>::quiet_NaN());
    return judgement;
  }

  ContactProblem problem_;
  bool they_judge_;
  std::optional<EndJudgement> judgement_;  ///< of ranks that have come to their end
  std::unique_ptr<RankLaunch> launch_;
  Outcome outcome_;
  double spent_s_ = 0.0;  ///< by the clock of the first rank
  bool interrupted_ = false;
};

class RanksSolver final : public Solver {
 public:
  RanksSolver(std::unique_ptr<Solver> solver, int ranks, std::optional<SceneOrigin> origin, bool they_judge)
      : solver_(std::move(solver)),
        ranks_(ranks),
        origin_(std::move(origin)),
        they_judge_(they_judge),
        info_(solver_->info()) {
    fields_ = solver_->settings();
    if (!solver_->native(Model::ncp)) info_.models.push_back(Model::ncp);  // the ranks run the loop of De Saxcé
  }

 private:
  const SolverInfo& do_info() const override { return info_; }

  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (auto defect = rank_solver_defect(info().name)) return defect;
    if (auto defect = rank_problem_defect(info().name, problem)) return defect;
    if (auto defect = rank_settings_defect(settings())) return defect;
    if (!origin_)
      if (auto defect = hand_over_defect(problem.constraints().contacts())) return defect;
    if (!ranks_missing().empty()) return ranks_missing();
    return std::nullopt;
  }

  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& watching) const override {
    auto& monitor = dynamic_cast<RunMonitor&>(watching);
    RankJob job;
    job.ranks = ranks_;
    if (origin_) job.origin = *origin_;
    job.solver = info().name;
    job.settings = settings().values();
    job.model = model;
    job.stop = monitor.stop_rule();
    job.threads = monitor.threads();
    job.trace = monitor.trace_measures();
    job.judges_end = they_judge_;
    // What needs the whole problem: of the returned point it is found here.
    std::erase_if(job.trace, [](Measure m) { return m == Measure::rounding_floor || m == Measure::distance; });
    return std::make_unique<RanksSession>(std::move(job), problem, monitor);
  }

  std::unique_ptr<Solver> solver_;
  int ranks_;
  std::optional<SceneOrigin> origin_;
  bool they_judge_;
  SolverInfo info_;
};

}  // namespace

std::unique_ptr<Solver> on_ranks(std::unique_ptr<Solver> solver, int ranks, std::optional<SceneOrigin> origin,
                                 bool they_judge) {
  return std::make_unique<RanksSolver>(std::move(solver), ranks, std::move(origin), they_judge);
}

ContactProblem without_blocks(const std::string& name) {
  SparseMatrix H(1, 1);
  H.setIdentity();
  return ProblemBuilder(name).global(std::move(H), Vector::Zero(1), SparseMatrix(1, 0), Vector()).build();
}

}  // namespace ccp
