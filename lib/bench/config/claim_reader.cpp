#include "bench/config/claim_reader.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "bench/config/config_tables.hpp"
#include "bench/config/field_reader.hpp"
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
  ClaimReader(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known)
      : variants_(variants), known_(known), facts_(facts_of(variants)), sweep_varies_(!known.sweep) {
    for (const ConfigVariant& variant : variants) {
      for (const auto& spec : variant.solvers) remember(solvers_, spec->label, spec->base_label);
      for (const auto& spec : variant.problems) {
        remember(problems_, spec->label, spec->base_label);
        files_ = files_ || !spec->fclib.empty();
      }
    }
    if (!document.contains("sizes")) return;
    for (const auto& size : document["sizes"])
      for (const auto& change : size.items()) sweep_varies_ |= change.key().rfind("/sweep", 0) == 0;
  }

  /// Finishes a claim whose fields were read from `entry`.
  void finish(Claim& claim, const Json& entry, const std::string& pointer, const JsonSource& source) const {
    Checks check(source.mistakes);
    const bool measured = check([&] {
      check_metric(claim.metric, facts_, known_, child_pointer(pointer, "metric"), source);
      check_decade(claim.metric, claim.at, pointer, source);
    });
    check([&] { check_solver(claim.of, pointer, source); });
    if (measured) check([&] { check_native_stop(claim.metric, claim.of, pointer, source); });
    check([&] { check_problem(claim.problem, pointer, source); });
    check([&] { check_over(claim, pointer, source); });
    check([&] { claim.cells = read_cells(entry, pointer, source); });
    if (measured) check([&] { check_bound(claim, entry, pointer, source); });
    check.finish();
  }

 private:
  void check_label(const std::vector<Label>& labels, const std::string& pattern, const std::string& kind,
                   const std::string& place, const JsonSource& source) const {
    std::vector<std::string> names;
    for (const Label& label : labels) {
      if (label_matches(pattern, label.full, label.base)) return;
      if (sweep_varies_ && pattern.rfind(label.base + " (", 0) == 0) return;
      for (const std::string& name : {label.base, label.full})
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    source.fail(place, fmt::format("no {} is labelled '{}'{}", kind, pattern, suggestion(pattern, names)));
  }

  void check_solver(const std::string& pattern, const std::string& pointer, const JsonSource& source) const {
    if (known_.solvers) check_label(solvers_, pattern, "solver", child_pointer(pointer, "of"), source);
  }

  /// Refuses a metric of steps that met the method's own criterion where a method does not stop there.
  void check_native_stop(const std::string& metric, const std::string& pattern, const std::string& pointer,
                         const JsonSource& source) const {
    if (const Metric* known = find_metric(metric); known == nullptr || !known->at_native_stop || !known_.solvers) return;
    for (const ConfigVariant& variant : variants_)
      for (const auto& spec : variant.solvers)
        if (label_matches(pattern, spec->label, spec->base_label) && !variant.stops_natively(*spec))
          source.fail(child_pointer(pointer, "metric"),
                      fmt::format("'{}' is of methods that stop on their own criterion, and '{}' does not: expected "
                                  "\"native_stop\": true there, or \"native\": true in 'stop'",
                                  metric, spec->label));
  }

  void check_problem(const std::string& pattern, const std::string& pointer, const JsonSource& source) const {
    if (known_.problems && !pattern.empty() && !files_)
      check_label(problems_, pattern, "problem", child_pointer(pointer, "problem"), source);
  }

  void check_over(const Claim& claim, const std::string& pointer, const JsonSource& source) const {
    if (fits_line(claim.over) == claim.against.empty())
      source.fail(pointer, fits_line(claim.over)
                               ? "the key 'against' is missing: expected contacts, rows, dofs or a swept JSON pointer"
                               : "'against' belongs to \"over\": \"slope\", \"affine_slope\" or \"r_squared\"");
    if (claim.against.empty() || is_size(claim.against)) return;
    check_swept(claim.against, {"contacts", "rows", "dofs"}, child_pointer(pointer, "against"), source);
  }

  void check_swept(const std::string& pointer, std::vector<std::string> others, const std::string& place,
                   const JsonSource& source) const {
    if (!known_.sweep || variants_.empty()) return;
    for (const SweptValue& value : variants_.front().swept) others.push_back(value.pointer);
    if (std::find(others.begin(), others.end(), pointer) != others.end()) return;
    if (others.empty()) source.fail(place, fmt::format("'{}' is not swept: the config has no sweep", pointer));
    source.fail(place, fmt::format("'{}' is not swept{}", pointer, suggestion(pointer, others)));
  }

  /// Of a claim or its bound, `entry`.
  std::vector<SweptValue> read_cells(const Json& entry, const std::string& pointer, const JsonSource& source) const {
    std::vector<SweptValue> cells;
    const Json asked = entry.value("cells", Json::object());  // alive as long as the loop
    for (const auto& [swept, values] : asked.items()) {
      const std::string place = child_pointer(child_pointer(pointer, "cells"), swept);
      check_swept(swept, {}, place, source);
      const Json list = values.is_array() ? values : Json::array({values});
      if (list.empty()) source.fail(place, "is an empty list, expected at least one value");
      for (const Json& value : list) {
        SweptValue wanted{swept, distinct_text(value)};
        if (!sweep_varies_ && !occurs(wanted))
          source.fail(place, fmt::format("the sweep does not give {} the value {}", swept, wanted.text));
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

  void check_bound(Claim& claim, const Json& entry, const std::string& pointer, const JsonSource& source) const {
    std::string given;
    for (const std::string& relation : claim_relations) {
      if (!entry.contains(relation)) continue;
      if (!given.empty())
        source.fail(child_pointer(pointer, relation), fmt::format("has '{}' already, expected one bound", given));
      given = relation;
    }
    if (given.empty())
      source.fail(pointer, fmt::format("the bound is missing: expected one of {}", join(claim_relations, ", ")));
    const std::string place = child_pointer(pointer, given);
    if (claim.reference) finish_reference(*claim.reference, claim, entry[given], place, source);
    if (claim.over == ClaimOver::mean_ratio && !claim.reference)
      source.fail(place, "is a number, expected the solver of a \"mean_ratio\": { \"of\": LABEL, \"times\": RATIO }");
  }

  void finish_reference(ClaimReference& reference, const Claim& claim, const Json& entry, const std::string& pointer,
                        const JsonSource& source) const {
    if (reference.of.empty()) reference.of = claim.of;
    if (reference.metric.empty()) reference.metric = claim.metric;
    check_metric(reference.metric, facts_, known_, child_pointer(pointer, "metric"), source);
    if (const Metric* known = find_metric(reference.metric);
        known != nullptr && known->takes_decade() && !(reference.at > 0.0))
      reference.at = claim.at;
    check_decade(reference.metric, reference.at, pointer, source);
    check_solver(reference.of, pointer, source);
    check_native_stop(reference.metric, reference.of, pointer, source);
    check_problem(reference.problem, pointer, source);
    reference.cells = read_cells(entry, pointer, source);
    const bool same_cells = reference.of == claim.of && reference.problem.empty() && reference.cells.empty();
    if (same_cells && reference.metric == claim.metric && reference.at == claim.at)
      source.fail(pointer, "compares results with themselves, expected another 'of', 'metric', 'at', 'problem' or 'cells'");
  }

  const std::vector<ConfigVariant>& variants_;
  const Known& known_;
  std::set<std::string> facts_;
  std::vector<Label> solvers_, problems_;
  bool files_ = false;  ///< FCLib problems are only known by name once the folder is
  bool sweep_varies_;   ///< with the size, or its mistakes leave values out
};

/// Whether only names of keys are wrong with an entry: the rest of a claim can be looked at.
bool only_keys_are_unknown(Json entry, const std::string& pointer) {
  if (!entry.is_object()) return false;
  Claim claim;
  const FieldTable fields = claim_fields(claim);
  const Json all = entry;
  for (const auto& item : all.items())
    if (fields.find(item.key()) == nullptr) entry.erase(item.key());
  Mistakes mistakes;
  return Checks(&mistakes)([&] { read_fields(entry, fields, pointer, {"", "", &mistakes}); });
}

}  // namespace

std::vector<Claim> read_claims(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                               const JsonSource& source) {
  std::vector<Claim> claims;
  if (!document.contains("claims") || !document["claims"].is_array()) return claims;
  const ClaimReader reader(document, variants, known);
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < document["claims"].size(); ++i) {
    const Json& entry = document["claims"][i];
    const std::string pointer = child_pointer("/claims", i);
    Claim claim;
    if (check([&] { read_fields(entry, claim_fields(claim), pointer, source); })) {
      check([&] {
        reader.finish(claim, entry, pointer, source);
        for (const Claim& other : claims)
          if (other.id == claim.id)
            source.fail(child_pointer(pointer, "id"), fmt::format("the id '{}' is taken already", claim.id));
        claims.push_back(claim);
      });
    } else if (only_keys_are_unknown(entry, pointer)) {
      // What it lacks may stand under one of these keys, so it is not listed.
      Mistakes beside;
      JsonSource own = source;
      own.mistakes = &beside;
      Checks look(&beside);
      look([&] { reader.finish(claim, entry, pointer, own); });
      for (const InputError& mistake : beside.list())
        if (mistake.place() != pointer) check([&] { throw InputError(mistake); });
    }
  }
  check.finish();
  return claims;
}

std::set<std::string> facts_of(const std::vector<ConfigVariant>& variants) {
  std::set<std::string> facts;
  for (const ConfigVariant& variant : variants)
    for (const auto& spec : variant.problems)
      if (spec->sequence) facts.insert(spec->sequence->facts.begin(), spec->sequence->facts.end());
  return facts;
}

void check_metric(const std::string& name, const std::set<std::string>& facts, const Known& known, const std::string& place,
                  const JsonSource& source) {
  std::vector<std::string> names = claim_metrics();
  names.insert(names.end(), facts.begin(), facts.end());
  if (known.facts && std::find(names.begin(), names.end(), name) == names.end())
    source.fail(place, fmt::format("unknown metric '{}'{}", cut_text(name), suggestion(name, names)));
}

void check_decade(const std::string& metric, double at, const std::string& place, const JsonSource& source) {
  if (const Metric* known = find_metric(metric); known == nullptr || !known->takes_decade()) {
    if (at > 0.0) source.fail(place, fmt::format("the metric '{}' takes no 'at'", metric));
    return;
  }
  if (!(at > 0.0)) source.fail(place, fmt::format("the key 'at' is missing: the metric '{}' needs a power of ten", metric));
  if (!is_decade(at))
    source.fail(child_pointer(place, "at"),
                fmt::format("'at' is {}, expected a power of ten from 1e-2 to 1e-12", format_double(at)));
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
