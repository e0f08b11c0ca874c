#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <stdexcept>

#include "linalg/block/frontal_lu.hpp"
#include "problem/block_scale.hpp"
#include "solvers/proximal_newton/newton_system.hpp"

namespace ccp {
namespace {

constexpr int refinements = 3;
constexpr double refined_enough = 1e-11;  ///< relative residual of a solution, max norm

/// The rows of D of one constraint on three consecutive velocities: a 3×3 block of D (velocities × impulses).
struct JacobianPart {
  int place;  ///< block row of the velocities
  Matrix3 block;
};

class VelocitySystem final : public NewtonSystem {
 public:
  explicit VelocitySystem(const ContactProblem& problem) : problem_(problem), constraints_(problem.constraints()) {
    if (!problem.has_factored()) throw std::logic_error("no velocity system: H is not block-diagonal");
    split_jacobian();
    build_pattern();
    lu_ = std::make_unique<FrontalLu>(K_, best_ordering(K_));
    const auto count = uz(constraints_.count());
    inverse_.resize(count);
    weight_.resize(count);
    velocity_.setZero(3 * K_.rows());
    for (Vector* vector : {&residual_, &correction_, &product_}) vector->setZero(3 * constraints_.count());
    scalar_x_.setZero(constraints_.rows());
    scalar_y_.setZero(constraints_.rows());
  }

  void multiply(const Vector& x, Vector& y) override {
    if (constraints_.all_contacts_3d()) {
      problem_.factored().multiply(x, y);
      return;
    }
    unpad(constraints_, x, scalar_x_);
    problem_.factored().multiply(scalar_x_, scalar_y_);
    pad(constraints_, scalar_y_, y);
  }

  Vector mean_diagonal() const override {
    return block_means(constraints_, [this](Index i) { return block_trace(problem_.factored().diagonal_block(i)); });
  }

  bool factorize(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E, const std::vector<char>& identity) override {
    G_ = &G;
    E_ = &E;
    std::copy(mass_.begin(), mass_.end(), K_.block.begin());
    for (std::size_t i = 0; i < inverse_.size(); ++i) {
      inverse_[i] = identity[i] != 0 ? Matrix3(Matrix3::Identity()) : Matrix3((E[i] + G[i] * compliance(i)).inverse());
      weight_[i] = identity[i] != 0 ? Matrix3(Matrix3::Zero()) : Matrix3(inverse_[i] * G[i]);
      if (!inverse_[i].allFinite()) return false;
      if (identity[i] == 0) add_contact(i);
    }
    return lu_->factorize(K_);
  }

  void solve(const Vector& rhs, Vector& x) override {
    solve_once(rhs, x);
    const double scale = max_norm(rhs);
    for (int step = 0; step < refinements; ++step) {
      multiply(x, product_);
      for (Index i = 0; i < constraints_.count(); ++i) {
        const auto block = uz(i);
        residual_.segment<3>(3 * i) =
            rhs.segment<3>(3 * i) - (*G_)[block] * product_.segment<3>(3 * i) - (*E_)[block] * x.segment<3>(3 * i);
      }
      if (!(residual_.cwiseAbs().maxCoeff() > refined_enough * scale)) return;
      solve_once(residual_, correction_);
      x += correction_;
    }
  }

  std::int64_t flops() const override { return lu_->flops(); }
  std::size_t bytes() const override { return lu_->bytes(); }
  std::string name() const override { return fmt::format("velocity space, {}", lu_->ordering()); }

 private:
  Matrix3 compliance(std::size_t i) const { return compliance_.empty() ? Matrix3(Matrix3::Zero()) : compliance_[i]; }

  /// D in 3×3 parts: the dofs of a body in groups of three.
  void split_jacobian() {
    const BlockPartition& bodies = problem_.mass().blocks();
    std::vector<int> group(uz(problem_.dofs())), row(group.size());
    int groups = 0;
    for (Index b = 0; b < bodies.count(); ++b) {
      for (Index dof = 0; dof < bodies.size(b); ++dof) {
        const auto at = uz(bodies.offset(b) + dof);
        group[at] = groups + static_cast<int>(dof / 3);
        row[at] = static_cast<int>(dof % 3);
      }
      groups += static_cast<int>((bodies.size(b) + 2) / 3);
    }
    groups_ = groups;
    const SparseMatrix& D = problem_.global().D;
    part_start_.push_back(0);
    for (Index i = 0; i < constraints_.count(); ++i) {
      const std::size_t first = parts_.size();
      for (Index c = 0; c < constraints_.rows(i); ++c)
        for (SparseMatrix::InnerIterator entry(D, constraints_.offset(i) + c); entry; ++entry)
          part_at(first, group[uz(entry.row())])(row[uz(entry.row())], c) = entry.value();
      part_start_.push_back(static_cast<int>(parts_.size()));
    }
    load_mass(group, row);
    load_compliance();
  }

  Matrix3& part_at(std::size_t first, int place) {
    for (std::size_t p = first; p < parts_.size(); ++p)
      if (parts_[p].place == place) return parts_[p].block;
    parts_.push_back({place, Matrix3::Zero()});
    return parts_.back().block;
  }

