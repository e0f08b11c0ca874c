#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "distributed/given_parts.hpp"
#include "distributed/job.hpp"
#include "distributed/part.hpp"
#include "distributed/small_bodies.hpp"
#include "linalg/linear_solver.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/problem_builder.hpp"
#include "problem/scene_in_parts.hpp"
#include "problem/share_sums.hpp"
#include "problems/registry.hpp"
#include "problems/scenes/random_contacts.hpp"
#include "support/uniform.hpp"

namespace ccp {
namespace {

/// A rank whose other ranks are this test: the impulses of all, in the order of the cells, are known.
class KnownShare final : public Share {
 public:
  KnownShare(const RankPart& part, const std::vector<int>& first_rows, const Vector& all)
      : Share(block_chunks(part), root_chunks(part), part.first_row, part.rows, part.contacts),
        rows_before_(part.before.rows()),
        all_(all) {
    for (std::size_t i = 0; i < part.foreign_row.size(); ++i)
      foreign_.push_back(first_rows[uz(part.foreign_rank[i])] + part.foreign_row[i]);
  }
  void gather(std::span<double>) const override { ++traffic_.reductions; }
  double of_first(double value) const override { return value; }
  std::pair<Index, Index> own_velocities() const override { return {0, 0}; }
  std::unique_ptr<LinearSolver> summed_solver(MatrixKind) const override { return nullptr; }
  void extend(ConstVectorRef own, Vector& all) const override {
    all.resize(own.size() + std::ssize(foreign_));
    all.segment(rows_before_, own.size()) = own;
    for (Index i = 0; i < std::ssize(foreign_); ++i) all[i < rows_before_ ? i : i + own.size()] = all_[foreign_[uz(i)]];
  }

