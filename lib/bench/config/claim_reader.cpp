#include "bench/config/claim_reader.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "bench/record/metrics.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

struct Label {
  std::string full, base;
};

void remember(std::vector<Label>& labels, const std::string& full, const std::string& base) {
  const auto same = [&](const Label& label) { return label.full == full; };
  if (!full.empty() && std::none_of(labels.begin(), labels.end(), same)) labels.push_back({full, base});
}

bool is_decade(double value) {
  const double exponent = std::log10(value);
  return std::abs(exponent - std::round(exponent)) < 1e-9;
}

class ClaimReader {
 public:
  ClaimReader(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known, const ConfigKeys& keys,
              const JsonSource& source)
      : variants_(variants),
        known_(known),
        shape_(keys.shape("claim")),
        reference_shape_(keys.shape("claim_reference")),
        source_(source),
        sweep_varies_(!known.sweep) {
    for (const ConfigVariant& variant : variants) {
      for (const auto& spec : variant.solvers) remember(solvers_, spec->label, spec->base_label);
      for (const auto& spec : variant.problems) {
        remember(problems_, spec->label, spec->base_label);
        files_ = files_ || !spec->fclib.empty();
        if (spec->sequence) facts_.insert(spec->sequence->facts.begin(), spec->sequence->facts.end());
      }
    }
    if (!document.contains("sizes")) return;
    for (const auto& size : document["sizes"])
      for (const auto& change : size.items()) sweep_varies_ |= change.key().rfind("/sweep", 0) == 0;
  }

  Claim read(const Json& entry, const std::string& pointer) const {
    Claim claim;
    claim.id = entry["id"].get<std::string>();
    claim.says = entry["says"].get<std::string>();
    claim.where = shape_.value<std::string>(entry, "where");
    claim.see = shape_.value<std::string>(entry, "see");
    claim.must = shape_.value<bool>(entry, "must");
    claim.size = shape_.value<std::string>(entry, "size");
    claim.of = entry["of"].get<std::string>();
    claim.problem = shape_.value<std::string>(entry, "problem");
    if (entry.contains("model")) claim.model = model_from_name(entry["model"].get<std::string>());
    Checks check(source_.mistakes);
    const bool measured = check([&] {
      claim.metric = read_metric(entry, pointer);
      claim.at = read_decade(entry, claim.metric, 0.0, pointer);
    });
    check([&] { check_solver(claim.of, pointer); });
    if (measured) check([&] { check_native_stop(claim.metric, claim.of, pointer); });
    check([&] { check_problem(claim.problem, pointer); });
    check([&] { read_over(entry, pointer, claim); });
    if (entry.contains("cells")) check([&] { claim.cells = read_cells(entry["cells"], child_pointer(pointer, "cells")); });
    if (measured) check([&] { read_bound(entry, pointer, claim); });
    check.finish();
    return claim;
  }

 private:
  std::string read_metric(const Json& entry, const std::string& pointer) const {
    auto name = entry["metric"].get<std::string>();
    const auto& known = claim_metrics();
    if (!known_.facts || facts_.count(name) > 0 || std::find(known.begin(), known.end(), name) != known.end()) return name;
    std::vector<std::string> names = known;
    names.insert(names.end(), facts_.begin(), facts_.end());
    source_.fail(child_pointer(pointer, "metric"),
                 fmt::format("unknown metric '{}'{}", json_text(entry["metric"]), suggestion(name, names)));
  }

  /// `inherited`: the decade of the claim, for the object of a bound.
  double read_decade(const Json& entry, const std::string& metric, double inherited, const std::string& pointer) const {
    if (const Metric* known = find_metric(metric); known == nullptr || !known->takes_decade()) {
      if (entry.contains("at")) source_.fail(pointer, fmt::format("the metric '{}' takes no 'at'", metric));
      return 0.0;
    }
    if (!entry.contains("at")) {
      if (inherited > 0.0) return inherited;
      source_.fail(pointer, fmt::format("the key 'at' is missing: the metric '{}' needs a power of ten", metric));
    }
    const double at = entry["at"].get<double>();
    if (!is_decade(at))
      source_.fail(child_pointer(pointer, "at"),
                   fmt::format("'at' is {}, expected a power of ten from 1e-2 to 1e-12", json_text(entry["at"])));
    return at;
  }

