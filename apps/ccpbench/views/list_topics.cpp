#include "views/list_topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/config/config.hpp"
#include "bench/config/config_keys.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/linear_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {
namespace {

/// "a name" and its explanation, wrapped.
Table name_table(Fit fit = Fit::wrap) { return Table({{""}, {"", false, fit}}); }

void print_table(const Table& table, int indent = 0) { print(table.text(Style::out(), stdout_width(), indent)); }

void print_wrapped(const std::string& text, Tone tone = Tone::plain, int indent = 0) {
  for (const std::string& line : wrap(text, stdout_width() - indent))
    print_line(std::string(static_cast<std::size_t>(indent), ' ') + Style::out().paint(tone, line));
}

void print_heading(const std::string& text) {
  print_line("");
  print_line(Style::out().bold(text));
}

[[noreturn]] void unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
  throw InputError(fmt::format("unknown {} '{}'{}", kind, name, suggestion(name, names)));
}

/// "real > 0, kg", "whole number in [1, 10]", "true or false", "one of none, diagonal".
std::string expected(const Field& field) {
  std::string text;
  switch (field.type) {
    case FieldType::flag: text = "true or false"; break;
    case FieldType::integer: text = "whole number"; break;
    case FieldType::real: text = "number"; break;
    case FieldType::choice: text = "one of " + join(field.choices, ", "); break;
  }
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
  const auto solver = catalog().make_solver(name);
  const SolverInfo& info = solver->info();
  print_line(Style::out().bold(info.name));
  print_wrapped(info.title, Tone::plain, 2);
  print_wrapped("source: " + info.reference, Tone::dim, 2);
  print_wrapped("models: " + models_text(*solver), Tone::dim, 2);
  print_heading("Settings");
  print_fields(solver->settings());
  if (info.native.empty()) return;
  print_heading("Columns of its trace, beside the measures");
  Table columns({{"name"}, {"unit"}, {"meaning", false, Fit::wrap}});
  for (const NativeColumn& column : info.native)
    columns.row({Entry(column.name, Tone::accent), column.unit.empty() ? "–" : column.unit, column.meaning});
  print_table(columns, 2);
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
  print_heading("Parameters");
  print_fields(scene->parameters());
}

void add_measure(Table& table, const MeasureInfo& info) {
  table.row({Entry(std::string(info.name), Tone::accent), info.unit.empty() ? "–" : Entry(std::string(info.unit)),
             info.stoppable ? "yes" : "no", std::string(info.definition)});
}

Table measure_table() { return Table({{"name"}, {"unit"}, {"stops"}, {"definition", false, Fit::wrap}}); }

void list_measures() {
  Table table = measure_table();
  for (const Measure measure : all_measures()) add_measure(table, measure_info(measure));
  print_table(table);
}

void list_measure(const std::string& name) {
  const auto measure = measure_from_name(name);
  if (!measure) unknown("measure", name, measure_names());
  Table table = measure_table();
  add_measure(table, measure_info(*measure));
  print_table(table);
}

/// configs/ in the current folder, or beside or above the program. Empty when there is none.
std::filesystem::path configs_folder() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory("configs", ignored)) return "configs";
  for (fs::path at = fs::read_symlink("/proc/self/exe", ignored); at.has_relative_path(); at = at.parent_path())
    if (fs::is_directory(at.parent_path() / "configs", ignored)) return at.parent_path() / "configs";
  return {};
}

/// Config files by name, sorted.
std::map<std::string, std::filesystem::path> config_files() {
  std::map<std::string, std::filesystem::path> files;
  const auto folder = configs_folder();
  if (folder.empty()) throw InputError("no folder 'configs' here or above the program");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files[entry.path().stem().string()] = entry.path();
  return files;
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
  std::vector<std::string> changed;
  for (const auto& [name, value] : parameters) {
    const Field* field = defaults.find(name);
    if (field != nullptr && field_text(field->default_value) != field_text(value))
      changed.push_back(name + " = " + field_text(value));
  }
  return changed.empty() ? "defaults" : join(changed, ", ");
}

