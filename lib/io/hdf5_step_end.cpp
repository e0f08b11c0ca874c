#include "io/hdf5_step_end.hpp"

#include <cmath>
#include <vector>

namespace ccp::hdf5 {
namespace {

constexpr std::size_t key_numbers = 5;

Vector stacked(const std::vector<Vector3>& vectors) {
  Vector all(3 * std::ssize(vectors));
  for (std::size_t i = 0; i < vectors.size(); ++i) all.segment<3>(3 * static_cast<Index>(i)) = vectors[i];
  return all;
}

void read_multipliers(const Group& group, StepEnd& end) {
  const Vector multipliers = group.reals("multipliers");
  end.multiplier = group.reals("multiplier");
  if (multipliers.size() != 3 * std::ssize(end.impulses) || end.multiplier.size() != end.impulse.size())
    group.fail("multipliers", "and 'impulses' are not those of the same contacts");
  if (!multipliers.allFinite() || !end.multiplier.allFinite()) group.fail("multiplier", "has entries that are not finite");
  for (std::size_t i = 0; i < end.impulses.size(); ++i)
    end.multipliers.emplace_back(multipliers.segment<3>(3 * static_cast<Index>(i)));
}

}  // namespace

void add_step_end(Image& image, const std::string& path, const StepEnd& end) {
  std::vector<int> keys;
  for (const ContactKey& key : end.keys)
    keys.insert(keys.end(), {key.body_a, key.body_b, key.kind, key.feature_a, key.feature_b});
  image.add_integers(path + "/keys", keys);
  image.add_reals(path + "/impulses", stacked(end.impulses));
  image.add_reals(path + "/impulse", end.impulse);
  image.add_reals(path + "/carried", Vector::Constant(1, end.carried));
  if (end.multiplier.size() == 0) return;
  image.add_reals(path + "/multipliers", stacked(end.multipliers));
  image.add_reals(path + "/multiplier", end.multiplier);
}

StepEnd read_step_end(const Group& group) {
  StepEnd end;
  const std::vector<int> keys = group.integers("keys");
  const Vector impulses = group.reals("impulses"), carried = group.reals("carried");
  const auto vectors = 3 * static_cast<Index>(keys.size() / key_numbers);
  if (keys.size() % key_numbers != 0 || (impulses.size() != vectors && impulses.size() != 2 * vectors))  // with moments
    group.fail("keys", "and 'impulses' are not those of the same contacts");
  for (std::size_t i = 0; i < keys.size(); i += key_numbers) {
    end.keys.push_back({keys[i], keys[i + 1], keys[i + 2], keys[i + 3], keys[i + 4]});
  }
  for (Index i = 0; i < impulses.size(); i += 3) end.impulses.emplace_back(impulses.segment<3>(i));
  end.impulse = group.reals("impulse");
  if (carried.size() != 1) group.fail("carried", "is not one number");
  end.carried = carried[0];
  if (!impulses.allFinite() || !end.impulse.allFinite() || !std::isfinite(end.carried))
    group.fail("impulse", "has entries that are not finite");
  if (group.has("multiplier")) read_multipliers(group, end);
  return end;
}

}  // namespace ccp::hdf5