 private:
  Index rows_before_;
  std::vector<Index> foreign_;
  const Vector& all_;
};

RankProblem copy_of(const ContactProblem& problem) { return {problem.constraints(), with_small_bodies(problem.global())}; }

ContactProblem packing(int contacts) {
  RandomContacts scene;
  scene.parameters().set("contacts", FieldValue(std::int64_t{contacts}));
  return scene.build(3);
}

/// Some contacts, a joint of two rows, a unilateral row; planar bodies, the first of which all rows touch.
ContactProblem planar() {
  constexpr int bodies = 7;
  std::vector<Triplet> mass, jacobian;
  for (int i = 0; i < 3 * bodies; ++i) mass.emplace_back(i, i, 1.0 + 0.1 * i);
  ProblemBuilder builder("planar");
  int row = 0;
  const auto touch = [&](int body, int rows) {
    for (int r = 0; r < rows; ++r, ++row)
      for (int d = 0; d < 3; ++d) {
        jacobian.emplace_back(d, row, 0.3 * d - 0.2 * r + 0.1);
        jacobian.emplace_back(3 * body + d, row, 0.5 - 0.1 * d * body + 0.2 * r);
      }
  };
  for (int body = 1; body < bodies; ++body) touch(body, 2);
  touch(2, 1);
  touch(3, 1);
  builder.global(from_triplets(3 * bodies, 3 * bodies, mass), Vector::LinSpaced(3 * bodies, -1.0, 1.0),
                 from_triplets(3 * bodies, row, jacobian), Vector::LinSpaced(row, 0.0, 1.0));
  std::vector<Triplet> compliance = {{0, 0, 0.1}, {1, 1, 0.2}};
  builder.compliance(from_triplets(row, row, compliance));
  for (int body = 1; body < bodies; ++body) builder.contact2d(0.3);
  builder.bilateral().unilateral();
  return builder.build();
}

/// Contacts with moments between spheres in a row.
ContactProblem rolling() {
  constexpr int bodies = 9;
  std::vector<Triplet> mass, jacobian;
  for (int i = 0; i < 6 * bodies; ++i) mass.emplace_back(i, i, 1.0 + 0.01 * i);
  ProblemBuilder builder("rolling");
  ConstraintSet set;
  int row = 0;
  for (int body = 0; body + 1 < bodies; ++body) {
    const ConstraintKind kind = body % 2 == 0 ? ConstraintKind::rolling_torsion : ConstraintKind::contact;
    set.add(kind, 0.3, {0.01 * body, 0.02, 0.5});
    for (int r = 0; r < constraint_rows(kind); ++r, ++row)
      for (int d = 0; d < 6; ++d) {
        jacobian.emplace_back(6 * body + d, row, 0.1 * d - 0.2 * r + 0.1);
        jacobian.emplace_back(6 * body + 6 + d, row, 0.5 - 0.1 * d * r);
      }
  }
  return builder
      .global(from_triplets(6 * bodies, 6 * bodies, mass), Vector::LinSpaced(6 * bodies, -1.0, 1.0),
              from_triplets(6 * bodies, row, jacobian), Vector::LinSpaced(row, 0.0, 1.0))
      .constraints(set)
      .build();
}

/// Bodies of 4, 3, 14 and 3 velocities in turn, each bound to the next one.
ContactProblem large_bodies() {
  testing::Uniform random(2);
  std::vector<Triplet> mass, jacobian;
  std::vector<int> start{0};
  ProblemBuilder builder("large");
  for (int body = 0; body < 12; ++body) {
    const int size = body % 4 == 0 ? 4 : body % 4 == 2 ? 14 : 3;
    const DenseMatrix root = random.matrix(size, size);
    const DenseMatrix H = root * root.transpose() + DenseMatrix::Identity(size, size);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) mass.emplace_back(start.back() + i, start.back() + j, H(i, j));
    start.push_back(start.back() + size);
  }
  const auto n = start.back(), rows = 3 * static_cast<int>(start.size() - 2);
  for (int row = 0; row < rows; ++row)
    for (int d = start[uz(row / 3)]; d < start[uz(row / 3 + 2)]; ++d) jacobian.emplace_back(d, row, random());
  builder.global(from_triplets(n, n, mass), random.vector(n), from_triplets(n, rows, jacobian), random.vector(rows));
  for (int i = 0; i < rows / 3; ++i) builder.contact(0.3);
  return builder.build();
}

std::vector<int> by_number(const BodyGraph& graph) { return cut_by_number(std::ssize(graph.weight)); }

/// Parts of a problem, filled.
class FilledParts {
 public:
  FilledParts(const PartSource& source, int ranks)
      : source_(source), outline_(source.outline()), parts_(outline_, ranks, by_number) {}
  const RankParts* operator->() const { return &parts_; }
  RankPart part(int rank) const {
    RankPart part = parts_.part(rank);
    fill(part, source_);
    return part;
  }

 private:
  const PartSource& source_;
  ProblemOutline outline_;
  RankParts parts_;
};

/// u of all rows, in the order of the problem, from the ranks one after the other.
struct Found {
  Vector velocity, product;
};
Found from_ranks(const ContactProblem& problem, int ranks, const Vector& impulse, bool keeps_matrices = false) {
  const RankProblem whole = copy_of(problem);
  const GivenParts given(whole);
  const FilledParts parts(given, ranks);
  const std::vector<int> rows = parts->rows(), first = parts->first_rows();
  Vector all(impulse.size());
  for (std::size_t row = 0; row < rows.size(); ++row) all[static_cast<Index>(row)] = impulse[rows[row]];
  Found found{Vector::Zero(impulse.size()), Vector::Zero(impulse.size())};
  for (int rank = 0; rank < ranks; ++rank) {
    RankPart part = parts.part(rank);
    const auto share = std::make_shared<KnownShare>(part, first, all);
    const ContactProblem own = shared_problem(std::move(part), share, keeps_matrices);
    const Vector mine = all.segment(first[uz(rank)], own.rows());
    Vector scratch, u, Nx(own.rows());
    own.local_velocity(mine, scratch, u);
    own.shared().multiply(mine, Nx);
    for (Index row = 0; row < own.rows(); ++row) {
      const int place = rows[uz(first[uz(rank)] + row)];
      found.velocity[place] = u[row];
      found.product[place] = Nx[row];
    }
  }
  return found;
}

}  // namespace

