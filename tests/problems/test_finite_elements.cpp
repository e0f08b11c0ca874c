#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <set>

#include "core/error.hpp"
#include "linalg/linear_solver.hpp"
#include "problems/finite_elements/elastic_body.hpp"
#include "problems/finite_elements/elastic_step.hpp"
#include "problems/random.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;

namespace {

const Vector3 bar_lengths(0.8, 0.08, 0.08);

std::shared_ptr<const ElasticModel> bar_model(const std::array<int, 3>& cells, ElementKind kind, double young = 1e6,
                                              double damping = 0.0, const Vector3& lengths = bar_lengths) {
  return std::make_shared<ElasticModel>(box_mesh(lengths, cells, kind), ElasticMaterial{young, 0.3, 1000.0, 0.0, damping},
                                        "the bar");
}

/// K at rest and M of a bar, without the nodes of its end at −x.
struct Clamped {
  SparseMatrix K;
  Vector masses;  ///< one a dof
  Vector tip;     ///< weight of each dof in the mean displacement of the free end along y, by area
  std::vector<Index> free;

  Clamped(const std::array<int, 3>& cells, ElementKind kind) {
    const auto model = bar_model(cells, kind);
    const SparseMatrix all = stiffness_matrix(*model, model->forces(model->mesh().nodes));
    std::vector<int> number(static_cast<std::size_t>(all.rows()), -1);
    for (Index node = 0; node < model->nodes(); ++node)
      for (Index axis = 0; axis < 3; ++axis)
        if (model->mesh().nodes[static_cast<std::size_t>(node)][0] > -0.4 + 1e-9) {
          number[static_cast<std::size_t>(3 * node + axis)] = static_cast<int>(free.size());
          free.push_back(3 * node + axis);
        }
    std::vector<Triplet> entries;
    for (Index column = 0; column < all.cols(); ++column)
      for (SparseMatrix::InnerIterator entry(all, column); entry; ++entry) {
        const int i = number[static_cast<std::size_t>(entry.row())], j = number[static_cast<std::size_t>(column)];
        if (i >= 0 && j >= 0) entries.emplace_back(i, j, entry.value());
      }
    K = from_triplets(std::ssize(free), std::ssize(free), entries);
    masses.resize(std::ssize(free));
    tip = Vector::Zero(std::ssize(free));
    for (Index i = 0; i < std::ssize(free); ++i) {
      const Index node = free[static_cast<std::size_t>(i)] / 3;
      masses[i] = model->masses()[node];
      const Vector3& place = model->mesh().nodes[static_cast<std::size_t>(node)];
      if (free[static_cast<std::size_t>(i)] % 3 != 1 || place[0] < 0.4 - 1e-9) continue;
      const double across = std::abs(place[1]) > 0.04 - 1e-9 ? 0.5 : 1.0, up = std::abs(place[2]) > 0.04 - 1e-9 ? 0.5 : 1.0;
      tip[i] = across * up / (cells[1] * cells[2]);
    }
  }

  Vector solve(const Vector& rhs) {
    if (!factor_) {
      factor_ = make_linear_solver("auto", MatrixKind::spd);
      REQUIRE(factor_->analyze(K) == LinearStatus::ok);
      REQUIRE(factor_->factorize(K) == LinearStatus::ok);
    }
    Vector x(rhs.size());
    REQUIRE(factor_->solve(rhs, x) == LinearStatus::ok);
    return x;
  }

  /// Displacement of the mean of the end's nodes under 1e-3 N, over that of Timoshenko's beam with κ = 10(1+ν)/(12+11ν).
  double tip_ratio() {
    const Vector u = solve(1e-3 * tip);
    double sum = 0.0, nodes = 0.0;
    for (Index i = 0; i < u.size(); ++i)
      if (tip[i] > 0.0) {
        sum += u[i];
        nodes += 1.0;
      }
    return sum / nodes / 5.03825e-5;
  }

  /// The two lowest frequencies, Hz, by iterating a subspace of four vectors.
  Vector2 frequencies() {
    DenseMatrix X(K.rows(), 4);
    Random random(3);
    for (Index i = 0; i < X.size(); ++i) X(i % X.rows(), i / X.rows()) = random.uniform(-1.0, 1.0);
    Vector values(4);
    for (int pass = 0; pass < 40; ++pass) {
      for (Index c = 0; c < 4; ++c) X.col(c) = solve(masses.cwiseProduct(X.col(c)));
      const DenseMatrix k = X.transpose() * (K * X), m = X.transpose() * (masses.asDiagonal() * X);
      const Eigen::GeneralizedSelfAdjointEigenSolver<DenseMatrix> modes(k, m);
      values = modes.eigenvalues();
      X = (X * modes.eigenvectors()).eval();
    }
    return values.head<2>().cwiseSqrt() / (2.0 * pi);
  }

