#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cones/nesterov_todd.hpp"
#include "problem/model.hpp"
#include "solvers/interior_point/interior_system.hpp"
#include "solvers/shared/linear_backend.hpp"

namespace ccp {

enum class StepLengths { equal, split, split_always };
enum class EtaPolicy { fixed, adaptive, central };
enum class EtaOf { surface, step };
enum class StartingPoint { central, mehrotra, two_step, ones };
enum class InteriorWarmStart { none, partial, full, velocities };
enum class InteriorCriterion { relative, absolute, carried };

/// Steps of iterative refinement per solve, on the unreduced system.
constexpr int refinement_steps = 1;

struct InteriorSettings {
  StepLengths step_lengths = StepLengths::equal;
  EtaPolicy eta_policy = EtaPolicy::adaptive;
  double eta = 0.95;
  EtaOf eta_of = EtaOf::surface;
  StartingPoint starting_point = StartingPoint::two_step;
  InteriorWarmStart warm_start = InteriorWarmStart::full;
  double compliance = 0.0;
  LinearForm form = LinearForm::automatic;
  LinearBackend backend = LinearBackend::automatic;
  int correctors = 0;
  double tolerance_residual = 1e-10;
  double tolerance_complementarity = 1e-9;
  InteriorCriterion criterion = InteriorCriterion::relative;
  int order = 0;           ///< of the series along the path (J.17); 0: predictor and corrector
  double accuracy = 1e-6;  ///< last term over first term where a series ends (J.19)
  double slack = 1.0;      ///< c, which keeps De Saxcé's term off ‖y_T‖ (J.17)
};

/// One point of the method with its residuals, all in scaled variables (J.1), padded.
struct InteriorPoint {
  Vector v;                   ///< primal, of the form of the system
  Vector lambda;              ///< impulses; in the interior of the cones
  Vector y;                   ///< velocities; in the interior of the cones, 0 on bilateral rows
  Vector s;                   ///< De Saxcé's term, an estimate of ‖y_T‖, per constraint
  Vector momentum, residual;  ///< H v − D λ − k and Dᵀ v + C λ + b + s e − y
};

/// Predictor–corrector steps on one problem. All work space is allocated once.
class InteriorIteration {
 public:
  /// model: with `ncp` De Saxcé's term is one more unknown (J.13).
  InteriorIteration(const InteriorSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor);
  virtual ~InteriorIteration() = default;
  InteriorIteration(const InteriorIteration&) = delete;
  InteriorIteration& operator=(const InteriorIteration&) = delete;

  const BarrierProblem& barrier() const { return barrier_; }
  InteriorSystem& system() { return *system_; }
  const InteriorPoint& point() const { return point_; }

  /// Sets the shift of a run (m, m/s).
  void set_shift(const Vector& shift);
  /// Cold start (thesis, eqs. 4.23 or 4.57). False when the system cannot be solved.
  bool start_cold(Monitor& monitor);
  /// Whether a start is for start_at(), not for start_warm().
  bool takes_velocities_alone() const { return settings_.warm_start == InteriorWarmStart::velocities; }
  /// Starts from velocities alone (thesis, sec. 4.11 with (4.23)).
  bool start_at(const Vector& velocity, Monitor& monitor);
  /// Starts from velocities (those of the impulses where null) and from impulses: the given ones (full), or impulses that
  /// make the velocities (partial, (J.9)). Both move into the cones by the size of their residual. A start that is worse
  /// than zero is dropped; with `none`, and `velocities` without any, it is not looked at.
  bool start_warm(const Vector& impulse, const Vector* velocity, Monitor& monitor);
  /// One iteration, by predictor and corrector or along a series; false when it could not be made, with message().
  virtual bool step(Monitor& monitor);

  /// Mean complementarity yᵀλ/(number of cones), J; 0 without cones.
  double complementarity() const { return mu_; }
  double step_primal() const { return step_primal_; }
  double step_dual() const { return step_dual_; }
  double centering() const { return sigma_; }
  /// ‖r‖₂/n of bilateral rows, of cones, of the momentum equation, over the terms that cancel in them; complementarity over
  /// the largest product of an impulse and a velocity. With the absolute criterion as they are, in the units of the problem.
  struct Convergence {
    double bilateral = 0.0, cones = 0.0, momentum = 0.0, complementarity = 0.0;
  };
  const Convergence& convergence() const { return convergence_; }
  /// ‖r‖₂/n and μ_c in the units of the problem, whatever the criterion.
  const Convergence& absolute() const { return absolute_; }
  bool converged() const;
  const std::string& message() const { return message_; }

 protected:
  /// Work space for one right-hand side of (J.5): Δv and Δλ for the right-hand side `target` of (J.6), W Δλ and W⁻¹Δy.
  struct Direction {
    Vector target, dv, dlambda, scaled_lambda, scaled_y;
  };

  bool scale_cones();
  bool factorize(Monitor& monitor);
  Vector3 slip_direction(Index i) const;
  bool unbounded();
  void keep_inside(Vector& x) const;
  void evaluate();

  InteriorSettings settings_;
  BarrierProblem barrier_;
  std::unique_ptr<InteriorSystem> system_;
  InteriorPoint point_;
  std::vector<NesterovTodd> scaling_;
  Direction direction_;
  Vector t_;
  double mu_ = 0.0, sigma_ = 0.0, step_primal_ = 0.0, step_dual_ = 0.0;
  std::string message_;

 private:
  struct Lengths {
    double primal = 1.0, dual = 1.0;
    double least() const { return primal < dual ? primal : dual; }
  };

  bool least_squares(double weight, Monitor& monitor);
  void begin_at_slip();
  bool cold_central(Monitor& monitor);
  bool cold_two_step(Monitor& monitor);
  bool affine_start(const Vector* velocity, Monitor& monitor);
  bool impulses_of_velocity(Monitor& monitor);
  void take_stock();
  void go(const Lengths& alpha);
  /// Direction for W⁻¹Δy + WΔλ = target; false when the system could not be solved.
  bool find_direction(Monitor& monitor);
  Lengths lengths_to_boundary() const;
  bool predict_and_correct(Lengths& alpha, Monitor& monitor);
  bool astray() const;
  double slip_defect(Index i) const;
  void add_correction(Vector& u) const;
  bool centre(Lengths& alpha, Monitor& monitor);
  double trial_complementarity(const Lengths& alpha) const;
  void set_regularisation(double delta);
  void target_affine();
  void target_corrected(double weight);
  double eta(const Lengths& alpha) const;
  Lengths shortened(double eta, const Lengths& alpha) const;
  bool stays_central(const Lengths& alpha) const;
  void advance(const Lengths& alpha);
  double remainder() const;
  void move(const Lengths& alpha);
  void push_inside(Vector& x, double margin) const;
  double rms(const Vector& x) const;
  double least_gap(const Vector& x) const;
  double natural_residual(const Vector& lambda, const Vector& u) const;

  InteriorPoint before_;
  Vector u_, shift_, free_, mass_product_;  ///< free_: u at λ = 0
  ResidualScale scale_;
  std::vector<BarrierBlock> blocks_;
  Direction last_;
  double delta_ = 0.0;
  Convergence convergence_, absolute_;
};

/// The same with steps along series of the path (J.17–J.19).
std::unique_ptr<InteriorIteration> make_series_iteration(const InteriorSettings& settings, const ContactProblem& problem,
                                                         Monitor& monitor);

}  // namespace ccp
