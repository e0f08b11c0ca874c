#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/record/metrics.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "distributed/job.hpp"
#include "linalg/linear_solver.hpp"
#include "peers/external/external_solver.hpp"
#include "peers/peer_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"
#include "views/config_files.hpp"
#include "views/listing.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

constexpr const char* examples =
    "Examples\n"
    "  $ ccpbench list solvers\n"
    "  $ ccpbench list solvers admm\n"
    "  $ ccpbench list scenes odd_mass_stack\n"
    "  $ ccpbench list solvers admm --format latex\n"
    "  $ ccpbench list config --schema > ccpbench-config.schema.json\n";

/// One thing `list` can show: all of it, and one by name. Throws InputError for an unknown name, with the nearest one.
struct Topic {
  std::string name;
  std::string meaning;
  std::function<void()> show_all;
  std::function<void(const std::string&)> show_one;
  std::function<Listing()> list_all;  ///< the same as values
  std::function<Listing(const std::string&)> list_one;
};

void print_table(const Table& table, int indent = 0) { print(table.text(Style::out(), stdout_width(), indent)); }

void print_wrapped(const std::string& text, Tone tone = Tone::plain, int indent = 0) {
  for (const std::string& line : wrap(text, stdout_width() - indent))
    print_line(std::string(static_cast<std::size_t>(indent), ' ') + Style::out().paint(tone, line));
}

void print_heading(const std::string& text) {
  print_line("");
  print_line(Style::out().bold(text));
}

[[noreturn]] void refuse_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
  throw InputError(fmt::format("unknown {} '{}'{}", kind, name, suggestion(name, names)));
}

/// "number > 0, kg", "whole number in [1, 10]", "true or false", "one of none, diagonal".
std::string expected(const Field& field) {
  std::string text = field.expected();
  if (text.starts_with("a ")) text.erase(0, 2);
  if (!field.range.text().empty()) text += " " + field.range.text();
  if (!field.unit.empty()) text += ", " + field.unit;
  return text;
}

void print_fields(const FieldTable& table) {
  Table fields({{"name"}, {"default"}, {"meaning", false, Fit::wrap}});
  for (const Field& field : table.fields()) {
    fields.row({Entry(field.name, Tone::accent), Entry(field_text(field.default_value), Tone::bold), field.meaning});
    fields.row({"", "", Entry(expected(field), Tone::dim)});
    fields.row({"", "", Entry("source: " + field.source, Tone::dim)});
  }
  print_table(fields, 2);
}

std::string models_text(const Solver& solver) {
  if (solver.native(Model::ccp) && solver.native(Model::ncp)) return "ccp, ncp";
  if (solver.native(Model::ccp) && as_peer(solver) != nullptr && as_external(solver) == nullptr) return "ccp";
  if (solver.native(Model::ccp)) return "ccp; ncp through the De Saxcé fixed point";
  return "ncp";
}

void list_solvers() {
  Table table = name_table();
  for (const std::string& name : catalog().solver_names)
    table.row({Entry(name, Tone::accent), catalog().make_solver(name)->info().title});
  print_table(table);
}

void list_solver(const std::string& name) {
  const auto solver = solver_named(name);
  const SolverInfo& info = solver->info();
  print_line(Style::out().bold(info.name));
  print_wrapped(info.title, Tone::plain, 2);
  print_wrapped("source: " + info.reference, Tone::dim, 2);
  print_wrapped("models: " + models_text(*solver), Tone::dim, 2);
  if (const PeerSolver* peer = as_peer(*solver)) {
    print_wrapped("problems: " + peer->takes(), Tone::dim, 2);
    print_wrapped(fmt::format("another program, of the school of {}; its version here: {}", peer->school(), peer->version()),
                  Tone::dim, 2);
  } else {
    print_wrapped("ranks: " + rank_method_text(name), Tone::dim, 2);
  }
  print_heading("Settings");
  print_fields(solver->settings());
  Table columns({{"name"}, {"unit"}, {"meaning", false, Fit::wrap}});
  for (const NativeColumn& column : info.native)
    columns.row({Entry(column.name, Tone::accent), column.unit.empty() ? "–" : column.unit, column.meaning});
  print_section("Columns of its trace, beside the measures", columns);
}

void list_scenes() {
  Table table = name_table();
  for (const std::string& name : scene_names()) table.row({Entry(name, Tone::accent), make_scene(name)->info().title});
  print_table(table);
}

void list_scene(const std::string& name) {
  const auto scene = make_scene(name);
  print_line(Style::out().bold(scene->info().name));
  print_wrapped(scene->info().title, Tone::plain, 2);
  print_wrapped("source: " + scene->info().reference, Tone::dim, 2);
  if (scene->motion(0)) print_wrapped("moves: its steps make a sequence in a config", Tone::dim, 2);
  print_heading("Parameters");
  print_fields(scene->parameters());
}