 private:
  std::unique_ptr<LinearSolver> factor_;
};

ElementKind kind_of(bool hexahedra) { return hexahedra ? ElementKind::hexahedron : ElementKind::tetrahedron; }

/// F x + t of all nodes.
std::vector<Vector3> mapped(const Mesh& mesh, const Matrix3& F, const Vector3& t) {
  std::vector<Vector3> places;
  for (const Vector3& node : mesh.nodes) places.emplace_back(F * node + t);
  return places;
}

}  // namespace

TEST_CASE("a box is cut into cells without gaps") {
  const bool hexahedra = GENERATE(false, true);
  const auto model = bar_model({12, 3, 3}, kind_of(hexahedra));
  CHECK(model->nodes() == 208);
  CHECK(model->mesh().elements() == (hexahedra ? 108 : 648));
  CHECK(model->skin().triangles.size() == 324);
  CHECK(model->skin().vertices.size() == 164);
  CHECK(model->skin().sharp_edges.size() == 4 * (12 + 3 + 3));
  CHECK(model->volume() == Approx(0.8 * 0.08 * 0.08).epsilon(1e-13));
  CHECK(model->masses().sum() == Approx(5.12).epsilon(1e-13));
  CHECK(model->thickness() == Approx(0.08).epsilon(1e-13));
  // Outwards: the volume under the surface (the theorem of Gauss), and Euler's formula for a closed surface.
  double volume = 0.0;
  std::set<std::pair<int, int>> edges;
  for (const auto& t : model->skin().triangles) {
    Matrix3 corners;
    for (Index c = 0; c < 3; ++c)
      corners.col(c) = model->mesh().nodes[static_cast<std::size_t>(t[static_cast<std::size_t>(c)])];
    volume += corners.determinant() / 6.0;
    for (std::size_t c = 0; c < 3; ++c) edges.insert(std::minmax(t[c], t[(c + 1) % 3]));
  }
  CHECK(volume == Approx(model->volume()).epsilon(1e-12));
  CHECK(164 - std::ssize(edges) + 324 == 2);
  // The normal of a corner of the box is its diagonal, however its faces are cut.
  const auto normals = vertex_normals(model->skin(), model->mesh().nodes);
  CHECK((normals.front() + Vector3::Constant(1.0 / std::sqrt(3.0))).norm() < 1e-12);
}

TEST_CASE("a rigid motion has no force") {
  const bool hexahedra = GENERATE(false, true);
  const auto model = bar_model({6, 2, 2}, kind_of(hexahedra));
  Random random(1);
  for (int trial = 0; trial < 5; ++trial) {
    const Matrix3 R = random.rotation();
    const auto forces = model->forces(mapped(model->mesh(), R, Vector3(3.0, -2.0, 5.0)));
    CHECK(max_norm(forces.force) < 1e-13 * 1e6 * 0.0064);
    CHECK(forces.energy < 1e-20);
    CHECK(forces.inverted == 0);
  }
}

TEST_CASE("a linear displacement leaves no force inside") {
  const bool hexahedra = GENERATE(false, true);
  const auto model = bar_model({6, 4, 4}, kind_of(hexahedra));
  Matrix3 strain;
  strain << 0.01, 0.002, -0.004, 0.002, -0.006, 0.003, -0.004, 0.003, 0.008;
  const Matrix3 R = Random(2).rotation();
  const auto forces = model->forces(mapped(model->mesh(), R * (Matrix3::Identity() + strain), Vector3(0.5, 0.0, 0.0)));
  std::set<Index> skin(model->skin().vertices.begin(), model->skin().vertices.end());
  double inside = 0.0, outside = 0.0;
  for (Index node = 0; node < model->nodes(); ++node) {
    double& largest = skin.contains(node) ? outside : inside;
    largest = std::max(largest, forces.force.segment<3>(3 * node).norm());
  }
  CHECK(inside < 1e-10 * outside);
  // ½ ε : σ V of a uniform strain
  const double trace = strain.trace(), lambda = model->material().lambda(), shear = model->material().shear();
  CHECK(forces.energy ==
        Approx(model->volume() * (0.5 * lambda * trace * trace + shear * strain.squaredNorm())).epsilon(1e-10));
  const Matrix3 deviator = 2.0 * shear * (strain - trace / 3.0 * Matrix3::Identity());
  const Vector stresses =
      model->von_mises_stresses(mapped(model->mesh(), R * (Matrix3::Identity() + strain), Vector3::Zero()));
  CHECK(stresses.minCoeff() == Approx(std::sqrt(1.5) * deviator.norm()).epsilon(1e-9));
  CHECK(stresses.maxCoeff() == Approx(std::sqrt(1.5) * deviator.norm()).epsilon(1e-9));
}

