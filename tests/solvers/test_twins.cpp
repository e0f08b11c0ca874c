#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>

#include "cones/product_cone.hpp"
#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

/// Plain twins: each method once more in dense matrices and in the notation of its paper, as short as the paper allows. The
/// solvers must have the same iterates to rounding. Those of `admm` and `fadmm` are in test_admm_letter.cpp, that of
/// `ipm_qp` in test_interior_letter.cpp, that of `subadmm` in test_subadmm.cpp.
using namespace ccp;
using namespace ccp::testing;

namespace {

using ImpulseList = std::vector<Vector>;
using TwinSettings = std::vector<std::pair<std::string, FieldValue>>;

Vector on_cones(const ConstraintSet& set, Vector x) {
  project_product(set, x);
  return x;
}

/// N, r and the blocks of a problem.
struct Dense {
  DenseMatrix N;
  Vector r;
  const ConstraintSet& set;

  explicit Dense(const ContactProblem& problem) : N(problem.local().N), r(problem.local().r), set(problem.constraints()) {}
  Index first(Index i) const { return set.offset(i); }
  Index rows(Index i) const { return set.rows(i); }
  DenseMatrix block(Index i) const { return N.block(first(i), first(i), rows(i), rows(i)); }
  Vector velocity(const Vector& gamma) const { return N * gamma + r; }
};

Recorder record(const ContactProblem& problem, const RunSpec& spec, int iterations) {
  Recorder recorder(iterations);
  configured(spec)->prepare(problem, spec.model, recorder)->run({}, Vector::Zero(problem.rows()), recorder);
  return recorder;
}

/// The shown impulses after the start point against those of a twin.
void compare_with(const ContactProblem& problem, const RunSpec& spec, const ImpulseList& twin, double tolerance) {
  const Recorder seen = record(problem, spec, static_cast<int>(twin.size()));
  REQUIRE(seen.impulses.size() == twin.size() + 1);
  for (std::size_t k = 0; k < twin.size(); ++k) {
    CAPTURE(spec.solver, problem.name(), k);
    CHECK((seen.impulses[k + 1] - twin[k]).norm() <= tolerance * twin[k].norm());
  }
}

std::vector<ContactProblem> convex_problems() {
  RandomShape soft{6, 3, 2, 2, 2};
  soft.compliance = true;
  return {random_problem(11, {4, 4}), random_problem(12, {6, 2, 2, 2, 2}), random_problem(13, soft),
          redundant_point_mass(2.0, {-1, 0.7, 0}, 0.4, 3)};
}

/// Anitescu and Tasora 2010 with B = N, K = 0: γ ← λ Π(γ − ω η (N γ + r)) + (1 − λ) γ, η_i = rows/tr(N_ii).
ImpulseList jacobi(const Dense& p, double omega, double lambda, int count) {
  Vector eta(p.r.size()), gamma = Vector::Zero(p.r.size());
  for (Index i = 0; i < p.set.count(); ++i)
    eta.segment(p.first(i), p.rows(i)).setConstant(1.0 / p.block(i).diagonal().mean());
  ImpulseList all;
  for (int k = 0; k < count; ++k) {
    gamma = lambda * on_cones(p.set, gamma - omega * eta.cwiseProduct(p.velocity(gamma))) + (1.0 - lambda) * gamma;
    all.push_back(gamma);
  }
  return all;
}

/// The same with K = strict lower triangle of N: block by block with the newest impulses, η_i = 1/λ_max(N_ii).
ImpulseList gauss_seidel(const Dense& p, double omega, double lambda, bool symmetric, int count) {
  Vector gamma = Vector::Zero(p.r.size());
  const auto relax = [&](Index i) {
    const double eta = 1.0 / p.block(i).selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff();
    const Vector image = on_cones(p.set, gamma - omega * eta * p.velocity(gamma));
    auto own = gamma.segment(p.first(i), p.rows(i));
    own = lambda * image.segment(p.first(i), p.rows(i)) + (1.0 - lambda) * own;
  };
  ImpulseList all;
  for (int k = 0; k < count; ++k) {
    for (Index i = 0; i < p.set.count(); ++i) relax(i);
    for (Index i = p.set.count() - 1; symmetric && i >= 0; --i) relax(i);
    all.push_back(gamma);
  }
  return all;
}

/// Mazhar et al. 2015, Algorithm 1, line by line, with the printed test (24) on the objective.
ImpulseList apgd(const Dense& p, int count) {
  const auto f = [&](const Vector& x) { return 0.5 * x.dot(p.N * x) + p.r.dot(x); };
  const Vector ones = Vector::Ones(p.r.size());
  Vector gamma = 0.0 * ones, y = gamma;
  double theta = 1.0, L = (p.N * ones).norm() / ones.norm();
  ImpulseList all;
  for (int k = 0; k < count; ++k) {
    const Vector g = p.velocity(y);
    Vector next = on_cones(p.set, y - g / L);
    while (f(next) > f(y) + g.dot(next - y) + 0.5 * L * (next - y).squaredNorm()) {
      L *= 2.0;
      next = on_cones(p.set, y - g / L);
    }
    const double next_theta = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4.0));
    const double beta = theta * (1.0 - theta) / (theta * theta + next_theta);
    y = next + beta * (next - gamma);
    theta = next_theta;
    if (g.dot(next - gamma) > 0.0) {
      y = next;
      theta = 1.0;
    }
    L *= 0.9;
    gamma = next;
    all.push_back(gamma);
  }
  return all;
}