TEST_CASE("every block and body belongs to one rank, and cells begin with an even row") {
  const ContactProblem problem = packing(700);
  const RankProblem whole = copy_of(problem);
  const GivenParts given(whole);
  for (const int ranks : {1, 3, 64}) {
    const FilledParts parts(given, ranks);
    std::vector<int> rows = parts->rows();
    std::sort(rows.begin(), rows.end());
    std::vector<int> expected(uz(problem.rows()));
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(rows == expected);
    Index blocks = 0, bodies = 0, next_cell = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const RankPart part = parts.part(rank);
      CHECK(part.first_cell == next_cell);
      next_cell += std::ssize(part.blocks_of_cell);
      blocks += part.own.count();
      bodies += part.bodies;
      CHECK(std::accumulate(part.blocks_of_cell.begin(), part.blocks_of_cell.end(), Index{0}) == part.own.count());
      if (part.own.count() > 0) CHECK(part.first_row % 2 == 0);
    }
    CHECK(next_cell == cell_count);
    CHECK(blocks == problem.constraints().count());
    CHECK(bodies == problem.dofs() / 6);
    CHECK((parts->cut_contacts() == 0) == (ranks == 1));
  }
}

TEST_CASE("parts that scenes make have the bits of those cut from the whole problem") {
  struct Case {
    const char* scene;
    std::vector<std::pair<const char*, const char*>> settings;
  };
  const std::vector<Case> cases = {
      {"random_contacts", {{"contacts", "600"}}},
      {"random_contacts", {{"contacts", "500"}, {"redundancy", "0.4"}, {"patch", "0.02"}, {"mass_ratio", "1e4"}}},
      {"random_contacts", {{"contacts", "9"}}},
      {"sphere_press", {{"spheres", "90"}, {"per_side", "5"}, {"jitter", "0.003"}}},
      {"sphere_press", {{"spheres", "60"}, {"per_side", "4"}, {"rolling_friction", "0.01"}, {"spinning_friction", "0.02"}}},
      {"sphere_press", {{"spheres", "70"}, {"per_side", "4"}, {"packing", "random"}, {"slab_mass", "0"}}},
      {"drum", {{"particles", "120"}, {"shape", "sphere"}, {"filling", "packed"}}},
      {"drum", {{"particles", "90"}, {"filling", "packed"}, {"mass_unit", "0.001"}, {"friction", "0"}}},
      {"drum", {{"particles", "40"}, {"filling", "packed"}, {"rolling_friction", "0.01"}}}};
  for (const Case& one : cases) {
    INFO(one.scene << ", " << one.settings.front().second);
    const auto scene = make_scene(one.scene);
    for (const auto& [name, value] : one.settings) scene->parameters().set_from_text(name, value);
    const ContactProblem problem = scene->build(5);
    const RankProblem whole = copy_of(problem);
    const GivenParts given(whole);
    const auto made = parts_of(*origin_of(*scene, 5), scene_registry());
    for (const int ranks : {1, 2, 3}) {
      const FilledParts cut(given, ranks), own(*made, ranks);
      CHECK(own->rows() == cut->rows());
      CHECK(own->cut_contacts() == cut->cut_contacts());
      Index rows = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<char> expected, found;
        Packer of_cut(expected), of_own(found);
        const RankPart part = own.part(rank);
        put(of_cut, cut.part(rank));
        put(of_own, part);
        CHECK(found == expected);
        rows += part.own.rows();
      }
      CHECK(rows == problem.rows());
    }
  }
  CHECK(!origin_of(*make_scene("odd_mass_stack"), 0));
  CHECK(!origin_of(*make_scene("drum"), 0));  // dropped particles touch nothing
}