void list_configs() {
  Table table({{""}, {""}, {"", false, Fit::wrap}});
  for (const auto& [name, path] : config_files()) {
    const Config config = read_config(path.string(), catalog());
    table.row({Entry(name, Tone::accent), Entry(path.string(), Tone::dim), config.title});
  }
  print_table(table);
}

std::string changed_parameters(const Parameters& parameters, const FieldTable& defaults) {
  const std::string changed = changed_values(defaults, parameters, " = ");
  return changed.empty() ? "defaults" : changed;
}

/// "; 50 steps, moved by ipm_qp"
std::string sequence_text(const std::optional<SequenceSpec>& sequence) {
  if (!sequence) return "";
  const bool own = sequence->trajectory == Trajectory::own;
  return fmt::format("; {} steps, {}", sequence->steps,
                     own ? "moved by each solver" : "moved by " + sequence->driver.solver);
}

void print_problems(const ConfigVariant& variant) {
  Table problems = name_table();
  for (const auto& problem : variant.problems) {
    if (problem->scene.empty())
      problems.row({Entry("FCLib files", Tone::accent), problem->fclib});
    else
      problems.row({Entry(problem->scene, Tone::accent),
                    changed_parameters(problem->parameters, make_scene(problem->scene)->parameters()) +
                        sequence_text(problem->sequence)});
  }
  print_section("Problems", problems);
}

Config named_config(const std::string& name) {
  const auto files = config_files();
  const auto found = files.find(name);
  if (found == files.end()) throw InputError(fmt::format("unknown config '{}'{}", name, config_suggestion(name, files)));
  return read_config(found->second.string(), catalog());
}

Listing list_all_configs() {
  std::vector<Config> configs;
  for (const auto& entry : config_files()) configs.push_back(read_config(entry.second.string(), catalog()));
  return configs_listing(configs);
}

void list_config(const std::string& name) {
  const Config config = named_config(name);
  const ConfigVariant& first = config.variants.front();
  print_line(Style::out().bold(config.name));
  print_wrapped(config.title, Tone::plain, 2);
  if (!config.description.empty()) print_wrapped(config.description, Tone::dim, 2);
  print_problems(first);
  Table solvers({{""}, {""}, {"", false, Fit::wrap}});
  for (const auto& solver : first.solvers)
    solvers.row(
        {Entry(solver->label, Tone::accent), solver->solver,
         Entry(changed_parameters(solver->parameters, catalog().make_solver(solver->solver)->settings()), Tone::dim)});
  print_section("Solvers", solvers);
  print_heading("Stop");
  print_wrapped(
      fmt::format("{} ≤ {}, at most {} iterations, {} of solver clock", measure_info(first.stop.measure).name,
                  format_double(first.stop.tolerance), first.stop.max_iterations, duration(first.stop.time_limit_s)),
      Tone::plain, 2);
  Table claims = name_table();
  for (const Claim& claim : config.claims) claims.row({Entry(claim.id, Tone::accent), claim.says});
  print_section("Claims", claims);
}

void print_section_of(const ConfigSection& section) {
  print_line(Style::out().bold(section.name) + "  " + Style::out().dim(section.meaning));
  Table keys({{""}, {""}, {"", false, Fit::wrap}});
  for (const Field& field : section.fields.fields()) {
    std::string meaning = field.meaning;
    if (!field.choices.empty()) meaning += ": " + join(field.choices, ", ");
    if (!field.range.text().empty()) meaning += " (" + field.range.text() + ")";
    if (!field.unit.empty()) meaning += ", " + field.unit;
    keys.row({Entry(field.name, Tone::accent), Entry(field.required ? "required" : "", Tone::dim), meaning});
  }
  print_table(keys, 2);
}

void list_sections() {
  bool first = true;
  for (const ConfigSection& section : config_sections(catalog())) {
    if (!std::exchange(first, false)) print_line("");
    print_section_of(section);
  }
}

ConfigSection named_section(const std::string& name) {
  std::vector<std::string> names;
  for (const ConfigSection& section : config_sections(catalog())) {
    if (section.name == name) return section;
    names.push_back(section.name);
  }
  refuse_unknown("part of a config", name, names);
}

std::string kinds_text(const std::string& backend) {
  constexpr std::pair<MatrixKind, const char*> kinds[] = {{MatrixKind::spd, "positive definite"},
                                                          {MatrixKind::quasi_definite, "quasi-definite"},
                                                          {MatrixKind::indefinite, "indefinite"},
                                                          {MatrixKind::unsymmetric, "unsymmetric"}};
  std::vector<std::string> names;
  for (const auto& [kind, name] : kinds)
    if (linear_solver_supports(backend, kind)) names.emplace_back(name);
  return join(names, ", ");
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.push_back(metric.name);
  return names;
}

std::vector<std::string> status_names() {
  std::vector<std::string> names;
  for (const Status status : all_statuses()) names.emplace_back(status_name(status));
  return names;
}