/// Koziara 2017, Algorithm 1 in three dimensions, with the normal first and s R in the place of R (the paper: s = 1).
struct PrintedPqn {
  using Complex = std::complex<double>;
  using ComplexVector = Eigen::VectorXcd;
  const Dense& p;
  Vector s;

  /// F_ω (39) and m_ω (24) of one contact.
  static Eigen::Vector3cd corrected(const Eigen::Vector3cd& U, double mu, double omega) {
    const Complex size = std::sqrt(U[1] * U[1] + U[2] * U[2] + omega * omega) - omega;
    return {U[0] + mu * size, U[1], U[2]};
  }
  static Eigen::Vector3cd smoothed(const Eigen::Vector3cd& z, double mu, double omega) {
    const auto g = [](Complex x) {
      const Complex root = std::sqrt(x * x + 4.0);
      return x.real() < 0.0 ? 2.0 / (root - x) : 0.5 * (root + x);
    };
    const Complex t = std::sqrt(z[1] * z[1] + z[2] * z[2]);
    const Complex l1 = -(z[0] + mu * t) / (1.0 + mu * mu), l2 = (t - mu * z[0]) / (1.0 + mu * mu);
    const Complex g1 = omega * g(l1 / omega), g2 = mu * omega * g(l2 / (mu * omega));
    return {-g1 - mu * g2, (g2 - mu * g1) * z[1] / t, (g2 - mu * g1) * z[2] / t};
  }
  /// C_ω(R) (41).
  ComplexVector C(const ComplexVector& R, double omega) const {
    const ComplexVector U = p.N * R + p.r;
    ComplexVector all(R.size());
    for (Index i = 0; i < p.set.count(); ++i) {
      const double mu = p.set.friction(i);
      const Eigen::Vector3cd F = corrected(U.segment<3>(3 * i), mu, omega);
      all.segment<3>(3 * i) = F + smoothed(s[i] * R.segment<3>(3 * i) - F, mu, omega);
    }
    return all;
  }
  /// ∇C_ω(R) by complex steps, which are exact to rounding.
  DenseMatrix gradient(const Vector& R, double omega) const {
    DenseMatrix A(R.size(), R.size());
    for (Index j = 0; j < R.size(); ++j) {
      ComplexVector ahead = R;
      ahead[j] += Complex(0.0, 1e-100);
      A.col(j) = C(ahead, omega).imag() / 1e-100;
    }
    return A;
  }
  /// g(R) (40) of the exact C.
  double merit(const Vector& R) const {
    const Vector c = C(R, 1e-150).real();
    double above = 0.0, below = 0.0;
    for (Index i = 0; i < p.set.count(); ++i) {
      const Vector3 own = c.segment<3>(3 * i), free = p.r.segment<3>(3 * i);
      const Matrix3 inverse = Matrix3(p.block(i)).inverse();
      above += own.dot(inverse * own);
      below += free.dot(inverse * free);
    }
    return above / below;
  }
  /// GMRES as it is defined: the least residual over the Krylov space of A M, of the first dimension that is enough.
  static Vector gmres(const DenseMatrix& A, const DenseMatrix& M, const Vector& b, double accuracy, int most) {
    DenseMatrix basis(b.size(), 0);
    Vector next = b, x = Vector::Zero(b.size());
    for (int m = 1; m <= most && (b - A * x).norm() > accuracy; ++m) {
      for (int twice = 0; twice < 2; ++twice) next -= basis * (basis.transpose() * next);
      basis.conservativeResize(Eigen::NoChange, m);
      basis.col(m - 1) = next.normalized();
      x = M * basis * (A * M * basis).colPivHouseholderQr().solve(b);
      next = A * M * basis.col(m - 1);
    }
    return x;
  }