  void check_label(const std::vector<Label>& labels, const std::string& pattern, const std::string& kind,
                   const std::string& place) const {
    std::vector<std::string> names;
    for (const Label& label : labels) {
      if (label_matches(pattern, label.full, label.base)) return;
      if (sweep_varies_ && pattern.rfind(label.base + " (", 0) == 0) return;
      for (const std::string& name : {label.base, label.full})
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    source_.fail(place, fmt::format("no {} is labelled '{}'{}", kind, pattern, suggestion(pattern, names)));
  }

  void check_solver(const std::string& pattern, const std::string& pointer) const {
    if (known_.solvers) check_label(solvers_, pattern, "solver", child_pointer(pointer, "of"));
  }

  /// Refuses a metric of steps that met the method's own criterion where a method does not stop there.
  void check_native_stop(const std::string& metric, const std::string& pattern, const std::string& pointer) const {
    if (const Metric* known = find_metric(metric); known == nullptr || !known->at_native_stop || !known_.solvers) return;
    for (const ConfigVariant& variant : variants_)
      for (const auto& spec : variant.solvers)
        if (label_matches(pattern, spec->label, spec->base_label) && !variant.stops_natively(*spec))
          source_.fail(child_pointer(pointer, "metric"),
                       fmt::format("'{}' is of methods that stop on their own criterion, and '{}' does not: expected "
                                   "\"native_stop\": true there, or \"native\": true in 'stop'",
                                   metric, spec->label));
  }

  void check_problem(const std::string& pattern, const std::string& pointer) const {
    if (known_.problems && !pattern.empty() && !files_)
      check_label(problems_, pattern, "problem", child_pointer(pointer, "problem"));
  }

  void read_over(const Json& entry, const std::string& pointer, Claim& claim) const {
    const auto over = shape_.value<std::string>(entry, "over");
    claim.over = static_cast<ClaimOver>(std::find(claim_overs.begin(), claim_overs.end(), over) - claim_overs.begin());
    claim.against = shape_.value<std::string>(entry, "against");
    if (fits_line(claim.over) != entry.contains("against"))
      source_.fail(pointer, fits_line(claim.over)
                                ? "the key 'against' is missing: expected contacts, rows or a swept JSON pointer"
                                : "'against' belongs to \"over\": \"slope\", \"affine_slope\" or \"r_squared\"");
    if (claim.against.empty() || claim.against == "contacts" || claim.against == "rows") return;
    check_swept(claim.against, {"contacts", "rows"}, child_pointer(pointer, "against"));
  }

  void check_swept(const std::string& pointer, std::vector<std::string> others, const std::string& place) const {
    if (!known_.sweep || variants_.empty()) return;
    for (const SweptValue& value : variants_.front().swept) others.push_back(value.pointer);
    if (std::find(others.begin(), others.end(), pointer) != others.end()) return;
    if (others.empty()) source_.fail(place, fmt::format("'{}' is not swept: the config has no sweep", pointer));
    source_.fail(place, fmt::format("'{}' is not swept{}", pointer, suggestion(pointer, others)));
  }

  std::vector<SweptValue> read_cells(const Json& entry, const std::string& pointer) const {
    std::vector<SweptValue> cells;
    for (const auto& [swept, values] : entry.items()) {
      const std::string place = child_pointer(pointer, swept);
      check_swept(swept, {}, place);
      const Json list = values.is_array() ? values : Json::array({values});
      if (list.empty()) source_.fail(place, "is an empty list, expected at least one value");
      for (const Json& value : list) {
        SweptValue wanted{swept, distinct_text(value)};
        if (!sweep_varies_ && !occurs(wanted))
          source_.fail(place, fmt::format("the sweep does not give {} the value {}", swept, wanted.text));
        cells.push_back(std::move(wanted));
      }
    }
    return cells;
  }

  bool occurs(const SweptValue& wanted) const {
    return std::any_of(variants_.begin(), variants_.end(), [&](const ConfigVariant& variant) {
      return std::any_of(variant.swept.begin(), variant.swept.end(), [&](const SweptValue& value) {
        return value.pointer == wanted.pointer && same_swept_value(value.text, wanted.text);
      });
    });
  }

  void read_bound(const Json& entry, const std::string& pointer, Claim& claim) const {
    std::optional<std::size_t> given;
    for (std::size_t i = 0; i < claim_relations.size(); ++i) {
      if (!entry.contains(claim_relations[i])) continue;
      const std::string place = child_pointer(pointer, claim_relations[i]);
      if (given) source_.fail(place, fmt::format("has '{}' already, expected one bound", claim_relations[*given]));
      given = i;
      claim.relation = static_cast<Relation>(i);
      const Json& bound = entry[claim_relations[i]];
      if (bound.is_object())
        claim.reference = read_reference(bound, claim, place);
      else
        claim.bound = bound.get<double>();
    }
    if (!given) source_.fail(pointer, fmt::format("the bound is missing: expected one of {}", join(claim_relations, ", ")));
    if (claim.over == ClaimOver::mean_ratio && !claim.reference)
      source_.fail(child_pointer(pointer, claim_relations[*given]),
                   "is a number, expected the solver of a \"mean_ratio\": { \"of\": LABEL, \"times\": RATIO }");
  }

  ClaimReference read_reference(const Json& entry, const Claim& claim, const std::string& pointer) const {
    ClaimReference reference;
    reference.of = entry.value("of", claim.of);
    reference.metric = entry.contains("metric") ? read_metric(entry, pointer) : claim.metric;
    reference.at = read_decade(entry, reference.metric, claim.at, pointer);
    reference.problem = reference_shape_.value<std::string>(entry, "problem");
    reference.times = reference_shape_.value<double>(entry, "times");
    check_solver(reference.of, pointer);
    check_native_stop(reference.metric, reference.of, pointer);
    check_problem(reference.problem, pointer);
    if (entry.contains("cells")) reference.cells = read_cells(entry["cells"], child_pointer(pointer, "cells"));
    const bool same_cells = reference.of == claim.of && reference.problem.empty() && reference.cells.empty();
    if (same_cells && reference.metric == claim.metric && reference.at == claim.at)
      source_.fail(pointer, "compares results with themselves, expected another 'of', 'metric', 'at', 'problem' or 'cells'");
    return reference;
  }

  const std::vector<ConfigVariant>& variants_;
  const Known& known_;
  const Shape &shape_, &reference_shape_;
  const JsonSource& source_;
  std::vector<Label> solvers_, problems_;
  std::set<std::string> facts_;  ///< of the scenes in time
  bool files_ = false;           ///< FCLib problems are only known by name once the folder is
  bool sweep_varies_;            ///< with the size, or its mistakes leave values out
};

/// What else is wrong with a claim that has unknown keys. What it lacks may stand under one of these, so it is not listed.
std::vector<InputError> mistakes_beside_keys(const Json& entry, const std::string& pointer, const Json& document,
                                             const std::vector<ConfigVariant>& variants, const Known& known,
                                             const ConfigKeys& keys, const JsonSource& source) {
  Json rest = entry;
  const std::vector<Key>& known_keys = keys.shape("claim").keys;
  for (const auto& item : entry.items())
    if (std::none_of(known_keys.begin(), known_keys.end(), [&](const Key& key) { return key.name == item.key(); }))
      rest.erase(item.key());
  std::vector<InputError> beside;
  if (!keys.is_sound(rest, "claim")) return beside;
  Mistakes mistakes;
  JsonSource own = source;
  own.mistakes = &mistakes;
  try {
    ClaimReader(document, variants, known, keys, own).read(rest, pointer);
    return beside;
  } catch (const InputError&) {
    // in the list
  }
  try {
    mistakes.raise();
  } catch (const InputError& error) {
    for (const InputError& mistake : mistakes_of_error(error))
      if (mistake.place() != pointer) beside.push_back(mistake);
  }
  return beside;
}

}  // namespace