/// A topic of `kind`s, each of which is one row of a table. headed: on pages for people, too.
Topic table_topic(const std::string& topic, const std::string& meaning, const std::string& kind,
                  const std::vector<std::string>& names, const std::vector<RecordColumn>& columns, bool headed,
                  const std::function<std::vector<Datum>(const std::string&)>& row) {
  const auto records = [=](const std::vector<std::string>& chosen) {
    Records table(columns);
    for (const std::string& name : chosen) table.row(row(name));
    return table;
  };
  const auto show = [=](const std::vector<std::string>& chosen) { print_table(records(chosen).table(headed)); };
  const auto list = [=](const std::vector<std::string>& chosen) { return Listing{records(chosen), records(chosen).json()}; };
  const auto known = [=](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse_unknown(kind, name, names);
    return std::vector{name};
  };
  return {topic,
          meaning,
          [=] { show(names); },
          [=](const std::string& name) { show(known(name)); },
          [=] { return list(names); },
          [=](const std::string& name) { return list(known(name)); }};
}

Datum unit_of(std::string_view unit) { return {Json(unit), unit.empty() ? "–" : std::string(unit)}; }

std::vector<Datum> measure_row(const std::string& name) {
  const MeasureInfo& info = measure_info(*measure_from_name(name));
  return {name, unit_of(info.unit), Json(info.stoppable), info.definition};
}

std::vector<Datum> metric_row(const std::string& name) {
  const Metric& metric = *find_metric(name);
  return {name, unit_of(metric.unit), Json(metric.takes_decade()), Json(metric.claimed), metric.meaning};
}

/// The topics in the order of the help page.
const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {
      {"solvers", "methods, their settings and trace columns", list_solvers, list_solver, solvers_listing, solver_listing},
      {"scenes", "generators of problems and their parameters", list_scenes, list_scene, scenes_listing, scene_listing},
      table_topic("measures", "the yardsticks, the same for all solvers", "measure", measure_names(),
                  {{"name", "name"}, {"unit", "unit"}, {"stops", "stops"}, {"definition", "definition"}}, true, measure_row),
      table_topic("metrics", "the numbers of results, for claims and plots", "metric", metric_names(),
                  {{"name", "name"}, {"unit", "unit"}, {"at", "at"}, {"claims", "claims"}, {"meaning", "meaning"}}, true,
                  metric_row),
      {"configs", "experiments in the folder 'configs'", list_configs, list_config, list_all_configs,
       [](const std::string& name) { return config_listing(named_config(name)); }},
      {"config", "the keys of a config", list_sections,
       [](const std::string& name) { print_section_of(named_section(name)); },
       [] { return sections_listing(config_sections(catalog())); },
       [](const std::string& name) { return sections_listing({named_section(name)}); }},
      table_topic("linear-solvers", "sparse direct solvers compiled in", "linear solver", linear_solver_names(),
                  {{"name", "name"}, {"matrices", "matrices"}}, false,
                  [](const std::string& name) -> std::vector<Datum> {
                    return {name, kinds_text(name)};
                  }),
      table_topic("statuses", "how a run can end", "status", status_names(), {{"name", "name"}, {"meaning", "meaning"}},
                  false,
                  [](const std::string& name) -> std::vector<Datum> {
                    return {name, status_meaning(*status_from_name(name))};
                  }),
  };
  return all;
}

struct ListArguments {
  std::string topic, name;
  bool schema = false;
  FormatOption format;
};

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  return names;
}

int list(const ListArguments& options) {
  if (options.schema) {
    if (options.topic != "config" || !options.name.empty())
      throw InputError("", "--schema", "goes with 'list config' alone");
    print_line(config_schema(catalog()));
    return exit_done;
  }
  for (const Topic& topic : topics()) {
    if (topic.name != options.topic) continue;
    if (!options.format.text()) {
      const Listing listing = options.name.empty() ? topic.list_all() : topic.list_one(options.name);
      print_records(options.format.format(), listing.table, listing.json);
    } else if (options.name.empty())
      topic.show_all();
    else
      topic.show_one(options.name);
    return exit_done;
  }
  throw InputError(fmt::format("nothing to list under '{}'{}", options.topic, suggestion(options.topic, topic_names())));
}

std::string list_footer() {
  std::string text = "Topics\n";
  for (const Topic& topic : topics()) text += fmt::format("  {:15} {}\n", topic.name, topic.meaning);
  return text + "\n" + examples;
}

}  // namespace

void add_list(CommandLine& program) {
  Subcommand& command =
      program.subcommand("list", "what exists: solvers, scenes, measures, configs and more", list_footer());
  ListArguments& options = command.options<ListArguments>(list);
  command.operand("TOPIC", &options.topic, "what to list (see Topics)", Need::required);
  command.operand("NAME", &options.name, "one of them, with every parameter", Need::optional);
  command.flag("--schema", &options.schema, "with 'config': the JSON Schema of a config");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
