#include <fmt/format.h>

#include "commands/command.hpp"
#include "io/fclib_reader.hpp"
#include "linalg/dense.hpp"
#include "problem/judge/judge.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {
namespace {

constexpr const char* inspect_footer =
    "Examples\n"
    "  $ ccpbench inspect dump.hdf5\n"
    "  $ ccpbench inspect fclib/*.hdf5\n"
    "\n"
    "Exit codes: 0 done, 2 a file could not be read (the others are shown).\n";

constexpr Index largest_rank = 3000;      // rows; beyond, the dense factorisation takes too long
constexpr Index largest_spectrum = 1000;  // rows; beyond, eigenvalues take too long

std::string size_text(const FclibFile& file) {
  std::string text =
      fmt::format("{} of {} rows", counted(static_cast<std::size_t>(file.contacts), "contact"), file.spacedim);
  if (file.p > 0) text += fmt::format(", {}", counted(static_cast<std::size_t>(file.p), "equality row"));
  if (file.form != FclibForm::local) text += fmt::format(", {} degrees of freedom", file.n);
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
  if (file.form == FclibForm::global_rolling && file.contacts > 0)
    table.fact("rolling μ_r", range_text(file.rolling_friction_min, file.rolling_friction_max) + " m");
  for (const FclibMatrixInfo& matrix : file.matrices)
    table.fact("matrix " + matrix.name,
               fmt::format("{} × {}, {} nonzeros, {}", matrix.rows, matrix.columns, matrix.nonzeros, matrix.storage));
  return table;
}

std::string definiteness(const ContactProblem& local) {
  const Index rows = local.rows();
  if (rows > largest_spectrum) {
    if (local.clipped() < 1e-10) return "positive semidefinite to rounding";
    return fmt::format("indefinite: its negative part is {} of max|N|", short_number(local.clipped()));
  }
  const DenseMatrix N(local.local().N);
  const Vector eigenvalues = symmetric_eigenvalues(0.5 * (N + N.transpose()));
  const double low = eigenvalues[0], high = eigenvalues[rows - 1];
  const double rounding =
      static_cast<double>(rows) * std::numeric_limits<double>::epsilon() * eigenvalues.cwiseAbs().maxCoeff();
  const char* verdict = low > rounding ? "positive definite" : low >= -rounding ? "positive semidefinite" : "indefinite";
  return fmt::format("{}, eigenvalues from {} to {} 1/kg", verdict, short_number(low), short_number(high));
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

Table points_table(const FclibFile& file) {
  Table table({{"point"},
               {"model"},
               {"velocity residual, m/s", true},
               {"relative", true},
               {"natural map", true},
               {"objective, J", true}});
  const ContactProblem& problem = *file.problem;
  if (problem.rows() == 0) return table;
  add_point(table, "γ = 0", problem, Vector::Zero(problem.rows()));
  for (std::size_t i = 0; i < file.guesses.size(); ++i)
    if (const auto impulse = file.impulse(file.guesses[i]))
      add_point(table, fmt::format("guess {}", i + 1), problem, *impulse);
  if (file.solution)
    if (const auto impulse = file.impulse(*file.solution)) add_point(table, "solution", problem, *impulse);
  return table;
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
  for (const std::string& remark : file.remarks) remarks.row({printable(remark)});
  if (!file.problem) remarks.row({"rolling friction is recognised, but no solver takes it"});
  print_section("Remarks", remarks);
}

int inspect(const std::vector<std::string>& files) {
  return for_each_file(files, [&](const std::string& file) {
    if (&file != &files.front()) print_line("");
    inspect_file(file);
  });
}

}  // namespace

void add_inspect(CommandLine& program) {
  Subcommand& command = program.subcommand("inspect", "what is in FCLib dumps", inspect_footer);
  auto& files = command.options<std::vector<std::string>>(inspect);
  command.operands("FILE", &files, "FCLib files (HDF5)", Need::required);
}

}  // namespace ccp::cli
