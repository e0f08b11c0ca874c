#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "bench/analysis/tuning.hpp"
#include "bench/record/metrics.hpp"
#include "bench/results/result_store.hpp"
#include "commands/command.hpp"
#include "commands/script.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "process/interrupt_guard.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/records.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"
#include "views/tuned_config.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

constexpr const char* tune_footer =
    "Examples\n"
    "  $ ccpbench tune my-study.json --solver admm --parameters rho,update_interval\n"
    "  $ ccpbench tune my-study.json --solver ADMM --parameters rho --range rho=1e-3:1e3 --candidates 81\n"
    "  $ ccpbench tune fclib --solver 'ADMM balanced' --parameters rho,preconditioner --beside 'ADMM*' --budget 10m\n"
    "\n"
    "Searches settings of one solver on a part of the problems of a config, and judges them on the others, which the "
    "search\n"
    "has not seen. --candidates settings of a Latin hypercube start on two problems; the best third goes on to three times\n"
    "as many, until all are there. Candidates compete by the geometric mean of their costs, where an unsolved problem\n"
    "counts ten times its dearest solution. The cost is a count of work, not a time, so that the same seed decides the\n"
    "same on every machine. The default always takes part. Problems that are solved at the start are left out.\n"
    "\n"
    "With --budget, batches of candidates follow each other until the time is over; what an unfinished round has tried is\n"
    "not used. The time thus decides how many rounds there are, and nothing else. Ctrl-C keeps what is done, and the same\n"
    "command goes on; a longer --budget goes further.\n"
    "\n"
    "OUT/NAME has tuned.json, a config with the default, the tuned and the solvers of --beside; their results on both "
    "parts,\n"
    "training and held-out; a figure in held-out/plots; and the search, batch-1 and so on.\n"
    "Exit codes: 0 done, 2 bad input, 130 interrupted.\n";

struct TuneArguments {
  std::string config, solver, parameters, budget, name, by = "flops";
  std::vector<std::string> ranges, beside;
  RunOptions run;
  int candidates = 27, seed = 1;
  double held_out = 0.33;
  bool quiet = false, no_figure = false;
  FormatOption format;
};

/// Ctrl-C.
struct TuneInterrupted {};

std::vector<std::string> problems_of(const Plan& plan) {
  std::vector<std::string> labels;
  for (const Cell& cell : plan.cells)
    if (std::find(labels.begin(), labels.end(), cell.problem) == labels.end()) labels.push_back(cell.problem);
  return labels;
}

/// "rho=1e-3:1e3" → rho: "1e-3:1e3"
std::map<std::string, std::string> read_ranges(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> ranges;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("", "--range " + text, "expected NAME=LOW:HIGH, or NAME=a|b of a choice");
    if (!ranges.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw InputError("", "--range " + text, "is given twice for this setting");
  }
  return ranges;
}

/// The search space: each of --parameters, in its order.
std::vector<SearchAxis> read_axes(const TuneArguments& options, const FieldTable& settings) {
  std::map<std::string, std::string> ranges = read_ranges(options.ranges);
  std::vector<SearchAxis> axes;
  std::istringstream list(options.parameters);
  for (std::string name; std::getline(list, name, ',');) {
    const Field* field = settings.find(name);
    if (field == nullptr) throw InputError("", "--parameters", settings.unknown(name));
    for (const SearchAxis& axis : axes)
      if (axis.name == name) throw InputError("", "--parameters", fmt::format("'{}' is named twice", name));
    axes.push_back(search_axis(*field, ranges[name]));
    ranges.erase(name);
  }
  if (axes.empty()) throw InputError("", "--parameters", "names no setting, expected some such as rho,update_interval");
  if (!ranges.empty())
    throw InputError("", "--range " + ranges.begin()->first, "is not among --parameters, expected one that is searched");
  return axes;
}

class Tuning {
 public:
  Tuning(const TuneArguments& options, TunedConfig config, std::vector<SearchAxis> axes)
      : options_(options),
        config_(std::move(config)),
        axes_(std::move(axes)),
        folder_(std::filesystem::path(options.run.out) / options.name),
        by_(options.by) {
    problems_ = problems_of(config_.probe(folder_).plan);
    check_count("for this solver");
    if (!options.budget.empty()) budget_s_ = parse_duration(options.budget, "--budget");
    clock_.start();
  }

