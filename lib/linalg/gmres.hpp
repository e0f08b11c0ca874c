#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "kernels/kernels.hpp"

namespace ccp {

/// Restarted GMRES with right preconditioning, so that the residual it minimises and stops on is the true one (Saad and
/// Schultz 1986; Saad 2003, Algorithm 9.5). All memory is taken by the constructor. Singular systems get a least-squares
/// solution of the Krylov space. Deterministic: the order of sums is that of KrylovLoops.
class Gmres {
 public:
  /// y <- operator applied to x; x and y do not overlap.
  using Operator = std::function<void(const Vector& x, Vector& y)>;

  /// Inner products of vectors whose entries several processes have: sums[i] = basis[i]ᵀx for i < count and sums[count] =
  /// xᵀx, formed together.
  using InnerProducts = std::function<void(const std::vector<Vector>& basis, int count, const Vector& x, double* sums)>;

  struct Result {
    int products = 0;       ///< of A
    double residual = 0.0;  ///< ‖b − Ax‖₂, by the recurrence of the method
    bool converged = false;
  };

  /// size: rows of A; restart: largest dimension of the Krylov space, at least 1. inner_products: of a distributed A, whose
  /// rows here are `size`; Gram–Schmidt is then the classical one, done twice, with two sums over processes a product.
  Gmres(Index size, int restart, InnerProducts inner_products = {});

  /// Solves A x = rhs from x = 0 until the residual is at most `tolerance` (absolute, unit of rhs) or `limit` products are
  /// spent, those of restarts included. M approximates A⁻¹. rhs and x may not be the same vector.
  Result solve(const Operator& A, const Operator& M, const Vector& rhs, Vector& x, double tolerance, int limit);

 private:
  double norm(const Vector& x);
  double begin_cycle();
  std::pair<double, double> orthogonalise(int column);
  std::pair<double, double> orthogonalise_together(int column);
  bool extend(const Operator& A, const Operator& M, int column);
  void add_solution(const Operator& M, int columns, Vector& x);

  const KrylovLoops& loops_ = kernels().krylov;
  InnerProducts inner_products_;
  int restart_;
  bool singular_ = false;  ///< A maps a direction of the last space to nothing
  std::vector<Vector> basis_;
  DenseMatrix hessenberg_;
  Vector cosine_, sine_, reduced_, weights_, residual_, work_, preconditioned_;
  Vector along_, again_;  ///< inner products with the basis, and with the last vector itself
};

}  // namespace ccp