TEST_CASE("products and velocities have the same bits on every number of ranks") {
  for (const ContactProblem& problem : {packing(700), planar(), rolling(), large_bodies()}) {
    Vector impulse(problem.rows());
    for (Index row = 0; row < impulse.size(); ++row) impulse[row] = 0.1 + static_cast<double>(row % 17) / 7.0;
    Vector scratch, u, Nx(problem.rows());
    problem.local_velocity(impulse, scratch, u);
    delassus_operator(problem, OperatorUse::products).multiply(impulse, Nx);
    const Found one = from_ranks(problem, 1, impulse);
    CHECK((one.velocity - u).cwiseAbs().maxCoeff() <= 1e-12 * u.cwiseAbs().maxCoeff());
    CHECK((one.product - Nx).cwiseAbs().maxCoeff() <= 1e-12 * Nx.cwiseAbs().maxCoeff());
    for (const int ranks : {2, 3, 11}) {
      const Found some = from_ranks(problem, ranks, impulse);
      CHECK(some.velocity == one.velocity);
      CHECK(some.product == one.product);
    }
  }
}

TEST_CASE("a rank keeps L⁻¹D in place of D, unless its method needs both") {
  for (const ContactProblem& problem : {packing(700), planar(), rolling()}) {
    const Vector impulse = Vector::LinSpaced(problem.rows(), 0.1, 1.0);
    const Found without = from_ranks(problem, 2, impulse), with = from_ranks(problem, 2, impulse, true);
    CHECK(without.product == with.product);
    CHECK(without.velocity == with.velocity);
  }
  const ContactProblem problem = packing(700);
  const RankProblem whole = copy_of(problem);
  const GivenParts given(whole);
  const FilledParts parts(given, 2);
  const Vector all = Vector::Ones(problem.rows());
  const std::vector<int> first = parts->first_rows();
  for (const bool keeps : {false, true}) {
    RankPart part = parts.part(0);
    const SparseMatrix D = part.D_own, H = part.H;
    const Vector k = part.k;
    const auto share = std::make_shared<KnownShare>(part, first, all);
    const ContactProblem own = shared_problem(std::move(part), share, keeps);
    CHECK(part.D_before.size() + part.D_own.size() + part.D_after.size() == 0);
    CHECK(own.dofs() == H.rows());
    CHECK(own.has_factored());
    CHECK(own.free_velocity().size() == own.rows());
    const GlobalForm& form = own.global();
    if (keeps) {
      CHECK((form.D - D).norm() == 0.0);
      CHECK((form.H - H).norm() == 0.0);
      CHECK(form.k == k);
    } else {
      CHECK(form.D.data().allocatedSize() + form.H.data().allocatedSize() == 0);
      CHECK(form.k.size() == 0);
    }
    // 36 numbers and 13 of other arrays a contact, and 6 of each of the vectors of bodies
    CHECK(own.shared().bytes() < sizeof(double) * (uz((36 + 13) * 700 / 2 * 1.3) + 4 * uz(H.rows())));
  }
}

TEST_CASE("which methods on ranks need the matrices") {
  for (const char* name : {"jacobi", "apgd", "spg", "p_spg_fb", "projected_cg", "pqn", "gauss_seidel", "nsgs", "admm"}) {
    const auto solver = make_rank_solver(name);
    CHECK(rank_method_needs_matrices(name, solver->settings().values()) == (std::string(name) == "admm"));
  }
  const auto sweeps = make_rank_solver("nsgs");
  sweeps->settings().set_from_text("rank_coupling", "split");
  CHECK(rank_method_needs_matrices("nsgs", sweeps->settings().values()));
}

TEST_CASE("sums over cells keep NaN and infinity, and a problem without blocks has none") {
  const ContactProblem problem = packing(100);
  const RankProblem whole = copy_of(problem);
  const GivenParts given(whole);
  const RankPart part = FilledParts(given, 1).part(0);
  const Vector none;
  const KnownShare share(part, {0, 0}, none);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto one_is = [](double value) { return [value](Index i) { return i == 37 ? value : 1.0; }; };
  CHECK(sum_of_blocks(&share, part.own, one_is(1.0)) == 100.0);
  CHECK(std::isnan(sum_of_blocks(&share, part.own, one_is(nan))));
  CHECK(sum_of_blocks(&share, part.own, one_is(infinity)) == infinity);
  CHECK(std::isnan(largest_of_blocks(&share, part.own, one_is(nan))));
  CHECK(largest_of_blocks(&share, part.own, one_is(infinity)) == infinity);
  CHECK(share.traffic().reductions == 5);

  const RankProblem empty = copy_of(ProblemBuilder("empty").global({0, 0}, Vector(), {0, 0}, Vector()).build());
  const GivenParts nothing(empty);
  const FilledParts parts(nothing, 2);
  CHECK(parts->rows().empty());
  CHECK(parts.part(1).own.count() == 0);
  CHECK(parts->imbalance() == 1.0);
}

