// Ipopt on the convex problem, min ½γᵀNγ + rᵀγ with γ in the cones. A cone as μγ_n ≥ |γ_T| has no gradient at its tip, and
// as μ²γ_n² ≥ |γ_T|² none that points anywhere; as |γ_T|²/γ_n ≤ μ²γ_n with γ_n ≥ 0 it is smooth and convex wherever an
// interior point can be (Benson and Vanderbei 2003). Ipopt's defaults hold but for the barrier and what would move the
// bounds or end it early.

#include <IpoptConfig.h>
#include <IpIpoptApplication.hpp>
#include <IpIpoptCalculatedQuantities.hpp>
#include <IpIpoptData.hpp>
#include <IpOrigIpoptNLP.hpp>
#include <IpTNLPAdapter.hpp>

#include "peers/adapters/service.hpp"

namespace {

using Ipopt::Index;
using Ipopt::Number;

constexpr Number infinity = 2e19;  // what Ipopt takes for it

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class ConeProgram final : public Ipopt::TNLP {
 public:
  explicit ConeProgram(ccp::AdapterService& service) : service_(service), gamma_(service.start) {
    // The lower triangle of N, which holds that of all cones' curvatures: the blocks on the diagonal are stored.
    service.for_entries([&](int row, int column, double value) {
      if (row < column) return;
      const bool own = row / 3 == column / 3;
      if (own) own_entry_.push_back(static_cast<Index>(row_.size()));
      row_.push_back(row);
      column_.push_back(column);
      value_.push_back(value);
    });
  }

  const std::vector<double>& gamma() const { return gamma_; }
  Index iterations() const { return iterations_; }
  double error() const { return error_; }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian, IndexStyleEnum& style) override {
    n = service_.rows();
    m = service_.contacts;
    jacobian = n;
    hessian = static_cast<Index>(row_.size());
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* low, Number* high, Index m, Number* g_low, Number* g_high) override {
    for (Index i = 0; i < n; ++i) {
      low[i] = i % 3 == 0 ? 0.0 : -infinity;
      high[i] = infinity;
    }
    for (Index i = 0; i < m; ++i) {
      g_low[i] = 0.0;
      g_high[i] = infinity;
    }
    return true;
  }

  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    for (Index i = 0; i < n; ++i) x[i] = service_.start[at(i)];
    return true;
  }

  bool eval_f(Index n, const Number* x, bool, Number& value) override {
    multiply(n, x);
    value = 0.0;
    for (Index i = 0; i < n; ++i) value += x[i] * (0.5 * product_[at(i)] + service_.r[at(i)]);
    return true;
  }

  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    multiply(n, x);
    for (Index i = 0; i < n; ++i) gradient[i] = product_[at(i)] + service_.r[at(i)];
    return true;
  }

  /// μ²γ_n − |γ_T|²/γ_n ≥ 0.
  bool eval_g(Index, const Number* x, bool, Index m, Number* g) override {
    for (Index i = 0; i < m; ++i) {
      const Number* c = x + 3 * i;
      if (!(c[0] > 0.0)) return false;
      const double mu = service_.friction[at(i)];
      g[i] = mu * mu * c[0] - (c[1] * c[1] + c[2] * c[2]) / c[0];
    }
    return true;
  }

  bool eval_jac_g(Index n, const Number* x, bool, Index m, Index, Index* rows, Index* columns, Number* values) override {
    if (values == nullptr) {
      for (Index i = 0; i < n; ++i) {
        rows[i] = i / 3;
        columns[i] = i;
      }
      return true;
    }
    for (Index i = 0; i < m; ++i) {
      const Number* c = x + 3 * i;
      const double mu = service_.friction[at(i)];
      values[3 * i] = mu * mu + (c[1] * c[1] + c[2] * c[2]) / (c[0] * c[0]);
      values[3 * i + 1] = -2.0 * c[1] / c[0];
      values[3 * i + 2] = -2.0 * c[2] / c[0];
    }
    return true;
  }

  bool eval_h(Index, const Number* x, bool, Number factor, Index, const Number* lambda, bool, Index entries, Index* rows,
              Index* columns, Number* values) override {
    if (values == nullptr) {
      std::copy(row_.begin(), row_.end(), rows);
      std::copy(column_.begin(), column_.end(), columns);
      return true;
    }
    for (Index k = 0; k < entries; ++k) values[k] = factor * value_[at(k)];
    for (const Index k : own_entry_) {
      const Index i = row_[at(k)] / 3, row = row_[at(k)] % 3, column = column_[at(k)] % 3;
      const Number* c = x + 3 * i;
      if (row == 0)
        values[k] -= lambda[i] * 2.0 * (c[1] * c[1] + c[2] * c[2]) / (c[0] * c[0] * c[0]);
      else if (column == 0)
        values[k] += lambda[i] * 2.0 * c[row] / (c[0] * c[0]);
      else if (row == column)
        values[k] -= lambda[i] * 2.0 / c[0];
    }
    return true;
  }

  bool intermediate_callback(Ipopt::AlgorithmMode mode, Index iteration, Number, Number, Number, Number, Number, Number,
                             Number, Number, Index, const Ipopt::IpoptData* data,
                             Ipopt::IpoptCalculatedQuantities* quantities) override {
    service_.clock_off();
    iterations_ = iteration;
    auto* program = dynamic_cast<Ipopt::OrigIpoptNLP*>(Ipopt::GetRawPtr(quantities->GetIpoptNLP()));
    auto* adapter = program == nullptr ? nullptr : dynamic_cast<Ipopt::TNLPAdapter*>(Ipopt::GetRawPtr(program->nlp()));
    if (mode == Ipopt::RegularMode && adapter != nullptr) {
      adapter->ResortX(*data->curr()->x(), gamma_.data());
      error_ = quantities->curr_nlp_error();
      service_.show(iteration, error_, gamma_);
    }
    service_.clock_on();
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* x, const Number*, const Number*, Index, const Number*,
                         const Number*, Number, const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    gamma_.assign(x, x + n);
  }

 private:
  void multiply(Index n, const Number* x) {
    product_.assign(at(n), 0.0);
    for (std::size_t k = 0; k < row_.size(); ++k) {
      product_[at(row_[k])] += value_[k] * x[column_[k]];
      if (row_[k] != column_[k]) product_[at(column_[k])] += value_[k] * x[row_[k]];
    }
  }

  ccp::AdapterService& service_;
  std::vector<Index> row_, column_, own_entry_;
  std::vector<double> value_, product_, gamma_;
  Index iterations_ = 0;
  double error_ = ccp::AdapterService::unknown;
};

