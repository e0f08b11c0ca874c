#include "io/fclib_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "io/fclib_matrix.hpp"
#include "io/fclib_problem.hpp"
#include "io/file.hpp"
#include "io/hdf5_group.hpp"
#include "io/siconos_reader.hpp"

namespace ccp {
namespace {

using hdf5::Group;

constexpr int most_guesses = 100;

// The defect, without the name of the file, which every remark would repeat.
std::string defect_text(const InputError& error, const FclibFile& file) {
  const std::string text = error.what(), prefix = file.path.string() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// An expected finite vector; `size` < 0: any size.
Vector read_finite(const Group& group, const std::string& name, Index size, const std::string& reason) {
  if (const Index found = group.size(name); size >= 0 && found != size)
    group.fail(name, fmt::format("has {} entries, expected {} ({})", found, size, reason));
  Vector values = group.reals(name);
  for (Index i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      group.fail(name, fmt::format("entry {} is {}, expected a finite number", i, format_double(values[i])));
  return values;
}

Vector read_friction(const Group& vectors, const std::string& name, const FclibFile& file) {
  Vector friction = read_finite(vectors, name, file.contacts,
                                fmt::format("one per contact, m / spacedim = {} / {}", file.m, file.spacedim));
  for (Index i = 0; i < friction.size(); ++i)
    if (friction[i] < 0.0)
      vectors.fail(name, fmt::format("entry {} is {}, expected a number >= 0", i, format_double(friction[i])));
  return friction;
}

void read_spacedim(const Group& group, FclibFile& file) {
  const bool rolling = is_rolling(file.form);
  file.spacedim = group.integer("spacedim");
  if (file.spacedim < (rolling ? 3 : 2) || file.spacedim > (rolling ? 6 : 3))
    group.fail("spacedim", fmt::format("is {}, expected {}", file.spacedim, rolling ? "3 to 6" : "2 or 3"));
}

// m from the vector of the free velocities, and the contacts and their friction.
FclibFriction read_contacts(const Group& vectors, const std::string& velocity_name, Vector& free_velocity, FclibFile& file) {
  free_velocity = read_finite(vectors, velocity_name, -1, "");
  file.m = free_velocity.size();
  if (file.m % file.spacedim != 0)
    vectors.fail(velocity_name, fmt::format("has {} entries, expected a multiple of spacedim = {}", file.m, file.spacedim));
  file.contacts = file.m / file.spacedim;
  FclibFriction friction;
  friction.sliding = read_friction(vectors, "mu", file);
  if (is_rolling(file.form)) {
    if (file.spacedim != 4) friction.rolling = read_friction(vectors, "mu_r", file);
    if (file.spacedim % 2 == 0) friction.spinning = read_friction(vectors, "ccpbench_mu_s", file);
    if (vectors.has("ccpbench_length")) friction.length = read_friction(vectors, "ccpbench_length", file);
  }
  set_friction_range(friction, file);
  return friction;
}

Vector stacked(const Vector& first, const Vector& second) {
  Vector both(first.size() + second.size());
  both << first, second;
  return both;
}

void append_block(const SparseMatrix& block, Index row, Index column, bool transposed, std::vector<Triplet>& entries) {
  for (Index j = 0; j < block.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(block, j); entry; ++entry) {
      const Index r = row + (transposed ? j : entry.row()), c = column + (transposed ? entry.row() : j);
      entries.emplace_back(static_cast<int>(r), static_cast<int>(c), entry.value());
    }
}

// Whether the writer of the file says that M, or W, is not symmetric.
bool unsymmetric_by_intent(const Group& group) {
  try {
    return group.has("info") && group.group("info").has("ccpbench_mass") &&
           group.group("info").text("ccpbench_mass") == "unsymmetric";
  } catch (const InputError&) {
    return false;  // read_info() has told of damaged texts
  }
}

// W, R and M, whole.
SparseMatrix read_square(const Group& group, const char* name, Index size, const char* reason, FclibFile& file) {
  SparseMatrix matrix = read_fclib_matrix(group, name, size, size, reason, file);
  return unsymmetric_by_intent(group) ? matrix : completed_matrix(std::move(matrix), name, file);
}

void read_local(const Group& group, FclibFile& file) {
  const Group vectors = group.group("vectors");
  Vector q;
  const FclibFriction friction = read_contacts(vectors, "q", q, file);
  const bool equality = group.has("V") || group.has("R");
  if (!equality && vectors.has("s")) file.remarks.emplace_back("vectors/s is left out: there are no V and R");
  const Vector s = equality ? read_finite(vectors, "s", -1, "") : Vector();
  file.p = s.size();

  std::vector<Triplet> entries;
  append_block(read_square(group, "W", file.m, "as vectors/q", file), 0, 0, false, entries);
  if (equality) {
    const SparseMatrix V = read_fclib_matrix(group, "V", file.m, file.p, "as vectors/q by vectors/s", file);
    append_block(V, 0, file.m, false, entries);
    append_block(V, file.m, 0, true, entries);
    append_block(read_square(group, "R", file.p, "as vectors/s", file), file.m, file.m, false, entries);
  }
  build_local(from_triplets(file.m + file.p, file.m + file.p, entries), stacked(q, s), friction, group.path(), file);
}

void read_global(const Group& group, FclibFile& file) {
  const Group vectors = group.group("vectors");
  const Vector f = read_finite(vectors, "f", -1, "");
  file.n = f.size();
  Vector w;
  const FclibFriction friction = read_contacts(vectors, "w", w, file);
  const bool equality = group.has("G");
  if (!equality && vectors.has("b")) file.remarks.emplace_back("vectors/b is left out: there is no G");
  const Vector b = equality ? read_finite(vectors, "b", -1, "") : Vector();
  file.p = b.size();

  SparseMatrix M = read_square(group, "M", file.n, "as vectors/f", file);
  if (!unsymmetric_by_intent(group)) M = symmetric_mass(std::move(M), file);
  std::vector<Triplet> entries;
  append_block(read_fclib_matrix(group, "H", file.n, file.m, "as vectors/f by vectors/w", file), 0, 0, false, entries);
  if (equality)
    append_block(read_fclib_matrix(group, "G", file.n, file.p, "as vectors/f by vectors/b", file), 0, file.m, false,
                 entries);
  build_global(std::move(M), f, from_triplets(file.n, file.m + file.p, entries), stacked(w, b), friction, group.path(),
               file);
}

void read_info(const Group& group, FclibFile& file) {
  if (!group.has("info")) return;
  const auto read = [&file](const Group& info, const char* name, std::string& text) {
    try {
      if (info.has(name)) text = info.text(name);
    } catch (const InputError& error) {
      file.remarks.push_back(fmt::format("text left out: {}", defect_text(error, file)));
    }
  };
  std::string seed;
  try {
    const Group info = group.group("info");
    for (auto [name, text] : {std::pair{"title", &file.info.title},
                              {"description", &file.info.description},
                              {"math_info", &file.info.math_info},
                              {"ccpbench_scene", &file.info.scene},
                              {"ccpbench_parameters", &file.info.parameters},
                              {"ccpbench_seed", &seed},
                              {"ccpbench_certificate", &file.info.certificate}})
      read(info, name, *text);
  } catch (const InputError& error) {
    file.remarks.push_back(fmt::format("texts left out: {}", defect_text(error, file)));
  }
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(seed.data(), seed.data() + seed.size(), value);
  if (failure == std::errc() && end == seed.data() + seed.size() && !seed.empty()) file.info.seed = value;
}

FclibVectors read_vectors(const Group& group, FclibFile& file) {
  FclibVectors vectors;
  const auto read = [&](const char* name, Index size, std::optional<Vector>& target) {
    try {
      if (group.has(name)) target = read_finite(group, name, size, "as in the problem");
    } catch (const InputError& error) {
      file.remarks.push_back(fmt::format("vector left out: {}", defect_text(error, file)));
    }
  };
  read("u", file.m, vectors.u);
  read("r", file.m, vectors.r);
  if (is_global(file.form)) read("v", file.n, vectors.v);
  if (file.p > 0) read("l", file.p, vectors.l);
  return vectors;
}

void read_solution_and_guesses(const Group& root, FclibFile& file) {
  try {
    if (root.has("solution")) file.solution = read_vectors(root.group("solution"), file);
  } catch (const InputError& error) {
    file.remarks.push_back(fmt::format("solution left out: {}", defect_text(error, file)));
  }
  if (file.solution && file.solution->r && file.m > 0 && file.solution->r->isZero(0.0))
    file.remarks.emplace_back("the stored solution has r = 0");
  try {
    if (!root.has("guesses")) return;
    const Group guesses = root.group("guesses");
    const int claimed = guesses.integer("number_of_guesses");
    int number = 1;
    while (number <= std::min(claimed, most_guesses) && guesses.has(std::to_string(number)))
      file.guesses.push_back(read_vectors(guesses.group(std::to_string(number++)), file));
    if (std::ssize(file.guesses) != claimed)
      file.remarks.push_back(fmt::format("/guesses/number_of_guesses is {}, {} were read", claimed, file.guesses.size()));
  } catch (const InputError& error) {
    file.remarks.push_back(fmt::format("guesses left out: {}", defect_text(error, file)));
  }
}

FclibForm choose_form(const Group& root, FclibFile& file) {
  std::vector<FclibForm> found;
  for (const FclibForm form : {FclibForm::global, FclibForm::local, FclibForm::global_rolling, FclibForm::local_rolling})
    if (root.has(std::string(fclib_form_name(form)))) found.push_back(form);
  if (found.empty())
    throw InputError(file.path.string(), "/", "has none of the groups fclib_local, fclib_global and fclib_global_rolling");
  for (std::size_t i = 1; i < found.size(); ++i)
    file.remarks.push_back(
        fmt::format("also holds /{}, which is not read; /{} is", fclib_form_name(found[i]), fclib_form_name(found[0])));
  return found.front();
}

}  // namespace

std::optional<Vector> FclibFile::impulse(const FclibVectors& vectors) const {
  if (!vectors.r) return std::nullopt;
  return stacked(*vectors.r, vectors.l ? *vectors.l : Vector(Vector::Zero(p)));
}

FclibFile read_fclib(const std::filesystem::path& path) {
  check_name(path);
  if (path.extension() == ".dat") return read_siconos(path);
  FclibFile file;
  file.path = path;
  const Group root = Group::open(path);
  file.form = choose_form(root, file);
  const Group group = root.group(std::string(fclib_form_name(file.form)));
  read_info(group, file);
  read_spacedim(group, file);
  if (is_global(file.form))
    read_global(group, file);
  else
    read_local(group, file);
  if (file.form == FclibForm::local_rolling)
    file.remarks.emplace_back("/fclib_local_rolling is a form of ccpbench; other programs of FCLib do not read it");
  read_solution_and_guesses(root, file);
  return file;
}

}  // namespace ccp
