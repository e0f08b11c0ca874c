#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "io/fclib.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/judge.hpp"

namespace ccp::python {

/// A problem that several threads of Python may share: the caches of a ContactProblem and of its judges serve one at a time.
/// No thread waits for the lock while it holds the GIL, so that the holder of the lock can take the GIL.
class Problem : public std::enable_shared_from_this<Problem> {
 public:
  explicit Problem(ContactProblem problem, FclibInfo info = {}) : problem_(std::move(problem)), info_(std::move(info)) {}

  /// What does not change: to be read without the lock.
  const ContactProblem& contact_problem() const { return problem_; }
  const FclibInfo& info() const { return info_; }

  /// Calls `work(problem)` under the lock and without the GIL.
  template <typename Work>
  auto alone(Work work) {
    const py::gil_scoped_release released;
    const std::lock_guard locked(mutex_);
    return work(problem_);
  }

  /// Its judge for a model, made once. Under the lock.
  Judge& judge(Model model);

 private:
  ContactProblem problem_;
  FclibInfo info_;
  std::array<std::unique_ptr<Judge>, 2> judges_;
  std::mutex mutex_;
};

void bind_problem(py::module_& module);

}  // namespace ccp::python
