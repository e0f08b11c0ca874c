#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "distributed/stream.hpp"
#include "process/child_program.hpp"
#include "process/scratch_folder.hpp"

namespace ccp {

/// The ranks have ended, or do not answer.
class RanksLost : public std::runtime_error {
 public:
  explicit RanksLost(const std::string& reason, bool out_of_memory = false)
      : std::runtime_error(reason), out_of_memory_(out_of_memory) {}
  /// Memory of a rank.
  bool out_of_memory() const { return out_of_memory_; }

 private:
  bool out_of_memory_;
};
/// Exit code of ranks, one of which ran out of memory.
constexpr int memory_exit = 12;
constexpr const char* memory_reason = "a rank ran out of memory";
/// The person has asked to stop.
class RanksInterrupted : public std::runtime_error {
 public:
  RanksInterrupted() : std::runtime_error("interrupted") {}
};

/// Processes of ccpbench-ranks, and a socket to the first of them. The destructor ends all of them.
class RankLaunch {
 public:
  /// Starts them and waits until the first one has called. interrupted: asked while it waits. Throws RanksLost,
  /// RanksInterrupted, std::system_error.
  RankLaunch(int ranks, int threads, std::function<bool()> interrupted);
  ~RankLaunch();
  RankLaunch(const RankLaunch&) = delete;
  RankLaunch& operator=(const RankLaunch&) = delete;

  /// Send and receive whole, the latter for at most patience_s. Throw RanksLost, RanksInterrupted.
  void write(const void* data, std::size_t bytes);
  void read(void* data, std::size_t bytes);
  void set_patience(double seconds) { patience_s_ = seconds; }
  /// The first rank has said all: they may end by themselves.
  void let_end() { done_ = true; }

 private:
  void listen(const std::string& name);
  void accept();
  void wait_for(int descriptor, short event, double longest_s);
  [[noreturn]] void lost();

  std::function<bool()> interrupted_;
  double patience_s_ = 300.0;
  int listener_ = -1, socket_ = -1;
  bool done_ = false;
  ScratchFolder scratch_;  ///< of Open MPI, which leaves its files behind when it is killed
  std::unique_ptr<ChildProgram> mpiexec_;
};

/// The hosts of the ranks: CCPBENCH_HOSTS in the environment, which processes that this one starts get. Throws InputError
/// where a path has no file.
void set_rank_hosts(const std::string& hosts);

/// Why ranks cannot be started, in one line that says what to install; empty where they can. Asked once.
const std::string& ranks_missing();

}  // namespace ccp
