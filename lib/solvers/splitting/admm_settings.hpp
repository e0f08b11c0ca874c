#pragma once

#include "core/fields.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/splitting/rho_policy.hpp"

namespace ccp {

/// S of eq. 45: I, N_ii^(-1/2) as in the paper, or N_ii^(1/2) as in the reference implementation.
enum class RhoScaling { none, diagonal, inverse_diagonal };
/// The one number of N_ii for all rows of a block.
enum class BlockNumber { mean, normal };
/// The rows whose residuals and impulses adapt ρ.
enum class AdaptingRows { all, cones };
/// The impulse that is shown and handed over.
enum class Impulse { z, gamma };
/// The part of the previous step that a start takes over.
enum class AdmmStart { gamma, gamma_v, y_z };

struct AdmmSettings {
  double rho = 0.1;
  double rho_bilateral = 1e-9;
  double proximal = 0.0;
  bool rho_bilateral_relative = false;
  double rho_min = 1e-12, rho_max = 1e12;
  bool accelerated = false;
  double restart_factor = 0.999;
  RhoSettings adaptation;
  RhoScaling scaling = RhoScaling::none;
  BlockNumber block_number = BlockNumber::mean;
  AdaptingRows adapting_rows = AdaptingRows::all;
  Impulse hands_out = Impulse::z;
  AdmmStart warm_start = AdmmStart::gamma_v;
  LinearForm form = LinearForm::automatic;
  LinearBackend backend = LinearBackend::automatic;
  double tolerance_primal = 1e-10;
  double tolerance_dual = 1e-10;
};

/// The rows of the settings table.
void add_admm_fields(FieldTable& fields, AdmmSettings& s);

}  // namespace ccp
