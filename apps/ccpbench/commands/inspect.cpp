#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "commands/command.hpp"
#include "io/fclib_reader.hpp"
#include "linalg/dense.hpp"
#include "problem/judge/infeasibility.hpp"
#include "problem/judge/judge.hpp"
#include "terminal/arguments.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {
namespace {

constexpr const char* inspect_footer =
    "Examples\n"
    "  $ ccpbench inspect dump.hdf5\n"
    "  $ ccpbench inspect fclib/*.hdf5\n"
    "  $ ccpbench inspect fclib/*.hdf5 --format csv\n"
    "\n"
    "Exit codes: 0 done, 2 a file could not be read (the others are shown).\n";

constexpr Index largest_rank = 3000;      // rows; beyond, the dense factorisation takes too long
constexpr Index largest_spectrum = 1000;  // rows; beyond, eigenvalues take too long

std::string size_text(const FclibFile& file) {
  std::string text =
      fmt::format("{} of {} rows", counted(static_cast<std::size_t>(file.contacts), "contact"), file.spacedim);
  if (file.p > 0) text += fmt::format(", {}", counted(static_cast<std::size_t>(file.p), "equality row"));
  if (is_global(file.form)) text += fmt::format(", {} degrees of freedom", file.n);
  return text;
}

std::string range_text(double low, double high) {
  return low == high ? fmt::format("{:.4g}", low) : fmt::format("from {:.4g} to {:.4g}", low, high);
}

Table file_table(const FclibFile& file) {
  Table table = name_table();
  table.fact("form", std::string(fclib_form_name(file.form)));
  for (const auto& [label, text] : {std::pair<const char*, const std::string&>{"title", file.info.title},
                                    {"description", file.info.description},
                                    {"mathematics", file.info.math_info},
                                    {"scene", file.info.scene},
                                    {"parameters", file.info.parameters},
                                    {"solution", file.info.certificate}})
    if (!text.empty()) table.fact(label, printable_text(text));
  if (file.info.seed) table.fact("seed", fmt::format("{}", *file.info.seed));
  table.fact("size", size_text(file));
  if (file.contacts > 0) table.fact("friction μ", range_text(file.friction_min, file.friction_max));
  if (!std::isnan(file.rolling_friction_min))
    table.fact("rolling μ_r", range_text(file.rolling_friction_min, file.rolling_friction_max) + " m");
  if (!std::isnan(file.spinning_friction_min))
    table.fact("spinning μ_s", range_text(file.spinning_friction_min, file.spinning_friction_max) + " m");
  for (const FclibMatrixInfo& matrix : file.matrices)
    table.fact("matrix " + matrix.name,
               fmt::format("{} × {}, {} nonzeros, {}", matrix.rows, matrix.columns, matrix.nonzeros, matrix.storage));
  return table;
}

/// The ends of the spectrum of N, 1/kg, and what they say.
struct Spectrum {
  double low, high;
  const char* verdict;
};

Spectrum spectrum(const ContactProblem& local) {
  const Index rows = local.rows();
  const DenseMatrix N(local.local().N);
  const Vector eigenvalues = symmetric_eigenvalues(0.5 * (N + N.transpose()));
  const double low = eigenvalues[0], high = eigenvalues[rows - 1];
  const double rounding =
      static_cast<double>(rows) * std::numeric_limits<double>::epsilon() * eigenvalues.cwiseAbs().maxCoeff();
  return {low, high, low > rounding ? "positive definite" : low >= -rounding ? "positive semidefinite" : "indefinite"};
}

constexpr double rounded = 1e-10;  // a negative part of N below this fraction of max|N| is that of rounding

std::string definiteness(const ContactProblem& local) {
  if (local.rows() > largest_spectrum) {
    if (local.clipped() < rounded) return "positive semidefinite to rounding";
    return fmt::format("indefinite: its negative part is {} of max|N|", short_number(local.clipped()));
  }
  const Spectrum ends = spectrum(local);
  return fmt::format("{}, eigenvalues from {} to {} 1/kg", ends.verdict, short_number(ends.low), short_number(ends.high));
}

Table delassus_table(const ContactProblem& problem) {
  Table table = name_table();
  const Index rows = problem.rows();
  if (rows == 0) return table;
  if (!problem.symmetric_mass())
    table.fact("asymmetry",
               fmt::format("|H_ij − H_ji| is up to {} of √(H_ii H_jj)", short_number(problem.mass_asymmetry())));
  if (problem.symmetry_defect() > 0.0)
    table.fact("asymmetry", fmt::format("max|N − Nᵀ| is {} of max|N|", short_number(problem.symmetry_defect())));
  if (rows > largest_rank) {
    table.fact("rank", fmt::format("not computed beyond {} rows", largest_rank));
    return table;
  }
  const ContactProblem local = local_problem(problem);  // so that the rank of N can be taken
  const Index rank = local.global().D.rows();
  table.fact("rank", rank == rows ? fmt::format("{}, full", rank)
                                  : fmt::format("{} of {}: {} redundant", rank, rows,
                                                counted(static_cast<std::size_t>(rows - rank), "row")));
  table.fact("definiteness", definiteness(local));
  return table;
}

void add_point(Table& table, const std::string& label, const ContactProblem& problem, const Vector& impulse) {
  for (const Model model : {Model::ccp, Model::ncp}) {
    Judge judge(problem, model);
    const Measures measures = judge.evaluate(all_measures(), {&impulse});
    const auto value = [&measures](Measure measure) { return measure_number(measure, measures[measure_index(measure)]); };
    table.row({model == Model::ccp ? label : std::string(), std::string(model_name(model)),
               value(Measure::velocity_residual), value(Measure::relative_residual), value(Measure::natural_map),
               value(Measure::objective)});
  }
}

/// Calls `show` with the name and the impulses of the points that the file has: no impulses, its guesses, its solution.
template <class Show>
void for_each_point(const FclibFile& file, const Show& show) {
  const Index rows = file.problem->rows();
  if (rows == 0) return;
  show("zero", Vector::Zero(rows));
  for (std::size_t i = 0; i < file.guesses.size(); ++i)
    if (const auto impulse = file.impulse(file.guesses[i])) show(fmt::format("guess {}", i + 1), *impulse);
  if (file.solution)
    if (const auto impulse = file.impulse(*file.solution)) show("solution", *impulse);
}

Table points_table(const FclibFile& file) {
  Table table({{"point"},
               {"model"},
               {"velocity residual, m/s", true},
               {"relative", true},
               {"natural map", true},
               {"objective, J", true}});
  for_each_point(file, [&](const std::string& name, const Vector& impulse) {
    add_point(table, name == "zero" ? "γ = 0" : name, *file.problem, impulse);
  });
  return table;
}

/// Where a contact of friction μ sticks, rounding of u_T leaves 10 ε μ² of the ncp's relative residual.
std::optional<std::string> friction_remark(const ContactProblem& problem) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon(), usual_tolerance = 1e-8;
  const std::vector<double>& frictions = problem.constraints().frictions();
  const auto largest = std::max_element(frictions.begin(), frictions.end());
  const double floor = largest == frictions.end() ? 0.0 : meaningful_floors * epsilon * *largest * *largest;
  if (!(floor > usual_tolerance)) return std::nullopt;
  return fmt::format(
      "friction {:g} is beyond what the measures can judge: where such a contact sticks, relative residuals "
      "of the ncp below {:.0e} are rounding",
      *largest, floor);
}

