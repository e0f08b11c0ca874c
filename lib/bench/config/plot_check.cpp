#include "bench/config/plot_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "bench/config/claim_reader.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/field_reader.hpp"
#include "bench/config/mistakes.hpp"
#include "bench/record/metrics.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void add_new(std::vector<std::string>& list, const std::string& name) {
  if (!holds(list, name)) list.push_back(name);
}

/// What a run leaves of each iteration: the measures that are traced, and the columns that its solver has of its own. Empty
/// where a solver has not said what it has.
std::vector<std::string> traced_columns(const std::vector<ConfigVariant>& variants, const Catalog& catalog) {
  std::vector<std::string> columns;
  std::set<std::string> solvers;
  for (const ConfigVariant& variant : variants) {
    for (const Measure measure : variant.trace) add_new(columns, std::string(measure_info(measure).name));
    for (const auto& spec : variant.solvers) {
      if (spec->solver.empty() || !solvers.insert(spec->solver).second) continue;
      const auto solver = catalog.make_solver(spec->solver);
      if (solver->settings().takes_any()) return {};
      for (const NativeColumn& column : solver->info().native) add_new(columns, column.name);
    }
  }
  return columns;
}

/// The place of a text of a key with one or a list of them.
std::string place_of(const Json& plot, const char* key, const std::string& pointer, std::size_t i) {
  const std::string place = child_pointer(pointer, key);
  return plot.contains(key) && plot[key].is_array() ? child_pointer(place, i) : place;
}

/// The lists of the sweep over which there are maps; paired ones are one.
std::size_t lists_of_maps(const Json& document) {
  const Json sweep = document.value("sweep", Json());
  if (!sweep.is_object()) return 0;
  std::size_t count = 0;
  for (const auto& [key, value] : sweep.items())
    count += key == "zip" ? value.is_object() && !value.empty() && !value.contains("/model") : key != "/model";
  return count;
}

class PlotCheck {
 public:
  PlotCheck(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known, const Catalog& catalog,
            const JsonSource& source)
      : source_(source),
        known_(known),
        columns_(traced_columns(variants, catalog)),
        facts_(facts_of(variants)),
        lists_(lists_of_maps(document)) {
    for (const ConfigVariant& variant : variants) {
      for (const auto& spec : variant.problems) {
        files_ = files_ || !spec->fclib.empty();
        add_new(problems_, spec->base_label);
      }
      for (const auto& spec : variant.solvers) add_new(labels_, spec->base_label);
    }
    for (const SweptValue& value : variants.front().swept) swept_.push_back(value.pointer);
    for (const ConfigVariant& variant : variants)
      for (const SweptValue& value : variant.swept)
        if (try_parse_json(value.text).is_number()) numeric_.insert(value.pointer);
  }

  /// entry: the JSON that the plot was read from.
  void check(const Plot& plot, const Json& entry, const std::string& pointer) const {
    Checks each(source_.mistakes);
    const auto refuse = [&](const std::string& place, const std::string& why) { each([&] { source_.fail(place, why); }); };
    each([&] { check_y(plot, child_pointer(pointer, "y")); });
    for (std::size_t i = 0; i < plot.of.size(); ++i)
      if (known_.solvers && !labels(labels_, plot.of[i]))
        refuse(place_of(entry, "of", pointer, i),
               fmt::format("no solver is labelled '{}'{}", plot.of[i], suggestion(plot.of[i], labels_)));
    if (known_.problems && !plot.problem.empty() && !files_ && !labels(problems_, plot.problem))
      refuse(child_pointer(pointer, "problem"),
             fmt::format("no problem is labelled '{}'{}", plot.problem, suggestion(plot.problem, problems_)));
    for (std::size_t i = 0; i < plot.by.size(); ++i)
      if (known_.sweep && !holds(swept_, plot.by[i])) refuse(place_of(entry, "by", pointer, i), not_swept(plot.by[i]));
    each([&] { check_metrics(plot, entry, pointer); });
    each([&] { check_axis(plot, pointer); });
    if (!plot.times.empty() && known_.sweep && numeric_.count(plot.times) == 0)
      refuse(child_pointer(pointer, "times"), holds(swept_, plot.times)
                                                  ? fmt::format("'{}' has no numbers", shown_pointer(plot.times))
                                                  : not_swept(plot.times));
    if (entry.contains("paper")) each([&] { check_paper(plot, entry["paper"], child_pointer(pointer, "paper")); });
    each.finish();
  }