TEST_CASE("the stiffness matrix has six modes without force and no negative one, also inverted") {
  const bool hexahedra = GENERATE(false, true);
  const auto model = bar_model({3, 1, 1}, kind_of(hexahedra));
  Random random(4);
  auto places = mapped(model->mesh(), random.rotation(), Vector3::Zero());
  SECTION("at rest") {
    const DenseMatrix K = stiffness_matrix(*model, model->forces(places));
    CHECK(K == K.transpose());
    const Vector values = Eigen::SelfAdjointEigenSolver<DenseMatrix>(K).eigenvalues();
    CHECK(max_norm(values.head(6)) < 1e-13 * values.maxCoeff());
    CHECK(values[6] > 1e-6 * values.maxCoeff());
  }
  SECTION("far from rest") {
    for (Vector3& place : places)
      place += Vector3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2));
    const auto forces = model->forces(places);
    CHECK(forces.inverted > 0);
    const DenseMatrix K = stiffness_matrix(*model, forces);
    CHECK(K == K.transpose());
    const Vector values = Eigen::SelfAdjointEigenSolver<DenseMatrix>(K).eigenvalues();
    CHECK(values.minCoeff() >= -1e-14 * values.maxCoeff());
  }
  SECTION("the rotation of a mirrored element is proper") {
    const ReferenceElement element =
        linear_tetrahedron(std::vector<Vector3>{Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()}, {});
    const std::vector<Vector3> reference{Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
    const std::vector<Vector3> mirrored{Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), -0.5 * Vector3::UnitZ()};
    const CorotatedElement now = corotated(element, reference, mirrored);
    CHECK(now.F.determinant() == Approx(-0.5));
    CHECK((now.rotation - Matrix3::Identity()).norm() < 1e-14);  // the least singular value changes its sign
  }
}

TEST_CASE("forces are those of the energy at rest") {
  const bool hexahedra = GENERATE(false, true);
  const auto model = bar_model({2, 1, 1}, kind_of(hexahedra));
  Random random(5);
  auto places = model->mesh().nodes;
  for (Vector3& place : places) place += 1e-6 * random.in_ball();
  const auto forces = model->forces(places);
  // To first order in the displacement −K u, since R is that of rest.
  const Vector u = flattened(places) - flattened(model->mesh().nodes);
  const Vector linear = stiffness_matrix(*model, model->forces(model->mesh().nodes)) * u;
  CHECK(max_norm(forces.force + linear) < 1e-4 * max_norm(linear));
  CHECK(forces.energy == Approx(0.5 * u.dot(linear)).epsilon(1e-4));
  CHECK(model->energy(places).energy == forces.energy);
}

TEST_CASE("linear tetrahedra lock in bending, hexahedra less", "[slow]") {
  CHECK(Clamped({12, 3, 3}, ElementKind::tetrahedron).tip_ratio() == Approx(0.4673).margin(1e-4));
  CHECK(Clamped({24, 6, 6}, ElementKind::tetrahedron).tip_ratio() == Approx(0.7680).margin(1e-4));
  CHECK(Clamped({48, 12, 12}, ElementKind::tetrahedron).tip_ratio() == Approx(0.9232).margin(1e-4));
  CHECK(Clamped({12, 3, 3}, ElementKind::hexahedron).tip_ratio() == Approx(0.7647).margin(1e-4));
  CHECK(Clamped({24, 6, 6}, ElementKind::hexahedron).tip_ratio() == Approx(0.9219).margin(1e-4));
}

TEST_CASE("frequencies of a clamped bar are above those of Euler's beam", "[slow]") {
  const double euler = 0.63854;  // Hz
  const auto ratios = [&](const std::array<int, 3>& cells, ElementKind kind) {
    return Vector2(Clamped(cells, kind).frequencies() / euler);
  };
  const Vector2 coarse = ratios({12, 3, 3}, ElementKind::tetrahedron), fine = ratios({24, 6, 6}, ElementKind::tetrahedron);
  CHECK(coarse[0] == Approx(1.4010).margin(1e-4));
  CHECK(coarse[1] == Approx(1.4996).margin(1e-4));  // the diagonal of the cells parts the two directions
  CHECK(fine[0] == Approx(1.1171).margin(1e-4));
  CHECK(fine[1] == Approx(1.1506).margin(1e-4));
  CHECK(ratios({12, 3, 3}, ElementKind::hexahedron)[0] == Approx(1.1338).margin(1e-4));
  CHECK(ratios({24, 6, 6}, ElementKind::hexahedron)[0] == Approx(1.0346).margin(1e-4));
}