  ImpulseList run(double omega, bool relative, int count) const {
    Vector R = Vector::Zero(p.r.size());
    ImpulseList all;
    for (int k = 0; k < count; ++k) {
      const double here = relative ? omega * std::min(1e-8, merit(R)) * max_norm(p.r) : omega * 1e-8;
      const Vector c = C(R, here).real();
      const DenseMatrix A = gradient(R, here);
      DenseMatrix M = DenseMatrix::Zero(R.size(), R.size());
      for (Index i = 0; i < p.set.count(); ++i) M.block<3, 3>(3 * i, 3 * i) = Matrix3(A.block<3, 3>(3 * i, 3 * i)).inverse();
      R = on_cones(p.set, R - gmres(A, M, c, 0.25 * c.norm(), 10));
      all.push_back(R);
    }
    return all;
  }
};

/// Lee et al. 2025, Algorithm 1, for contacts. A is H, J_i is D_iᵀ, e is b, and u_i = −λ_i.
struct PrintedCanal {
  const ContactProblem& problem;
  double kappa = 10.0, zeta = 0.25, inner = 0.01;  ///< the paper has no values
  ImpulseList all;
  std::vector<double> penalties;

  explicit PrintedCanal(const ContactProblem& given) : problem(given) {}
  const ConstraintSet& set() const { return problem.constraints(); }

  /// ∂Π of one contact at x, (23) with the normal first.
  static Matrix3 derivative(const Vector3& x, double mu) {
    const double t = x.tail<2>().norm();
    if (t <= mu * x[0]) return Matrix3::Identity();
    if (mu * t <= -x[0]) return Matrix3::Zero();
    const Vector2 bar = x.tail<2>() / t;
    Matrix3 slip;
    slip(0, 0) = 1.0;
    slip.block<1, 2>(0, 1) = mu * bar.transpose();
    slip.block<2, 1>(1, 0) = mu * bar;
    slip.block<2, 2>(1, 1) =
        mu * mu * Eigen::Matrix2d::Identity() + mu * x[0] / t * (Eigen::Matrix2d::Identity() - bar * bar.transpose());
    return slip / (mu * mu + 1.0);
  }

  void run(Model model, double beta, double beta_max, int newton_steps) {
    const DenseMatrix A(problem.global().H), J = DenseMatrix(problem.global().D).transpose();
    const Vector b = problem.global().k, e = problem.global().b;
    Vector v = A.fullPivLu().solve(b), lambda = Vector::Zero(e.size()), z = lambda;
    double last = std::numeric_limits<double>::infinity();
    while (static_cast<int>(all.size()) < newton_steps) {
      Vector e_tilde = e;
      for (Index i = 0; model == Model::ncp && i < set().count(); ++i)
        e_tilde[3 * i] += set().friction(i) * z.segment<2>(3 * i + 1).norm();
      const auto argument = [&](const Vector& at) { return Vector(lambda - beta * (J * at + e_tilde)); };
      const auto residual = [&](const Vector& at) {
        return Vector(A * at - b - J.transpose() * on_cones(set(), argument(at)));
      };
      Vector next = lambda;
      do {
        DenseMatrix B = DenseMatrix::Zero(e.size(), e.size());
        for (Index i = 0; i < set().count(); ++i)
          B.block<3, 3>(3 * i, 3 * i) = derivative(argument(v).segment<3>(3 * i), set().friction(i));
        const Vector d = -(A + beta * J.transpose() * B * J).ldlt().solve(residual(v));
        double low = 0.0, high = 1.0;  // the exact line search (26): where the slope dᵀr vanishes
        while (d.dot(residual(v + high * d)) < 0.0) high *= 2.0;
        for (int k = 0; k < 100; ++k) (d.dot(residual(v + 0.5 * (low + high) * d)) < 0.0 ? low : high) = 0.5 * (low + high);
        v += high * d;
        next = on_cones(set(), argument(v));
        all.push_back(next);
        penalties.push_back(beta);
      } while (static_cast<int>(all.size()) < newton_steps && residual(v).cwiseQuotient(A.diagonal().cwiseSqrt()).norm() >
                                                                  inner * (next - lambda).norm() / std::sqrt(beta));
      z = J * v + e + (next - lambda) / beta;
      double change = 0.0;
      for (Index i = 0; i < set().count(); ++i) change = std::max(change, (next - lambda).segment<3>(3 * i).norm() / beta);
      lambda = next;
      if (change > zeta * last) beta = std::min(kappa * beta, beta_max);
      last = change;
    }
  }
};