 private:
  static bool labels(const std::vector<std::string>& names, const std::string& pattern) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& label) { return label_matches(pattern, label, label); });
  }

  std::string not_swept(const std::string& pointer) const {
    if (swept_.empty()) return fmt::format("'{}' is not swept: the config has no sweep", shown_pointer(pointer));
    return fmt::format("'{}' is not swept{}", shown_pointer(pointer), suggestion(pointer, swept_));
  }

  /// A measure; of curves one that is traced, or a column of a solver.
  void check_y(const Plot& plot, const std::string& place) const {
    if (!known_.columns || columns_.empty()) return;
    const bool traced = plot.kind == "convergence" || plot.kind == "mean", measure = holds(measure_names(), plot.y);
    if (traced ? holds(columns_, plot.y) : measure) return;
    // read_trace() of the scripts makes the one of the other.
    if (plot.y == "relative_residual" && holds(columns_, "velocity_residual")) return;
    if (measure)
      source_.fail(place, fmt::format("'{}' is not traced, expected it in the list 'trace' of the config", plot.y));
    std::vector<std::string> names = measure_names();
    for (const std::string& column : traced ? columns_ : std::vector<std::string>()) add_new(names, column);
    source_.fail(place, fmt::format("no measure{} is called '{}'{}", traced ? " and no trace column of these solvers" : "",
                                    plot.y, suggestion(plot.y, names)));
  }

  void check_metrics(const Plot& plot, const Json& entry, const std::string& pointer) const {
    const bool table = plot.kind == "table";
    const std::vector<std::string> names = table ? plot.metrics : std::vector{plot.metric};
    bool decade = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      check_metric(names[i], facts_, known_,
                   table ? place_of(entry, "metrics", pointer, i) : child_pointer(pointer, "metric"), source_);
      const Metric* metric = find_metric(names[i]);
      decade = decade || (metric != nullptr && metric->takes_decade());
    }
    for (const std::string& name : names)
      if (const Metric* metric = find_metric(name); !decade || (metric != nullptr && metric->takes_decade()))
        check_decade(name, plot.at, pointer, source_);
  }

  /// What has numbers; of a map any swept value, beside another list.
  void check_axis(const Plot& plot, const std::string& pointer) const {
    const bool map = plot.kind == "map";
    if (!known_.sweep || (!map && plot.kind != "sweep" && plot.kind != "scaling")) return;
    std::vector<std::string> axes;
    if (!map) axes = {"contacts", "rows", "dofs"};
    std::copy_if(swept_.begin(), swept_.end(), std::back_inserter(axes), [](const auto& name) { return name != "/model"; });
    if (map && lists_ < 2)
      source_.fail(pointer, fmt::format("is a map, expected two lists in 'sweep' besides /model, there {} {}",
                                        lists_ == 1 ? "is" : "are", lists_));
    const std::string place = child_pointer(pointer, "against");
    if (!holds(axes, plot.against))
      source_.fail(place,
                   fmt::format("'{}' is not swept, expected one of {}", shown_pointer(plot.against), join(axes, ", ")));
    if (!map && plot.against.starts_with('/') && numeric_.count(plot.against) == 0)
      source_.fail(place, fmt::format("'{}' has no numbers, which an axis needs", shown_pointer(plot.against)));
  }

  /// How many solvers have a column in a table.
  std::size_t columns_of(const Plot& plot) const {
    if (plot.of.empty()) return labels_.size();
    return static_cast<std::size_t>(std::count_if(labels_.begin(), labels_.end(), [&](const std::string& label) {
      return std::any_of(plot.of.begin(), plot.of.end(),
                         [&](const std::string& pattern) { return label_matches(pattern, label, label); });
    }));
  }

  void check_paper(const Plot& plot, const Json& paper, const std::string& pointer) const {
    for (const auto& [metric, values] : paper.items()) {
      const std::string place = child_pointer(pointer, metric);
      if (!holds(plot.metrics, metric))
        source_.fail(place, fmt::format("'{}' is no row of the table{}", metric, suggestion(metric, plot.metrics)));
      if (!values.is_object()) {
        check_numbers(values, columns_of(plot), place);
        continue;
      }
      for (const auto& [name, numbers] : values.items()) {
        const std::string there = child_pointer(place, name);
        // The values themselves are not looked up: another size may sweep fewer.
        if (const auto parts = 1 + std::count(name.begin(), name.end(), ','); parts != std::ssize(plot.by))
          source_.fail(there, fmt::format("'{}' is no case: expected {} with commas, a value for each pointer of 'by'", name,
                                          plot.by.size()));
        check_numbers(numbers, columns_of(plot), there);
      }
    }
  }

  void check_numbers(const Json& values, std::size_t solvers, const std::string& place) const {
    if (!values.is_array() || (known_.solvers && values.size() != solvers) ||
        !std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number() || value.is_null(); }))
      source_.fail(
          place,
          fmt::format("expected a list of {} numbers, one for each solver of 'of', null where the paper has none", solvers));
  }

  const JsonSource& source_;
  const Known& known_;
  std::vector<std::string> columns_, labels_, problems_, swept_;
  std::set<std::string> facts_, numeric_;
  std::size_t lists_;   ///< of the sweep, those of /model not counted
  bool files_ = false;  ///< FCLib problems are only known by name once the folder is
};

}  // namespace

void check_plots(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                 const Catalog& catalog, const JsonSource& source) {
  if (!document.contains("plots") || !document["plots"].is_array() || variants.empty()) return;
  const PlotCheck plots(document, variants, known, catalog, source);
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < document["plots"].size(); ++i)
    check([&] {
      const Json& entry = document["plots"][i];
      const std::string pointer = child_pointer("/plots", i);
      Plot plot;
      read_fields(entry, plot_fields(plot), pointer, source);
      plots.check(plot, entry, pointer);
    });
  check.finish();
}

}  // namespace ccp
