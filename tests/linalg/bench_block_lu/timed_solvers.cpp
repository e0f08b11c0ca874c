#include "linalg/bench_block_lu/timed_solvers.hpp"

#include <optional>
#include <stdexcept>

#include "linalg/block/block_lu.hpp"
#include "linalg/block/frontal_lu.hpp"
#include "linalg/linear_solver.hpp"

#ifdef CCP_HAVE_UMFPACK
#include <umfpack.h>
#endif

namespace ccp::testing {
namespace {

/// What BlockLu and FrontalLu take when the matrix comes without scales.
void complete(const NewtonMatrix& matrix, std::vector<Matrix3>& scale, std::vector<Matrix3>& diagonal,
              std::vector<char>& identity) {
  const std::size_t rows = matrix.blocks.diagonal.size();
  scale = matrix.scale.empty() ? std::vector<Matrix3>(rows, Matrix3::Identity()) : matrix.scale;
  diagonal = matrix.scale.empty() ? std::vector<Matrix3>(rows, Matrix3::Zero()) : matrix.diagonal;
  identity = matrix.scale.empty() ? std::vector<char>(rows, 0) : matrix.identity;
}

class Blocks final : public TimedSolver {
 public:
  explicit Blocks(const NewtonMatrix& matrix) : matrix_(matrix) { complete(matrix, scale_, diagonal_, identity_); }
  void analyze() override { lu_.emplace(best_ordering(matrix_.blocks)); }
  bool factorize() override { return lu_->factorize(matrix_.blocks, scale_, diagonal_, identity_); }
  void solve(const Vector& rhs, Vector& x) override { lu_->solve(rhs, x); }
  double megabytes() const override { return 1e-6 * static_cast<double>(lu_->bytes()); }

 private:
  const NewtonMatrix& matrix_;
  std::vector<Matrix3> scale_, diagonal_;
  std::vector<char> identity_;
  std::optional<BlockLu> lu_;
};

class Fronts final : public TimedSolver {
 public:
  explicit Fronts(const NewtonMatrix& matrix) : matrix_(matrix) {}
  void analyze() override { lu_.emplace(matrix_.blocks, best_ordering(matrix_.blocks)); }
  bool factorize() override {
    if (matrix_.scale.empty()) return lu_->factorize(matrix_.blocks);
    return lu_->factorize(matrix_.blocks, matrix_.scale, matrix_.diagonal, matrix_.identity);
  }
  void solve(const Vector& rhs, Vector& x) override { lu_->solve(rhs, x); }
  double megabytes() const override { return 1e-6 * static_cast<double>(lu_->bytes()); }

 private:
  const NewtonMatrix& matrix_;
  std::optional<FrontalLu> lu_;
};

class Mumps final : public TimedSolver {
 public:
  explicit Mumps(const NewtonMatrix& matrix)
      : matrix_(matrix), solver_(make_linear_solver("mumps", MatrixKind::unsymmetric)) {}
  void analyze() override { check(solver_->analyze(matrix_.scalar)); }
  bool factorize() override { return solver_->factorize(matrix_.scalar) == LinearStatus::ok; }
  void solve(const Vector& rhs, Vector& x) override { check(solver_->solve(rhs, x)); }
  double megabytes() const override { return 8e-6 * static_cast<double>(solver_->info().factor_nonzeros); }

 private:
  void check(LinearStatus status) const {
    if (status != LinearStatus::ok) throw std::runtime_error(solver_->info().message);
  }
  const NewtonMatrix& matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

#ifdef CCP_HAVE_UMFPACK
class Umfpack final : public TimedSolver {
 public:
  explicit Umfpack(const NewtonMatrix& matrix) : A_(matrix.scalar) {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // the others do not refine
  }
  ~Umfpack() override {
    umfpack_di_free_numeric(&numeric_);
    umfpack_di_free_symbolic(&symbolic_);
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;

  void analyze() override {
    const int n = static_cast<int>(A_.rows());
    if (umfpack_di_symbolic(n, n, A_.outerIndexPtr(), A_.innerIndexPtr(), A_.valuePtr(), &symbolic_, control_, info_) < 0)
      throw std::runtime_error("UMFPACK: analysis failed");
  }
  bool factorize() override {
    umfpack_di_free_numeric(&numeric_);
    return umfpack_di_numeric(A_.outerIndexPtr(), A_.innerIndexPtr(), A_.valuePtr(), symbolic_, &numeric_, control_,
                              info_) == UMFPACK_OK;
  }
  void solve(const Vector& rhs, Vector& x) override {
    umfpack_di_solve(UMFPACK_A, A_.outerIndexPtr(), A_.innerIndexPtr(), A_.valuePtr(), x.data(), rhs.data(), numeric_,
                     control_, nullptr);
  }
  double megabytes() const override { return 8e-6 * (info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ]); }

 private:
  const SparseMatrix& A_;
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  double control_[UMFPACK_CONTROL] = {}, info_[UMFPACK_INFO] = {};
};
#endif

}  // namespace

std::vector<std::string> timed_solver_names() {
  std::vector<std::string> names{"blocks", "fronts", "mumps"};
#ifdef CCP_HAVE_UMFPACK
  names.push_back("umfpack");
#endif
  return names;
}

std::unique_ptr<TimedSolver> make_timed_solver(const std::string& name, const NewtonMatrix& matrix) {
  if (name == "blocks") return std::make_unique<Blocks>(matrix);
  if (name == "fronts") return std::make_unique<Fronts>(matrix);
  if (name == "mumps") return std::make_unique<Mumps>(matrix);
#ifdef CCP_HAVE_UMFPACK
  if (name == "umfpack") return std::make_unique<Umfpack>(matrix);
#endif
  throw std::logic_error("no solver '" + name + "'");
}

std::string taken_by_proximal_newton(const NewtonMatrix& matrix) {
  constexpr std::int64_t worth_fronts = 3'000'000;  // as in lib/solvers/proximal_newton/newton_system.cpp
  if (matrix.order == "velocities") return "fronts";
  return best_ordering(matrix.blocks).flops < worth_fronts ? "blocks" : "fronts";
}

}  // namespace ccp::testing