/// What a reader of the file should know: of its content, and whether its problem has no solution.
std::vector<std::string> remarks_of(const FclibFile& file) {
  std::vector<std::string> remarks = file.remarks;
  if (!file.problem) return remarks;
  if (const auto remark = friction_remark(*file.problem)) remarks.push_back(*remark);
  if (const auto both = find_infeasibility(*file.problem, Model::ncp))
    remarks.push_back("no solution: " + infeasibility_text(*file.problem, *both));
  else if (const auto convex = find_infeasibility(*file.problem, Model::ccp))
    remarks.push_back("no solution of the ccp model: " + infeasibility_text(*file.problem, *convex));
  return remarks;
}

void inspect_file(const std::string& path) {
  const FclibFile file = read_dump(path);
  print_line(Style::out().bold(printable(path)));
  print(file_table(file).text(Style::out(), stdout_width()));
  if (file.problem) {
    print_section("Delassus operator N", delassus_table(*file.problem));
    print_section("Measures", points_table(file));
  }
  Table remarks({{"", false, Fit::wrap}});
  for (const std::string& remark : remarks_of(file)) remarks.row({printable(remark)});
  print_section("Remarks", remarks);
}

/// asymmetry, rank, definiteness and eigenvalues of N; null where they are not computed.
Json delassus_json(const ContactProblem& problem) {
  Json facts = {{"rows", problem.rows()},  {"asymmetry", problem.symmetry_defect()}, {"rank", nullptr},
                {"definiteness", nullptr}, {"eigenvalue_min_per_kg", nullptr},       {"eigenvalue_max_per_kg", nullptr}};
  if (problem.rows() == 0 || problem.rows() > largest_rank) return facts;
  const ContactProblem local = local_problem(problem);
  facts["rank"] = local.global().D.rows();
  if (local.rows() > largest_spectrum) {
    facts["definiteness"] = local.clipped() < rounded ? "positive semidefinite" : "indefinite";
    return facts;
  }
  const Spectrum ends = spectrum(local);
  facts["definiteness"] = ends.verdict;
  facts["eigenvalue_min_per_kg"] = json_number(ends.low);
  facts["eigenvalue_max_per_kg"] = json_number(ends.high);
  return facts;
}

