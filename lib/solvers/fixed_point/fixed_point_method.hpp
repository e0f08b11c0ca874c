#pragma once

#include <numeric>
#include <vector>

#include "kernels/contact_groups.hpp"
#include "solvers/fixed_point/delassus_rows.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"

/// What the methods of the family share beside the sweep: settings and the session of a problem.
namespace ccp {

/// Base of a method's session: the problem in the form chosen.
class FixedPointSession : public Session {
 public:
  FixedPointSession(const ContactProblem& problem, OperatorForm form)
      : problem_(problem), factored_(use_factored(problem, form)), N_(select_operator(problem, form)) {
    problem.free_velocity();  // formed here, where set-up is timed
  }

 protected:
  const ConstraintSet& blocks() const { return N_.constraints(); }
  Vector shifted_velocity(const Vector& shift) const { return problem_.free_velocity() + shift; }

  ContactProblem problem_;
  bool factored_;
  const DelassusOperator& N_;
};

/// Base of the Gauss–Seidel methods.
class SweepSession : public FixedPointSession {
 public:
  /// Sweeps read the rows of N, which no operator by solves has.
  SweepSession(const ContactProblem& problem, OperatorForm form)
      : FixedPointSession(problem, use_factored(problem, form) ? OperatorForm::factored : OperatorForm::assembled) {
    if (!factored_) {
      order_.resize(static_cast<std::size_t>(blocks().count()));
      std::iota(order_.begin(), order_.end(), 0);
      return;
    }
    order_ = problem_.factored().order();
    if (problem_.factored().contact_pairs()) groups_ = ContactGroups(problem_.factored().paired_contacts());
  }

 protected:
  /// Sweeps with this update of one block.
  template <typename Update>
  Outcome run_sweeps(const WarmStart& start, const Vector& shift, const SweepOptions& options, Monitor& monitor,
                     const Update& update) const {
    const Vector r = shifted_velocity(shift);
    const auto run = [&](auto rows) {
      return Sweeps(blocks(), order_, groups_, rows, r, shift, options, update).run(start, monitor);
    };
    return factored_ ? run(FactoredRows(problem_)) : run(AssembledRows(problem_));
  }

 private:
  std::vector<int> order_;  ///< each block once: that of the operator, which has the bits of the order 0, 1, …
  ContactGroups groups_;    ///< none where the blocks are taken one by one
};

inline void add_sweep_fields(FieldTable& fields, SweepOptions& sweep) {
  fields
      .add("sweep", &sweep.order, {{"forward", SweepOrder::forward}, {"symmetric", SweepOrder::symmetric}},
           "order of the blocks in one iteration; symmetric: forward, then backward", "ours")
      .add("lambda", &sweep.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses", "ours")
      .add("native_tolerance", &sweep.native_tolerance, Range::non_negative(), "",
           "native criterion: max|Δγ| of a sweep <= native_tolerance · max|γ|", "ours");
}

}  // namespace ccp