std::vector<Claim> read_claims(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                               const ConfigKeys& keys, const JsonSource& source) {
  std::vector<Claim> claims;
  if (!document.contains("claims") || !document["claims"].is_array()) return claims;
  const ClaimReader reader(document, variants, known, keys, source);
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < document["claims"].size(); ++i) {
    const Json& entry = document["claims"][i];
    const std::string pointer = child_pointer("/claims", i);
    if (!keys.is_sound(entry, "claim")) {
      if (entry.is_object())
        for (const InputError& mistake : mistakes_beside_keys(entry, pointer, document, variants, known, keys, source))
          check([&] { throw InputError(mistake); });
      continue;
    }
    check([&] {
      Claim claim = reader.read(entry, pointer);
      for (const Claim& other : claims)
        if (other.id == claim.id)
          source.fail(child_pointer(pointer, "id"), fmt::format("the id '{}' is taken already", claim.id));
      claims.push_back(std::move(claim));
    });
  }
  check.finish();
  return claims;
}

bool label_matches(const std::string& pattern, const std::string& label, const std::string& base_label) {
  return pattern == label || pattern == base_label || fnmatch(pattern.c_str(), label.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), base_label.c_str(), 0) == 0;
}

bool same_swept_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const Json x = try_parse_json(a), y = try_parse_json(b);
  return x.is_number() && y.is_number() && x.get<double>() == y.get<double>();
}

}  // namespace ccp