namespace {

struct Spin {
  double least = 1.0, largest = 0.0, last = 1.0;  ///< kinetic energy over that of the start
  double growth = 0.0;                            ///< largest of a step, over the energy of the start
  double momentum = 0.0;  ///< largest change of the size of the angular momentum over its first value
};

/// 1 s of a free bar that turns about z by 2 rad/s.
Spin free_spin_of_bar(Stepping stepping, double young) {
  const double h = 0.05, lead = stepping == Stepping::moreau_midpoint ? 0.5 * h : 0.0;
  ElasticBody body =
      elastic_body(bar_model({12, 3, 3}, ElementKind::tetrahedron, young, 0.01), Vector3::Zero(), Matrix3::Identity());
  for (std::size_t n = 0; n < body.places.size(); ++n) body.velocities[n] = Vector3(0.0, 0.0, 2.0).cross(body.places[n]);
  const auto momentum = [&] {
    Vector3 sum = Vector3::Zero();
    for (std::size_t n = 0; n < body.places.size(); ++n)
      sum += body.model->masses()[static_cast<Index>(n)] * body.places[n].cross(body.velocities[n]);
    return sum;
  };
  const double start = kinetic_energy(body);
  const double turning = momentum().norm();
  Spin spin;
  for (int step = 0; step < 20; ++step) {
    for (std::size_t n = 0; n < body.places.size(); ++n) body.places[n] += lead * body.velocities[n];
    const ElasticStep now = elastic_step(body, stepping, h, Vector3::Zero());
    const auto factor = make_linear_solver("auto", MatrixKind::spd);
    factor->set_refinement_steps(1);  // as MassMatrix
    REQUIRE(factor->analyze(now.H) == LinearStatus::ok);
    REQUIRE(factor->factorize(now.H) == LinearStatus::ok);
    Vector v(now.k.size());
    REQUIRE(factor->solve(now.k, v) == LinearStatus::ok);
    body.velocities = unflattened(v);
    for (std::size_t n = 0; n < body.places.size(); ++n) body.places[n] += (h - lead) * body.velocities[n];
    const double energy = kinetic_energy(body) / start;
    spin.growth = std::max(spin.growth, energy - spin.last);
    spin.last = energy;
    spin.least = std::min(spin.least, energy);
    spin.largest = std::max(spin.largest, energy);
    spin.momentum = std::max(spin.momentum, std::abs(momentum().norm() / turning - 1.0));
  }
  return spin;
}

}  // namespace

TEST_CASE("a free bar spins on") {
  for (const auto& [young, impulse, midpoint] : {std::tuple{1e6, 0.9902, 0.9951}, std::tuple{2e11, 0.9907, 0.9955}}) {
    INFO("E " << young);
    const Spin a = free_spin_of_bar(Stepping::velocity_impulse, young);
    CHECK(a.last == Approx(impulse).margin(1e-4));
    CHECK(a.growth < 2e-6);  // at 1e6 Pa the ringing of the first steps gives 1.3e-6 back, at 2e11 rounding 3e-7
    CHECK(a.momentum < 5e-5);
    const Spin b = free_spin_of_bar(Stepping::moreau_midpoint, young);
    CHECK(b.last == Approx(midpoint).margin(1e-4));
    CHECK(b.least > 0.993);
    CHECK(b.largest < 0.9976);
    CHECK(b.momentum < 5e-5);
  }
}

TEST_CASE("elastic bodies are refused by name") {
  const auto make = [](const ElasticMaterial& material) {
    return ElasticModel(box_mesh(bar_lengths, {2, 1, 1}, ElementKind::tetrahedron), material, "the bar");
  };
  using Catch::Contains;
  CHECK_THROWS_WITH(make({0.0, 0.3, 1e3}), Contains("Young's modulus of the bar"));
  CHECK_THROWS_WITH(make({1e6, 0.5, 1e3}), Contains("Poisson's ratio of the bar is 0.5"));
  CHECK_THROWS_WITH(make({1e6, -0.1, 1e3}), Contains("Poisson's ratio of the bar is -0.1"));
  CHECK_THROWS_WITH(make({1e6, 0.3, -1.0}), Contains("density of the bar"));
  CHECK_THROWS_WITH(make({1e6, 0.3, 1e3, 0.0, -0.01}), Contains("damping of the bar"));
  CHECK_THROWS_WITH(make({1e6, 0.3, 1e3, -1.0, 0.01}), Contains("damping of the bar"));
  CHECK_THROWS_WITH(box_mesh(bar_lengths, {2, 0, 1}, ElementKind::tetrahedron), Contains("0 cells"));
  CHECK_THROWS_WITH(box_mesh({0.8, 0.0, 0.08}, {2, 1, 1}, ElementKind::hexahedron), Contains("length of a mesh"));
}