void solve(ccp::AdapterService& service) {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> application = new Ipopt::IpoptApplication();
  const auto options = application->Options();
  options->SetIntegerValue("print_level", 0);
  options->SetStringValue("sb", "yes");
  options->SetNumericValue("tol", service.tolerance);
  options->SetIntegerValue("max_iter", static_cast<Index>(std::min<std::int64_t>(service.max_iterations, 1 << 30)));
  options->SetNumericValue("bound_relax_factor", 0.0);
  // 44 iterations on 100 random contacts, where the monotone barrier, the default, is not done after 158.
  options->SetStringValue("mu_strategy", "adaptive");
  options->SetIntegerValue("acceptable_iter", 0);
  if (application->Initialize("") != Ipopt::Solve_Succeeded) throw std::runtime_error("Ipopt refuses its options");
  auto* program = new ConeProgram(service);
  const Ipopt::SmartPtr<Ipopt::TNLP> held = program;
  service.ready();
  service.clock_on();
  const Ipopt::ApplicationReturnStatus status = application->OptimizeTNLP(held);
  service.clock_off();
  service.end(program->iterations(), status, program->error(), program->gamma());
}

}  // namespace

int main(int count, char** words) {
  return ccp::serve(count, words, "ipopt " IPOPT_VERSION, [](const std::string& id, ccp::AdapterService& service) {
    if (id != "ccp") throw std::invalid_argument("no program '" + id + "'");
    solve(service);
  });
}