/// Mangoni's thesis, Algorithm of sec. 4.14, for contacts and joints: H v + c = Cᵀγ + Dᵀλ, C v = b_γ, y = D v − b_λ with y
/// and λ in Lorentz cones, from the start (4.23). D has μ D_T in the place of D_T.
struct PrintedConeIpm {
  DenseMatrix H, C, D;
  Vector c, b_gamma, b_lambda, v, gamma, lambda, y, dv, dgamma, dlambda, dy, friction;
  Index cones;

  PrintedConeIpm(const ContactProblem& problem, Index contacts) : friction(3 * contacts), cones(contacts) {
    for (Index i = 0; i < contacts; ++i) {
      const double mu = problem.constraints().friction(i);
      friction.segment<3>(3 * i) = Vector3(1.0, mu, mu);
    }
    const GlobalForm& form = problem.global();
    H = form.H;
    c = -form.k;
    D = friction.asDiagonal() * DenseMatrix(form.D).leftCols(3 * contacts).transpose();
    C = DenseMatrix(form.D).rightCols(form.D.cols() - 3 * contacts).transpose();
    b_lambda = -friction.cwiseProduct(form.b.head(3 * contacts));
    b_gamma = -form.b.tail(C.rows());
    v.setOnes(H.rows()), gamma.setOnes(C.rows()), lambda.setZero(3 * contacts);
    for (Index i = 0; i < contacts; ++i) lambda[3 * i] = 1.0;
    y = lambda;
    find_direction(-jordan(z(), z()));
    lambda = raised(lambda + dlambda);
    y = raised(y + dy);
  }

  /// J of sec. 4.14.2 and the product (4.34), cone by cone.
  static double det(const Vector3& x) { return x[0] * x[0] - x.tail<2>().squaredNorm(); }
  static Vector jordan(const Vector& a, const Vector& b) {
    Vector all(a.size());
    for (Index i = 0; i < a.size(); i += 3) {
      all[i] = a.segment<3>(i).dot(b.segment<3>(i));
      all.segment<2>(i + 1) = a[i] * b.segment<2>(i + 1) + b[i] * a.segment<2>(i + 1);
    }
    return all;
  }
  /// The eigenvalues x_0 ± ‖x_1‖ of each cone become at least one in size.
  static Vector raised(Vector x) {
    for (Index i = 0; i < x.size(); i += 3) {
      const double t = x.segment<2>(i + 1).norm();
      const double large = std::max(1.0, std::abs(x[i] + t)), small = std::max(1.0, std::abs(x[i] - t));
      x.segment<2>(i + 1) *= 0.5 * (large - small) / t;
      x[i] = 0.5 * (large + small);
    }
    return x;
  }
  /// The scaling of Nesterov and Todd, sec. 4.14.2.
  DenseMatrix W() const {
    DenseMatrix all = DenseMatrix::Zero(y.size(), y.size());
    for (Index i = 0; i < y.size(); i += 3) {
      const Vector3 l = lambda.segment<3>(i), own = y.segment<3>(i);
      const Vector3 l_bar = l / std::sqrt(det(l)), y_bar = own / std::sqrt(det(own));
      const Vector3 J(1.0, -1.0, -1.0);
      const Vector3 w = (y_bar + J.cwiseProduct(l_bar)) / (2.0 * std::sqrt(0.5 * (1.0 + l_bar.dot(y_bar))));
      Matrix3 bar;
      bar << w.transpose(), w.tail<2>(), Eigen::Matrix2d::Identity() + w.tail<2>() * w.tail<2>().transpose() / (w[0] + 1.0);
      all.block<3, 3>(i, i) = std::pow(det(own) / det(l), 0.25) * bar;
    }
    return all;
  }
  Vector z() const { return W() * lambda; }

