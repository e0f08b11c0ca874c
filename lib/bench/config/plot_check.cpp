#include "bench/config/plot_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "bench/config/claim_reader.hpp"
#include "bench/config/mistakes.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

/// What a plot can show: the measures, and the trace columns that solvers of the config have of their own.
std::vector<std::string> plotted_columns(const std::vector<ConfigVariant>& variants, const Catalog& catalog) {
  std::vector<std::string> columns = measure_names();
  std::set<std::string> solvers;
  for (const ConfigVariant& variant : variants)
    for (const auto& spec : variant.solvers) {
      if (spec->solver.empty() || !solvers.insert(spec->solver).second) continue;
      const auto solver = catalog.make_solver(spec->solver);
      for (const NativeColumn& column : solver->info().native)
        if (std::find(columns.begin(), columns.end(), column.name) == columns.end()) columns.push_back(column.name);
    }
  return columns;
}

/// A key with a text or a list of them.
struct NamedTexts {
  std::vector<std::string> texts;
  std::vector<std::string> places;  ///< JSON pointer of each
};

NamedTexts texts_at(const Json& plot, const std::string& key, const std::string& pointer) {
  NamedTexts found;
  if (!plot.contains(key)) return found;
  const std::string place = child_pointer(pointer, key);
  if (plot[key].is_string()) return {{plot[key].get<std::string>()}, {place}};
  for (std::size_t i = 0; i < plot[key].size(); ++i) {
    found.texts.push_back(plot[key][i].get<std::string>());
    found.places.push_back(child_pointer(place, i));
  }
  return found;
}

class PlotCheck {
 public:
  PlotCheck(const std::vector<ConfigVariant>& variants, const Known& known, const Catalog& catalog, const JsonSource& source)
      : source_(source), known_(known), columns_(plotted_columns(variants, catalog)) {
    for (const ConfigVariant& variant : variants)
      for (const auto& spec : variant.solvers)
        if (std::find(labels_.begin(), labels_.end(), spec->base_label) == labels_.end())
          labels_.push_back(spec->base_label);
    for (const SweptValue& value : variants.front().swept) swept_.push_back(value.pointer);
  }

  void check(const Json& plot, const Shape& shape, const std::string& pointer) const {
    const auto y = shape.value<std::string>(plot, "y");
    const NamedTexts of = texts_at(plot, "of", pointer), by = texts_at(plot, "by", pointer);
    Checks each(source_.mistakes);
    if (known_.columns && std::find(columns_.begin(), columns_.end(), y) == columns_.end())
      each([&] {
        source_.fail(
            child_pointer(pointer, "y"),
            fmt::format("no measure and no trace column of these solvers is called '{}'{}", y, suggestion(y, columns_)));
      });
    for (std::size_t i = 0; i < of.texts.size(); ++i)
      if (known_.solvers && std::none_of(labels_.begin(), labels_.end(),
                                         [&](const std::string& label) { return label_matches(of.texts[i], label, label); }))
        each([&] {
          source_.fail(of.places[i],
                       fmt::format("no solver is labelled '{}'{}", of.texts[i], suggestion(of.texts[i], labels_)));
        });
    for (std::size_t i = 0; i < by.texts.size(); ++i)
      if (known_.sweep && std::find(swept_.begin(), swept_.end(), by.texts[i]) == swept_.end())
        each([&] { source_.fail(by.places[i], not_swept(by.texts[i])); });
    each([&] { check_against(plot, pointer); });
    if (plot.contains("paper")) each([&] { check_paper(plot, of.texts.size(), pointer); });
    each.finish();
  }

 private:
  void check_against(const Json& plot, const std::string& pointer) const {
    if (!plot.contains("against") || !known_.sweep) return;
    const auto against = plot["against"].get<std::string>();
    std::vector<std::string> names = {"contacts", "rows", "dofs"};
    names.insert(names.end(), swept_.begin(), swept_.end());
    if (std::find(names.begin(), names.end(), against) == names.end())
      source_.fail(child_pointer(pointer, "against"),
                   fmt::format("'{}' is not swept, expected one of {}", shown_pointer(against), join(names, ", ")));
  }

  std::string not_swept(const std::string& pointer) const {
    if (swept_.empty()) return fmt::format("'{}' is not swept: the config has no sweep", shown_pointer(pointer));
    return fmt::format("'{}' is not swept{}", shown_pointer(pointer), suggestion(pointer, swept_));
  }

  void check_paper(const Json& plot, std::size_t solvers, const std::string& pointer) const {
    const std::vector<std::string> metrics = texts_at(plot, "metrics", pointer).texts;
    for (const auto& [metric, values] : plot["paper"].items()) {
      const std::string place = child_pointer(child_pointer(pointer, "paper"), metric);
      if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
        source_.fail(place, fmt::format("'{}' is no row of the table{}", metric, suggestion(metric, metrics)));
      if (!values.is_object()) {
        check_numbers(values, solvers, place);
        continue;
      }
      const std::size_t by = texts_at(plot, "by", pointer).texts.size();
      for (const auto& [name, numbers] : values.items()) {
        const std::string there = child_pointer(place, name);
        // The values themselves are not looked up: another size may sweep fewer.
        if (const auto parts = 1 + static_cast<std::size_t>(std::count(name.begin(), name.end(), ',')); parts != by)
          source_.fail(there,
                       fmt::format("'{}' is no case: expected {} with commas, a value for each pointer of 'by'", name, by));
        check_numbers(numbers, solvers, there);
      }
    }
  }

  void check_numbers(const Json& values, std::size_t solvers, const std::string& place) const {
    if (!values.is_array() || values.size() != solvers ||
        !std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number() || value.is_null(); }))
      source_.fail(
          place,
          fmt::format("expected a list of {} numbers, one for each label of 'of', null where the paper has none", solvers));
  }

  const JsonSource& source_;
  const Known& known_;
  std::vector<std::string> columns_, labels_, swept_;
};

}  // namespace

void check_plots(const Json& document, const std::vector<ConfigVariant>& variants, const Known& known,
                 const Catalog& catalog, const ConfigKeys& keys, const JsonSource& source) {
  if (!document.contains("plots") || !document["plots"].is_array() || variants.empty()) return;
  const PlotCheck plots(variants, known, catalog, source);
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < document["plots"].size(); ++i)
    if (keys.is_sound(document["plots"][i], "plot"))
      check([&] { plots.check(document["plots"][i], keys.shape("plot"), child_pointer("/plots", i)); });
  check.finish();
}

}  // namespace ccp