TEST_CASE("values pass through a stream") {
  std::vector<char> bytes;
  Packer packer(bytes);
  const std::vector<FieldValue> values = {true,
                                          std::int64_t{7},
                                          0.5,
                                          std::string("factored"),
                                          std::vector<std::int64_t>{1, 2},
                                          std::vector<std::string>{"a", "bc"}};
  for (const FieldValue& value : values) packer.put(value);
  const ContactProblem problem = packing(20);
  put(packer, problem.constraints(), problem.global());
  Unpacker unpacker(bytes);
  for (const FieldValue& value : values) CHECK(unpacker.take<FieldValue>() == value);
  RankProblem read;
  take(unpacker, read);
  CHECK(read.constraints == problem.constraints());
  CHECK(read.form.b == problem.global().b);
  bytes.clear();
  packer.put(rolling().constraints());
  CHECK(Unpacker(bytes).take<ConstraintSet>() == rolling().constraints());
  CHECK((read.form.D - problem.global().D).norm() == 0.0);
}

TEST_CASE("groups of one colour share no body, and a body counts its groups") {
  // Bodies 0 to 5 with blocks of the cells …; a body without blocks.
  const std::vector<Index> start{0, 2, 4, 7, 7, 9, 10};
  const std::vector<int> cell_at{0, 1, 1, 2, 0, 0, 2, 3, 4, 5};
  std::vector<int> each(uz(cell_count));
  std::iota(each.begin(), each.end(), 0);
  const GroupColours cells = colour_groups(each, start, cell_at);
  CHECK(cells.copies == std::vector<int>{2, 2, 2, 1, 2, 1});
  CHECK(cells.colours == 3);
  CHECK(std::vector<int>(cells.colour.begin(), cells.colour.begin() + 6) == std::vector<int>{0, 1, 2, 0, 1, 0});
  std::vector<int> halves(uz(cell_count), 1);
  for (const int cell : {0, 1, 2}) halves[uz(cell)] = 0;
  const GroupColours ranks = colour_groups(halves, start, cell_at);
  CHECK(ranks.colours == 1);  // no body has blocks of both
  CHECK(ranks.copies == std::vector<int>(6, 1));
}

TEST_CASE("each rank has its groups, with the colours of all blocks that it knows") {
  const ContactProblem problem = packing(600);
  const RankProblem whole = copy_of(problem);
  const GivenParts given(whole);
  const FilledParts parts(given, 3);
  std::vector<std::vector<int>> colours;
  for (int rank = 0; rank < 3; ++rank) {
    const RankPart part = parts.part(rank);
    CHECK(part.ranks.colour.size() == 1);
    CHECK(part.ranks.start == std::vector<Index>{0, part.own.count()});
    CHECK(part.cells.start.back() == part.own.count());
    CHECK(part.cells.colours >= part.ranks.colours);
    for (const SweepGroups* groups : {&part.cells, &part.ranks}) {
      CHECK(std::ssize(groups->block_colour) == part.before.count() + part.own.count() + part.after.count());
      for (std::size_t g = 0; g < groups->colour.size(); ++g)
        for (Index i = groups->start[g]; i < groups->start[g + 1]; ++i)
          CHECK(groups->block_colour[uz(part.before.count() + i)] == groups->colour[g]);
    }
    colours.push_back(part.ranks.colour);
  }
  CHECK(colours[0] != colours[1]);
}

}  // namespace ccp