  /// (4.48) with z ∘ (WΔλ + W⁻¹Δy) = right, every unknown in its place.
  void find_direction(const Vector& right) {
    const Index n = v.size(), g = gamma.size(), l = lambda.size();
    const DenseMatrix scaling = W();
    const Vector point = z();
    DenseMatrix product(l, l);  // x ↦ z ∘ x
    for (Index j = 0; j < l; ++j) product.col(j) = jordan(point, DenseMatrix::Identity(l, l).col(j));
    DenseMatrix A = DenseMatrix::Zero(n + g + 2 * l, n + g + 2 * l);
    A.block(0, 0, n, n) = H;
    A.block(0, n, n, g) = -C.transpose();
    A.block(0, n + g, n, l) = -D.transpose();
    A.block(n, 0, g, n) = C;
    A.block(n + g, 0, l, n) = D;
    A.block(n + g, n + g + l, l, l) = -DenseMatrix::Identity(l, l);
    A.block(n + g + l, n + g, l, l) = product * scaling;
    A.block(n + g + l, n + g + l, l, l) = product * scaling.inverse();
    Vector rhs(n + g + 2 * l);
    rhs << -(H * v + c - C.transpose() * gamma - D.transpose() * lambda), -(C * v - b_gamma), -(D * v - b_lambda - y), right;
    const Vector x = A.fullPivLu().solve(rhs);
    dv = x.head(n), dgamma = x.segment(n, g), dlambda = x.segment(n + g, l), dy = x.tail(l);
  }

  /// The way to the surface of the cones: the first root of det(x + α d) = 0.
  static double to_surface(const Vector& x, const Vector& d) {
    double longest = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < x.size(); i += 3) {
      const Vector3 at = x.segment<3>(i), step = d.segment<3>(i);
      const double a = det(step), b = at[0] * step[0] - at.tail<2>().dot(step.tail<2>()), root2 = b * b - a * det(at);
      if (root2 < 0.0) continue;
      for (const double alpha : {(-b - std::sqrt(root2)) / a, (-b + std::sqrt(root2)) / a})
        if (alpha > 0.0) longest = std::min(longest, alpha);
    }
    return longest;
  }
  double way() const { return std::min(to_surface(y, dy), to_surface(lambda, dlambda)); }

  void iterate(double eta) {
    const double count = static_cast<double>(cones), mu = y.dot(lambda) / count;
    const DenseMatrix scaling = W(), inverse = scaling.inverse();
    Vector e = Vector::Zero(y.size());
    for (Index i = 0; i < y.size(); i += 3) e[i] = 1.0;
    find_direction(-jordan(z(), z()));  // (4.50)
    const Vector y_p = y + std::min(1.0, to_surface(y, dy)) * dy;
    const Vector lambda_p = lambda + std::min(1.0, to_surface(lambda, dlambda)) * dlambda;
    double sigma = std::pow(y_p.dot(lambda_p) / count / mu, 3.0);
    find_direction(sigma * mu * e - jordan(z(), z()) - jordan(inverse * dy, scaling * dlambda));  // (4.51)
    if (way() < 0.1) {                                                                            // ours: centre instead
      sigma = std::max(sigma, 0.5);
      find_direction(sigma * mu * e - jordan(z(), z()));
    }
    const double alpha = std::min(1.0, eta * way());
    v += alpha * dv, y += alpha * dy, gamma += alpha * dgamma, lambda += alpha * dlambda;
  }

  Vector impulse() const {
    Vector all(lambda.size() + gamma.size());
    all << friction.cwiseProduct(lambda), gamma;
    return all;
  }
};

}  // namespace

TEST_CASE("jacobi has the iterates of its twin") {
  for (const ContactProblem& problem : convex_problems()) {
    const Dense dense(problem);
    compare_with(problem, {"jacobi"}, jacobi(dense, 0.3, 0.9, 40), 1e-12);
    compare_with(problem, {"jacobi", Model::ccp, {}, {{"omega", 0.2}, {"lambda", 1.0}}}, jacobi(dense, 0.2, 1.0, 40), 1e-12);
  }
}