  void load_mass(const std::vector<int>& group, const std::vector<int>& row) {
    const SparseMatrix& H = problem_.global().H;
    for (int c = 0; c < H.outerSize(); ++c)
      for (SparseMatrix::InnerIterator entry(H, c); entry; ++entry)
        mass_entries_.emplace_back(3 * group[uz(entry.row())] + row[uz(entry.row())], 3 * group[uz(c)] + row[uz(c)],
                                   entry.value());
  }

  void load_compliance() {
    const SparseMatrix& C = problem_.global().C;
    if (C.nonZeros() == 0) return;
    const BlockMatrix blocks = block_matrix(constraints_, C);
    for (const int diagonal : blocks.diagonal) compliance_.push_back(blocks.block[uz(diagonal)]);
  }

  /// The pattern of H + D Dᵀ by groups, and where each contact adds to it.
  void build_pattern() {
    ConstraintSet groups;
    for (int g = 0; g < groups_; ++g) groups.add(ConstraintKind::contact);
    std::vector<Triplet> entries = mass_entries_;
    for (std::size_t i = 0; i + 1 < part_start_.size(); ++i)
      for (int a = part_start_[i]; a < part_start_[i + 1]; ++a)
        for (int b = part_start_[i]; b < part_start_[i + 1]; ++b)
          entries.emplace_back(3 * part(a).place, 3 * part(b).place, 0.0);
    std::vector<char> used(uz(3 * groups_), 0);
    for (const Triplet& entry : mass_entries_) used[uz(entry.row())] = 1;
    for (int k = 0; k < 3 * groups_; ++k)
      if (used[uz(k)] == 0) entries.emplace_back(k, k, 1.0);  // padding of groups with fewer dofs
    const SparseMatrix K = from_triplets(3 * groups_, 3 * groups_, entries);
    K_ = block_matrix(groups, K);
    mass_ = K_.block;
    for (std::size_t i = 0; i + 1 < part_start_.size(); ++i) {
      target_first_.push_back(static_cast<int>(target_.size()));
      for (int a = part_start_[i]; a < part_start_[i + 1]; ++a)
        for (int b = part_start_[i]; b < part_start_[i + 1]; ++b) target_.push_back(position(part(a).place, part(b).place));
    }
    mass_entries_.clear();
  }

  int position(int row, int column) const {
    const auto first = K_.column.begin() + K_.row_start[uz(row)];
    const auto last = K_.column.begin() + K_.row_start[uz(row) + 1];
    return static_cast<int>(std::lower_bound(first, last, column) - K_.column.begin());
  }

  const JacobianPart& part(int p) const { return parts_[uz(p)]; }

  /// K += D_i S_i⁻¹G_i D_iᵀ.
  void add_contact(std::size_t i) {
    auto target = uz(target_first_[i]);
    for (int a = part_start_[i]; a < part_start_[i + 1]; ++a) {
      const Matrix3 left = part(a).block * weight_[i];
      for (int b = part_start_[i]; b < part_start_[i + 1]; ++b)
        K_.block[uz(target_[target++])].noalias() += left * part(b).block.transpose();
    }
  }

  /// d = S⁻¹(rhs − G Dᵀw), (H + D S⁻¹G Dᵀ) w = D S⁻¹ rhs.
  void solve_once(const Vector& rhs, Vector& d) {
    velocity_.setZero();
    for (std::size_t i = 0; i < inverse_.size(); ++i) {
      const Vector3 scaled = inverse_[i] * rhs.segment<3>(3 * static_cast<Index>(i));
      for (int a = part_start_[i]; a < part_start_[i + 1]; ++a)
        velocity_.segment<3>(3 * part(a).place).noalias() += part(a).block * scaled;
    }
    lu_->solve(velocity_, velocity_);
    for (std::size_t i = 0; i < inverse_.size(); ++i) {
      Vector3 u = Vector3::Zero();
      for (int a = part_start_[i]; a < part_start_[i + 1]; ++a)
        u.noalias() += part(a).block.transpose() * velocity_.segment<3>(3 * part(a).place);
      const auto at = 3 * static_cast<Index>(i);
      d.segment<3>(at) = inverse_[i] * rhs.segment<3>(at) - weight_[i] * u;
    }
  }

  ContactProblem problem_;
  ConstraintSet constraints_;
  int groups_ = 0;
  std::vector<JacobianPart> parts_;
  std::vector<int> part_start_;  ///< count + 1
  std::vector<Triplet> mass_entries_;
  std::vector<Matrix3> compliance_;  ///< C_ii, empty when C = 0
  BlockMatrix K_;
  std::vector<Matrix3> mass_;      ///< values of H in the pattern of K
  std::vector<int> target_;        ///< position in K of each pair of parts, contact by contact
  std::vector<int> target_first_;  ///< per constraint: its first in target_
  std::unique_ptr<FrontalLu> lu_;
  std::vector<Matrix3> inverse_, weight_;  ///< S_i⁻¹, S_i⁻¹G_i
  const std::vector<Matrix3>*G_ = nullptr, *E_ = nullptr;
  Vector velocity_, residual_, correction_, product_, scalar_x_, scalar_y_;
};

}  // namespace

std::unique_ptr<NewtonSystem> make_velocity_system(const ContactProblem& problem) {
  return std::make_unique<VelocitySystem>(problem);
}

}  // namespace ccp
