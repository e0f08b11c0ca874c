#pragma once

#include <chrono>

namespace ccp {

/// Something that starts and stops with a clock, off it.
class ClockFollower {
 public:
  virtual ~ClockFollower() = default;
  virtual void go() = 0;
  virtual void halt() = 0;
};

/// Suspendable steady clock, s. Starts stopped at zero.
class Stopwatch {
 public:
  /// Of a clock that stands; null: none.
  void set_follower(ClockFollower* follower) { follower_ = follower; }
  void start() {
    if (running_) return;
    if (follower_ != nullptr) follower_->go();
    since_ = Clock::now();
    running_ = true;
  }
  void stop() {
    if (!running_) return;
    total_ += Clock::now() - since_;
    running_ = false;
    if (follower_ != nullptr) follower_->halt();
  }
  /// Adds time that was measured elsewhere, s.
  void add(double seconds) { total_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)); }
  bool running() const { return running_; }
  /// Time spent running so far, s.
  double seconds() const {
    const auto total = running_ ? total_ + (Clock::now() - since_) : total_;
    return std::chrono::duration<double>(total).count();
  }

  /// Stops a running clock for the lifetime of the guard, and starts it again if it ran.
  class Pause {
   public:
    explicit Pause(Stopwatch& watch) : watch_(watch), resume_(watch.running()) { watch_.stop(); }
    ~Pause() {
      if (resume_) watch_.start();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Stopwatch& watch_;
    bool resume_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_{};
  Clock::duration total_{};
  bool running_ = false;
  ClockFollower* follower_ = nullptr;
};

/// Adds its lifetime to a total, s.
class TimeSpent {
 public:
  explicit TimeSpent(double& total) : total_(total) { watch_.start(); }
  ~TimeSpent() { total_ += watch_.seconds(); }
  TimeSpent(const TimeSpent&) = delete;
  TimeSpent& operator=(const TimeSpent&) = delete;

 private:
  double& total_;
  Stopwatch watch_;
};

}  // namespace ccp