void add_measures(Json& points, const std::string& name, const ContactProblem& problem, const Vector& impulse) {
  for (const Model model : {Model::ccp, Model::ncp}) {
    Judge judge(problem, model);
    const Measures measures = judge.evaluate(all_measures(), {&impulse});
    Json point = {{"point", name}, {"model", model_name(model)}};
    for (const Measure measure : all_measures())
      point[std::string(measure_info(measure).name)] = json_number(measures[measure_index(measure)]);
    points.push_back(std::move(point));
  }
}

Json points_json(const FclibFile& file) {
  Json points = Json::array();
  for_each_point(
      file, [&](const std::string& name, const Vector& impulse) { add_measures(points, name, *file.problem, impulse); });
  return points;
}

Json file_json(const std::string& path) {
  const FclibFile file = read_dump(path);
  Json json = {{"file", path}, {"form", std::string(fclib_form_name(file.form))}};
  for (const auto& [label, text] : {std::pair<const char*, const std::string&>{"title", file.info.title},
                                    {"description", file.info.description},
                                    {"mathematics", file.info.math_info},
                                    {"scene", file.info.scene},
                                    {"parameters", file.info.parameters},
                                    {"certificate", file.info.certificate}})
    if (!text.empty()) json[label] = text;
  if (file.info.seed) json["seed"] = *file.info.seed;
  json["contacts"] = file.contacts;
  json["rows_per_contact"] = file.spacedim;
  json["equality_rows"] = file.p;
  json["degrees_of_freedom"] = is_global(file.form) ? Json(file.n) : Json();
  json["friction_min"] = json_number(file.friction_min);
  json["friction_max"] = json_number(file.friction_max);
  if (is_rolling(file.form)) {
    json["rolling_friction_min_m"] = json_number(file.rolling_friction_min);
    json["rolling_friction_max_m"] = json_number(file.rolling_friction_max);
    json["spinning_friction_min_m"] = json_number(file.spinning_friction_min);
    json["spinning_friction_max_m"] = json_number(file.spinning_friction_max);
  }
  json["matrices"] = Json::array();
  for (const FclibMatrixInfo& matrix : file.matrices)
    json["matrices"].push_back({{"name", matrix.name},
                                {"rows", matrix.rows},
                                {"columns", matrix.columns},
                                {"nonzeros", matrix.nonzeros},
                                {"storage", matrix.storage}});
  json["has_solution"] = file.solution.has_value();
  json["delassus"] = file.problem ? delassus_json(*file.problem) : Json();
  json["points"] = file.problem ? points_json(file) : Json::array();
  json["remarks"] = remarks_of(file);
  return json;
}

/// A row for each file.
Records file_records(const Json& files) {
  Records table({{"file", "file"},
                 {"form", "form"},
                 {"contacts", "contacts", true},
                 {"rows_per_contact", "rows each", true},
                 {"equality_rows", "equality rows", true},
                 {"degrees_of_freedom", "degrees of freedom", true},
                 {"friction_min", "least friction", true},
                 {"friction_max", "largest friction", true},
                 {"rank", "rank", true},
                 {"definiteness", "N"},
                 {"asymmetry", "asymmetry", true},
                 {"has_solution", "solution"}});
  for (const Json& file : files) {
    const auto of_delassus = [&file](const char* key) {
      return file["delassus"].is_null() ? Json() : file["delassus"][key];
    };
    const auto friction = [&file](const char* key) {
      return file[key].is_null() ? Datum(Json()) : number(file[key].get<double>());
    };
    const Json asymmetry = of_delassus("asymmetry");
    table.row({file["file"], file["form"], file["contacts"], file["rows_per_contact"], file["equality_rows"],
               file["degrees_of_freedom"], friction("friction_min"), friction("friction_max"), of_delassus("rank"),
               of_delassus("definiteness"), asymmetry.is_null() ? Datum(asymmetry) : number(asymmetry.get<double>()),
               file["has_solution"]});
  }
  return table;
}

struct InspectArguments {
  std::vector<std::string> files;
  FormatOption format;
};

int inspect(const InspectArguments& options) {
  const std::vector<std::string>& files = options.files;
  if (options.format.text())
    return for_each_file(files, [&](const std::string& file) {
      if (&file != &files.front()) print_line("");
      inspect_file(file);
    });
  Json all = Json::array();
  const int code = for_each_file(files, [&](const std::string& file) { all.push_back(file_json(file)); });
  print_records(options.format.format(), file_records(all), all);
  return code;
}

}  // namespace

void add_inspect(CommandLine& program) {
  Subcommand& command = program.subcommand("inspect", "show the contents of FCLib dumps", inspect_footer);
  InspectArguments& options = command.options<InspectArguments>(inspect);
  command.operands("FILE", &options.files, "FCLib files (HDF5), or text files of Siconos (.dat)", Need::required);
  add_format(command, &options.format);
}

}  // namespace ccp::cli