TEST_CASE("gauss_seidel has the iterates of its twin, with either operator") {
  for (const ContactProblem& problem : convex_problems())
    for (const char* form : {"auto", "assembled"}) {
      const Dense dense(problem);
      const TwinSettings plain{{"operator", std::string(form)}};
      compare_with(problem, {"gauss_seidel", Model::ccp, {}, plain}, gauss_seidel(dense, 1.0, 1.0, false, 60), 1e-11);
      TwinSettings over = plain;
      over.insert(over.end(), {{"omega", 1.3}, {"lambda", 0.8}, {"sweep", std::string("symmetric")}});
      compare_with(problem, {"gauss_seidel", Model::ccp, {}, over}, gauss_seidel(dense, 1.3, 0.8, true, 60), 1e-11);
    }
}

TEST_CASE("apgd has the iterates of its twin") {
  for (const ContactProblem& problem : convex_problems())
    compare_with(problem, {"apgd", Model::ccp, {}, {{"fallback", false}}}, apgd(Dense(problem), 12), 1e-9);
}

TEST_CASE("pqn has the iterates of its twin, with the scales of the paper and with ours") {
  for (const ContactProblem& problem : {random_problem(88, {6, 4}), random_problem(86, {3, 7})}) {
    const Dense dense(problem);
    const Index count = problem.constraints().count();
    const TwinSettings paper{{"impulse_scale", std::string("none")}, {"omega_scale", std::string("absolute")}};
    compare_with(problem, {"pqn", Model::ncp, {}, paper}, PrintedPqn{dense, Vector::Ones(count)}.run(1e-3, false, 8), 1e-8);
    Vector means(count);
    for (Index i = 0; i < count; ++i) means[i] = dense.block(i).diagonal().mean();
    compare_with(problem, {"pqn", Model::ncp}, PrintedPqn{dense, means}.run(1e-3, true, 8), 1e-8);
  }
}

TEST_CASE("canal has the Newton iterates and the penalties of its twin") {
  for (const ContactProblem& problem : {random_problem(71, {5, 8}), random_problem(75, {6, 4})})
    for (const Model model : {Model::ccp, Model::ncp}) {
      PrintedCanal twin(problem);
      twin.run(model, 0.5, 1e3, 15);  // beyond these an inner problem ends at rounding
      TwinSettings settings{{"beta", 0.5}, {"line_search_tolerance", 1e-14}};
      const double mean = Dense(problem).N.diagonal().mean();
      settings.emplace_back("beta_max", 1e3 * mean);
      const int count = static_cast<int>(twin.all.size());
      const Recorder seen = record(problem, {"canal", model, {}, settings}, count);
      REQUIRE(seen.impulses.size() == twin.all.size() + 1);
      for (std::size_t k = 0; k < twin.all.size(); ++k) {
        CAPTURE(problem.name(), model_name(model), k);
        CHECK((seen.impulses[k + 1] - twin.all[k]).norm() <= 1e-8 * twin.all[k].norm());
        CHECK(seen.native[k + 1][1] == Approx(twin.penalties[k]).epsilon(1e-12));
      }
    }
}

TEST_CASE("ipm_cone has the iterates of its twin") {
  for (const ContactProblem& random : {random_problem(97, {4, 3, 0, 0, 2}), random_problem(98, {5, 6})}) {
    const GlobalForm& form = random.global();
    ProblemBuilder builder(random.name());  // large enough for (4.23) to leave the ones
    const ContactProblem problem =
        builder.global(form.H, Vector(50.0 * form.k), form.D, Vector(20.0 * Uniform(96).vector(random.rows())))
            .constraints(random.constraints())
            .build();
    PrintedConeIpm twin(problem, problem.constraints().rows() / 3);
    const TwinSettings settings{
        {"starting_point", std::string("ones")}, {"eta_policy", std::string("fixed")}, {"eta", 0.95}};
    const Recorder seen = record(problem, {"ipm_cone", Model::ccp, {}, settings}, 8);
    REQUIRE(seen.impulses.size() == 9);
    for (std::size_t k = 0; k < seen.impulses.size(); ++k) {
      CAPTURE(problem.name(), k);
      CHECK((seen.impulses[k] - twin.impulse()).norm() <= 1e-7 * twin.impulse().norm());
      CHECK(seen.native[k][3] ==
            Approx(twin.y.dot(twin.lambda) / static_cast<double>(twin.cones)).epsilon(1e-6).margin(1e-12));
      twin.iterate(0.95);
    }
  }
}