  /// The best of the search. Batches follow each other while there is time.
  void search() {
    probe();
    split_ = split_problems(problems_.size(), options_.held_out, static_cast<std::uint64_t>(options_.seed));
    for (int batch = 1; batch == 1 || (budget_s_ && !time_is_over_); ++batch) search_batch(batch);
    if (rounds_ == 0) throw InputError("", "--budget", "is over before the first round, expected a longer one");
  }

  /// Runs default, tuned and those beside on both parts of the problems.
  void judge() {
    TunedEntries entries = {{"default", Json::object()}};
    if (tuned()) entries.emplace_back("tuned", best_);
    const StudyConfig made = config_.with(entries, options_.name, folder_, options_.beside, by_);
    write_file_atomically(folder_ / "tuned.json", made.text);
    labels_.clear();
    for (const auto& solver : made.config.variants.front().solvers) {
      labels_.push_back(solver->label);
      changed_[solver->label] = changed_values(solver_named(solver->solver)->settings(), solver->parameters);
    }
    training_ = judged_on(made, "training", split_.training);
    held_out_ = judged_on(made, "held-out", split_.held_out);
  }

  /// Whether some runs ended at the time limit, so that the clock has decided what they are worth.
  bool clock_decided() const { return clock_decided_; }

  Records records() const {
    Records table({{"solver", "solver"},
                   {"settings", "settings"},
                   {"training_solved", "training, solved", true},
                   {"training_cost", by_, true},
                   {"held_out_solved", "held out, solved", true},
                   {"held_out_cost", by_, true},
                   {"held_out_ratio", "of default", true}});
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const double ratio = held_out_ratio(i);
      table.row({labels_[i], changed_.at(labels_[i]), training_.solved(i), number(training_.scores[i].cost),
                 held_out_.solved(i), number(held_out_.scores[i].cost),
                 std::isfinite(ratio) ? Datum(ratio, fmt::format("{:.2f}", ratio)) : number(ratio)});
    }
    return table;
  }

  void print() const {
    std::vector<std::string> ranges;
    for (const SearchAxis& axis : axes_) ranges.push_back(axis.name + " " + axis.text());
    print_line(fmt::format("{} of {} on {} of training: {} in {}", counted(tried_, "setting"), config_.solver(),
                           counted(split_.training.size(), "problem"), join(ranges, "; "), counted(rounds_, "round")));
    print_line(tuned() ? fmt::format("tuned: {}", Style::out().bold(settings_text()))
                       : std::string("the default is the best of the search"));
    print_line(fmt::format("geometric means of {}; {} held out", by_, counted(split_.held_out.size(), "problem")));
    print_line("");
    ccp::cli::print(records().table(true).text(Style::out(), stdout_width()));
    print_line("");
    if (tuned()) print_line("verdict: " + verdict());
    print_line("config: " + (folder_ / "tuned.json").string());
    print_line("results: " + folder_.string());
  }

  Json document() const {
    const auto names = [this](const std::vector<std::size_t>& indices) {
      Json list = Json::array();
      for (const std::size_t i : indices) list.push_back(problems_[i]);
      return list;
    };
    return {{"solver", config_.solver()},
            {"by", by_},
            {"seed", options_.seed},
            {"rounds", rounds_},
            {"settings_tried", tried_},
            {"tuned", best_},
            {"training", names(split_.training)},
            {"held_out", names(split_.held_out)},
            {"verdict", tuned() ? Json(verdict()) : Json()},
            {"solvers", records().json()}};
  }

  /// The costs on the problems held out, as a figure beside their results.
  void draw() const {
    if (run_script("plot.py", {"--kind=sweep", "--quiet", "--", (folder_ / "held-out").string()}, std::nullopt, stderr) !=
        exit_done)
      report_note("the figure is not drawn; ccpbench plot " + (folder_ / "held-out").string() + " tries again");
  }

 private:
  /// How all did on a part of the problems.
  struct Judged {
    std::vector<TrialScore> scores;
    std::size_t problems = 0;  ///< of both models

    Datum solved(std::size_t i) const {
      return {Json(scores[i].solved), fmt::format("{} of {}", scores[i].solved, problems)};
    }
  };

  void check_count(const std::string& which) const {
    if (problems_.size() < 2)
      throw InputError(options_.config, "/problems",
                       fmt::format("{} {}, expected two at least: one to search on, one to judge by",
                                   counted(problems_.size(), "problem"), which));
  }

  /// Runs the default for one iteration: leaves out the problems that are solved at the start, and goes by iterations where
  /// the solver tells no flops.
  void probe() {
    const StudyConfig made = config_.probe(folder_);
    const ResultStore store = ResultStore::to_read(run_cells(made, made.plan).folder);
    std::set<std::string> idle(problems_.begin(), problems_.end());
    bool told = false, asked = false;
    for (const Cell& cell : made.plan.cells) {
      const auto record = store.find(cell);
      if (record && record->status == Status::solved && record->iterations == 0) continue;
      idle.erase(cell.problem);
      if (!record || record->iterations == 0) continue;
      asked = true;
      const Counters& counts = record->counters;
      const bool counted = counts.products + counts.projections + counts.factorizations + counts.back_solves > 0;
      told = told || by_ == "iterations" || (counted && !std::isnan(cost_of(*record)));
    }
    if (!idle.empty()) {
      const std::vector<std::string> names(idle.begin(), idle.end());
      report_note(
          fmt::format("solved at the start, which tells nothing about settings, and left out: {}", join(names, ", ")));
      std::erase_if(problems_, [&](const std::string& name) { return idle.count(name) > 0; });
      check_count("not solved at the start");
    }
    if (!asked || told) return;
    if (by_ != "flops")
      throw InputError(
          "", "--by",
          fmt::format("{} tells no {}, expected a count that it has, such as iterations", config_.solver(), by_));
    report_note(fmt::format("{} tells no flops; the search goes by iterations", config_.solver()));
    by_ = "iterations";
  }

  /// NaN where the solver does not tell it.
  double cost_of(const CellRecord& record) const {
    if (record.iterations == 0) return 0.0;  // it has done nothing
    const std::string text = find_metric(by_)->field(record);
    return text.empty() ? unknown_number : std::stod(text);
  }

  double held_out_ratio(std::size_t i) const { return held_out_.scores[i].cost / held_out_.scores.front().cost; }

  /// Of the tuned settings, by the problems that the search has not seen.
  std::string verdict() const {
    constexpr std::size_t fewest_problems = 5;
    const double ratio = held_out_ratio(1);
    if (!std::isfinite(ratio)) return "nothing to say, for no held-out problem is solved";
    std::string text = ratio > 1.0 ? "worse than" : ratio < 1.0 ? "better than" : "as good as";
    text += " the default on the held-out problems";
    if (held_out_.problems < fewest_problems)
      text += fmt::format(", which are too few to say: {}, expected {} at least", held_out_.problems, fewest_problems);
    return text;
  }

  bool tuned() const { return best_ != Json::object(); }

  std::string settings_text() const {
    std::vector<std::string> values;
    for (const SearchAxis& axis : axes_) values.push_back(axis.name + "=" + json_text(best_.at(axis.name)));
    return join(values, " ");
  }

  /// Runs these solvers on these problems. Nothing where the time is over before.
  std::optional<std::vector<std::vector<Trial>>> run(const StudyConfig& made, const std::vector<std::string>& labels,
                                                     const std::vector<std::size_t>& problems, bool timed) {
    const std::set<std::string> wanted(labels.begin(), labels.end());
    std::map<std::string, std::size_t> place;
    for (const std::size_t p : problems) place.emplace(problems_[p], place.size());
    Plan plan{made.config.name, {}};
    for (const Cell& cell : made.plan.cells)
      if (wanted.count(cell.label) > 0 && place.count(cell.problem) > 0) plan.cells.push_back(cell);
    std::optional<double> left_s;
    if (timed && budget_s_) {
      left_s = *budget_s_ - clock_.seconds();
      if (*left_s <= 0.0) return std::nullopt;
    }
    const RunReport report = run_cells(made, plan, left_s);
    if (report.remaining > 0) return std::nullopt;
    return trials_of(plan, ResultStore::to_read(report.folder), labels, timed);
  }

  RunReport run_cells(const StudyConfig& made, const Plan& plan, std::optional<double> for_s = std::nullopt) const {
    RunOptions run = options_.run;
    run.out = folder_.string();
    run.for_s = for_s;
    const RunReport report = run_in_terminal(made.config, plan, run, options_.quiet, Warnings::left_out);
    if (report.interrupted) throw TuneInterrupted();
    return report;
  }

  std::vector<std::vector<Trial>> trials_of(const Plan& plan, const ResultStore& store,
                                            const std::vector<std::string>& labels, bool searching) {
    // Both models of a problem are problems of their own.
    std::map<std::string, std::size_t> columns;
    for (const Cell& cell : plan.cells)
      columns.try_emplace(fmt::format("{}/{}", cell.problem, model_name(cell.model)), columns.size());
    std::vector<std::vector<Trial>> trials(labels.size(), std::vector<Trial>(columns.size()));
    for (const Cell& cell : plan.cells) {
      const auto record = store.find(cell);
      if (!record) continue;
      const double cost = cost_of(*record);
      const bool solved = record->status == Status::solved;
      if (solved && std::isnan(cost) && searching)
        throw InputError("", "--by",
                         fmt::format("{} tells no {}, expected a count that it has, such as iterations", cell.id(), by_));
      clock_decided_ = clock_decided_ || record->status == Status::time_limit;
      const auto row = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), cell.label) - labels.begin());
      trials[row][columns.at(fmt::format("{}/{}", cell.problem, model_name(cell.model)))] = {solved, cost};
    }
    return trials;
  }

  void search_batch(int batch) {
    TunedEntries entries = {{"default", Json::object()}};
    if (tuned()) entries.emplace_back("best so far", best_);
    const auto fixed = entries.size();
    const auto seed = static_cast<std::uint64_t>(options_.seed) + static_cast<std::uint64_t>(batch) * 1'000'003;
    for (const Candidate& candidate : latin_candidates(axes_, static_cast<std::size_t>(options_.candidates), seed)) {
      Json parameters = Json::object();
      std::vector<std::string> label;
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        parameters[axes_[a].name] = field_json(candidate[a]);
        label.push_back(axes_[a].name + "=" + field_text(candidate[a]));
      }
      entries.emplace_back(join(label, " "), parameters);
    }
    const StudyConfig made = config_.with(entries, fmt::format("batch-{}", batch), folder_);
    std::vector<std::size_t> left;
    for (std::size_t i = fixed; i < entries.size(); ++i) left.push_back(i);
    for (const HalvingRound& round : halving_rounds(left.size(), split_.training.size())) {
      left.resize(std::min(left.size(), round.candidates));
      const auto leader = try_round(made, entries, fixed, left, round.problems);
      if (!leader) {
        time_is_over_ = true;
        return;
      }
      ++rounds_;
      // A round on few problems decides only while there is nothing better.
      if (round.problems == split_.training.size() || batch == 1) best_ = entries[*leader].second;
    }
    tried_ += entries.size() - fixed;
  }

  /// Puts the candidates in order, the best first, and gives the best of all with the fixed entries.
  std::optional<std::size_t> try_round(const StudyConfig& made, const TunedEntries& entries, std::size_t fixed,
                                       std::vector<std::size_t>& left, std::size_t problems) {
    std::vector<std::size_t> all(fixed);
    for (std::size_t i = 0; i < fixed; ++i) all[i] = i;
    all.insert(all.end(), left.begin(), left.end());
    std::vector<std::string> labels;
    for (const std::size_t i : all) labels.push_back(entries[i].first);
    const auto first = split_.training.begin();
    const auto trials = run(made, labels, {first, first + static_cast<std::ptrdiff_t>(problems)}, true);
    if (!trials) return std::nullopt;
    const std::vector<std::size_t> order = best_first(trial_scores(*trials));
    left.clear();
    for (const std::size_t place : order)
      if (all[place] >= fixed) left.push_back(all[place]);
    return all[order.front()];
  }

  /// Of default, tuned and those beside, in the order of labels_.
  Judged judged_on(const StudyConfig& made, const std::string& name, const std::vector<std::size_t>& part) {
    StudyConfig named = made;
    named.config.name = name;
    const auto trials = *run(named, labels_, part, false);
    return {trial_scores(trials), trials.front().size()};
  }

  const TuneArguments& options_;
  TunedConfig config_;
  std::vector<SearchAxis> axes_;
  std::filesystem::path folder_;
  std::string by_;  ///< the count that is to fall
  std::vector<std::string> problems_, labels_;
  std::map<std::string, std::string> changed_;
  ProblemSplit split_;
  std::optional<double> budget_s_;
  Stopwatch clock_;
  bool time_is_over_ = false, clock_decided_ = false;
  std::size_t tried_ = 0, rounds_ = 0;
  Json best_ = Json::object();  ///< settings beside those of the config
  Judged training_, held_out_;
};

