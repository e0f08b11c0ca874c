#include "io/motion_tape.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "core/sha256.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "io/hdf5_group.hpp"
#include "io/hdf5_image.hpp"
#include "io/hdf5_step_end.hpp"

namespace ccp {
namespace {

/// The vectors one after the other; all of one size.
Vector joined(const std::vector<Vector>& vectors) {
  const Index size = vectors.empty() ? 0 : vectors.front().size();
  Vector all(size * std::ssize(vectors));
  for (std::size_t i = 0; i < vectors.size(); ++i) all.segment(static_cast<Index>(i) * size, size) = vectors[i];
  return all;
}

std::vector<Vector> parted(const hdf5::Group& group, const std::string& member, std::size_t count) {
  const Vector all = group.reals(member);
  const Index parts = static_cast<Index>(count);
  if (all.size() % parts != 0) group.fail(member, "has no whole number of entries for each state");
  std::vector<Vector> vectors;
  for (Index i = 0; i < parts; ++i) vectors.emplace_back(all.segment(i * (all.size() / parts), all.size() / parts));
  return vectors;
}

/// Whole numbers that may be larger than an int are kept as doubles.
void add_count(hdf5::Image& image, const std::string& path, std::int64_t value) {
  image.add_reals(path, Vector::Constant(1, static_cast<double>(value)));
}

std::int64_t count_of(const hdf5::Group& group, const std::string& member, double value) {
  if (!(value >= 0.0 && value < 9e15) || value != std::floor(value)) group.fail(member, "is no whole number >= 0");
  return static_cast<std::int64_t>(value);
}

std::int64_t read_count(const hdf5::Group& group, const std::string& member) {
  const Vector values = group.reals(member);
  if (values.size() != 1) group.fail(member, "is not one number");
  return count_of(group, member, values[0]);
}

double read_seconds(const hdf5::Group& group, const std::string& member) {
  const Vector values = group.reals(member);
  if (values.size() != 1 || !std::isfinite(values[0]) || values[0] < 0.0) group.fail(member, "is not one time >= 0");
  return values[0];
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

/// A checksum of what a file says, fed in the order of its members: lists with their lengths.
class Checksum {
 public:
  void add(double value) { sum_.update({reinterpret_cast<const char*>(&value), sizeof value}); }
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    sum_.update(text);
  }
  template <typename Derived>
  void add(const Eigen::MatrixBase<Derived>& vector) {
    add(static_cast<double>(vector.size()));
    for (const double value : vector) add(value);
  }
  template <typename Value>
  void add(const std::vector<Value>& list) {
    add(static_cast<double>(list.size()));
    for (const Value& value : list)
      if constexpr (std::is_arithmetic_v<Value>)
        add(static_cast<double>(value));
      else
        add(value);
  }
  void add(const StepEnd& end) {
    add(static_cast<double>(end.keys.size()));
    for (const ContactKey& key : end.keys)
      for (const int number : {key.body_a, key.body_b, key.kind, key.feature_a, key.feature_b})
        add(static_cast<double>(number));
    add(end.impulses);
    add(end.impulse);
    add(end.carried);
    if (end.multiplier.size() == 0) return;
    add(end.multipliers);
    add(end.multiplier);
  }
  /// The first 16 hex digits of the SHA-256, as results have them.
  std::string digits() { return sum_.hex_digest().substr(0, 16); }

 private:
  Sha256 sum_;
};

std::string checksum_of(const TapePart& part) {
  Checksum sum;
  sum.add(part.key);
  sum.add(static_cast<double>(part.first));
  sum.add(part.states);
  sum.add(part.steps);
  sum.add(part.solved);
  sum.add(part.iterations);
  sum.add(part.fact_names);
  sum.add(part.facts);
  sum.add(part.end);
  for (const double number : {part.used.wall_s, part.used.driver_s}) sum.add(number);
  for (const std::int64_t count : {part.used.driven, part.used.unsolved}) sum.add(static_cast<double>(count));
  return sum.digits();
}

}  // namespace

void write_tape_part(const std::filesystem::path& path, const TapePart& part) {
  hdf5::Image image;
  image.add_text("/key", part.key);
  add_count(image, "/first", part.first);
  image.add_reals("/states", joined(part.states));
  Vector steps(std::ssize(part.steps));
  for (std::size_t i = 0; i < part.steps.size(); ++i) steps[static_cast<Index>(i)] = static_cast<double>(part.steps[i]);
  image.add_reals("/steps", steps);
  image.add_integers("/solved", part.solved);
  image.add_integers("/iterations", part.iterations);
  image.add_text("/fact_names", join(part.fact_names, " "));
  image.add_reals("/facts", joined(part.facts));
  hdf5::add_step_end(image, "/end", part.end);
  image.add_reals("/used/wall_s", Vector::Constant(1, part.used.wall_s));
  image.add_reals("/used/driver_s", Vector::Constant(1, part.used.driver_s));
  add_count(image, "/used/driven", part.used.driven);
  add_count(image, "/used/unsolved", part.used.unsolved);
  image.add_text("/checksum", checksum_of(part));
  write_file_atomically(path, image.bytes());
}

TapePart read_tape_part(const std::filesystem::path& path) {
  const hdf5::Group root = hdf5::Group::open(path);
  TapePart part;
  part.key = root.text("key");
  part.first = read_count(root, "first");
  for (const double step : root.reals("steps")) part.steps.push_back(count_of(root, "steps", step));
  if (part.steps.empty()) root.fail("steps", "is empty");
  part.states = parted(root, "states", part.steps.size());
  part.solved = root.integers("solved");
  part.iterations = root.integers("iterations");
  part.fact_names = words(root.text("fact_names"));
  part.facts = parted(root, "facts", part.steps.size());
  const std::size_t count = part.steps.size();
  if (part.solved.size() != count || part.iterations.size() != count ||
      static_cast<std::size_t>(part.facts.front().size()) != part.fact_names.size())
    root.fail("steps", "'solved', 'iterations' and 'facts' are not of the same states");
  part.end = hdf5::read_step_end(root.group("end"));
  const hdf5::Group used = root.group("used");
  part.used = {read_seconds(used, "wall_s"), read_seconds(used, "driver_s"), read_count(used, "driven"),
               read_count(used, "unsolved")};
  if (root.text("checksum") != checksum_of(part))
    throw InputError(
        path.string(), "",
        "is damaged: its checksum is not that of when it was written; `ccpbench run` of the config makes it again");
  return part;
}

}  // namespace ccp