void print_problems(const ConfigVariant& variant) {
  Table problems = name_table();
  for (const auto& problem : variant.problems) {
    if (problem->scene.empty())
      problems.row({Entry("FCLib files", Tone::accent), problem->fclib});
    else
      problems.row({Entry(problem->scene, Tone::accent),
                    changed_parameters(problem->parameters, make_scene(problem->scene)->parameters())});
  }
  print_heading("Problems");
  print_table(problems, 2);
}

void list_config(const std::string& name) {
  const auto files = config_files();
  const auto found = files.find(name);
  if (found == files.end()) {
    std::vector<std::string> names;
    for (const auto& entry : files) names.push_back(entry.first);
    unknown("config", name, names);
  }
  const Config config = read_config(found->second.string(), catalog());
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
  print_heading("Solvers");
  print_table(solvers, 2);
  print_heading("Stop");
  print_wrapped(
      fmt::format("{} ≤ {}, at most {} iterations, {} of solver clock", measure_info(first.stop.measure).name,
                  format_double(first.stop.tolerance), first.stop.max_iterations, duration(first.stop.time_limit_s)),
      Tone::plain, 2);
  if (config.claims.empty()) return;
  Table claims = name_table();
  for (const Claim& claim : config.claims) claims.row({Entry(claim.id, Tone::accent), claim.says});
  print_heading("Claims");
  print_table(claims, 2);
}

void print_shape(const Shape& shape) {
  print_line(Style::out().bold(shape.name) + "  " + Style::out().dim(shape.meaning));
  Table keys({{""}, {""}, {"", false, Fit::wrap}});
  for (const Key& key : shape.keys) {
    std::string meaning = key.meaning;
    if (!key.choices.empty()) meaning += ": " + join(key.choices, ", ");
    if (!key.range.text().empty()) meaning += " (" + key.range.text() + ")";
    if (!key.unit.empty()) meaning += ", " + key.unit;
    keys.row({Entry(key.name, Tone::accent), Entry(key.required ? "required" : "", Tone::dim), meaning});
  }
  print_table(keys, 2);
}

void list_shapes() {
  const ConfigKeys keys(catalog());
  for (const Shape& shape : keys.shapes()) {
    if (&shape != &keys.shapes().front()) print_line("");
    print_shape(shape);
  }
}

void list_shape(const std::string& name) {
  const ConfigKeys keys(catalog());
  std::vector<std::string> names;
  for (const Shape& shape : keys.shapes()) names.push_back(shape.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) unknown("part of a config", name, names);
  print_shape(keys.shape(name));
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

void list_linear_solvers() {
  Table table = name_table();
  for (const std::string& name : linear_solver_names()) table.row({Entry(name, Tone::accent), kinds_text(name)});
  print_table(table);
}

void list_linear_solver(const std::string& name) {
  const auto names = linear_solver_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) unknown("linear solver", name, names);
  Table table = name_table();
  table.row({Entry(name, Tone::accent), kinds_text(name)});
  print_table(table);
}

void add_status(Table& table, Status status) {
  table.row({Entry(std::string(status_name(status)), status_tone(status)), std::string(status_meaning(status))});
}

void list_statuses() {
  Table table = name_table();
  for (const Status status : all_statuses()) add_status(table, status);
  print_table(table);
}

void list_status(const std::string& name) {
  const auto status = status_from_name(name);
  if (!status) {
    std::vector<std::string> names;
    for (const Status known : all_statuses()) names.emplace_back(status_name(known));
    unknown("status", name, names);
  }
  Table table = name_table();
  add_status(table, *status);
  print_table(table);
}

}  // namespace

const std::vector<Topic>& list_topics() {
  static const std::vector<Topic> topics = {
      {"solvers", "methods, their settings and trace columns", list_solvers, list_solver},
      {"scenes", "generators of problems and their parameters", list_scenes, list_scene},
      {"measures", "the yardsticks, the same for all solvers", list_measures, list_measure},
      {"configs", "experiments in the folder 'configs'", list_configs, list_config},
      {"config", "the keys of a config", list_shapes, list_shape},
      {"linear-solvers", "sparse direct solvers compiled in", list_linear_solvers, list_linear_solver},
      {"statuses", "how a run can end", list_statuses, list_status},
  };
  return topics;
}

}  // namespace ccp::cli