int tune(TuneArguments options) {
  const std::string file = config_file(options.config);
  const PlanOptions plan{options.run.fclib_dir, options.run.threads};
  Config base = read_and_plan(file, catalog(), options.run.overrides, plan).first;
  if (start_user_solvers(base)) base = read_and_plan(file, catalog(), options.run.overrides, plan).first;
  if (options.name.empty()) options.name = base.name + "-tuned";
  TunedConfig config(base, options.solver, plan);
  std::vector<SearchAxis> axes = read_axes(options, config.settings());
  check_output_folder(std::filesystem::path(options.run.out) / options.name);
  Tuning tuning(options, std::move(config), std::move(axes));
  try {
    const InterruptGuard guard;
    tuning.search();
    tuning.judge();
  } catch (const TuneInterrupted&) {
    report_error("interrupted; run it again to go on");
    return exit_interrupted;
  }
  if (tuning.clock_decided())
    report_note(
        "some runs ended at the time limit: on another machine the search may end elsewhere; a higher time_limit_s "
        "or fewer max_iterations of the config avoid that");
  if (options.format.text())
    tuning.print();
  else
    print_records(options.format.format(), tuning.records(), tuning.document());
  if (!options.no_figure) tuning.draw();
  return exit_done;
}

/// Counts of work that a search can go by.
std::vector<std::string> tuned_counts() {
  return {"flops", "iterations", "factorizations", "back_solves", "products", "projections"};
}

}  // namespace

void add_tune(CommandLine& program) {
  Subcommand& command = program.subcommand("tune", "search for better settings of a solver", tune_footer);
  TuneArguments& options = command.options<TuneArguments>(tune);
  command.operand("CONFIG", &options.config, "config file (JSON), or the name of a config; two problems at least",
                  Need::required);
  command.text("--solver", &options.solver, "LABEL", "label of a solver in the config, or the name of a solver",
               Need::required);
  command.text("--parameters", &options.parameters, "NAME,...", "settings to search (`ccpbench list solvers NAME`)",
               Need::required);
  command.repeated("--range", &options.ranges, "NAME=LOW:HIGH",
                   "search a setting there, or among choices NAME=a|b (default: the range that the solver declares, open "
                   "ends 1e4 times from the default, 100 times for whole numbers)");
  command.integer("--candidates", &options.candidates, Range::closed(1, 100000), "N", "settings to try, in each batch");
  command.text("--budget", &options.budget, "TIME", "try batch after batch for this time, such as 10m (default: one batch)");
  command.choice("--by", &options.by, tuned_counts(), "the count of work that is to fall");
  command.repeated("--beside", &options.beside, "GLOB",
                   "other solvers of the config to judge beside it, by their labels, any number of times");
  command.real("--held-out", &options.held_out, Range::closed(0.01, 0.99), "SHARE", "share of problems held out");
  command.integer("--seed", &options.seed, Range::closed(0, 1000000000), "N", "of the candidates and the split of problems");
  command.choice("--size", &options.run.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.repeated("--set", &options.run.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times; an index * is every entry of a list");
  command.text("--fclib", &options.run.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.integer("--jobs", &options.run.jobs, Range::closed(1, 1024), "N", "cells at once");
  command.text("--out", &options.run.out, "DIR", "where the results go, into a folder NAME (default results)");
  command.text("--name", &options.name, "NAME", "of that folder and of the config (default: that of the config and -tuned)");
  command.flag("--no-figure", &options.no_figure, "draw no figure, for which Python and matplotlib are needed");
  command.flag("--quiet", &options.quiet, "no progress");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
