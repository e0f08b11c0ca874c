#include "bench/results/record_json.hpp"

#include <cmath>

#include "bench/config/config_json.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/record/numbers.hpp"

namespace ccp {
namespace {

constexpr int record_schema = 1;

double number_of(const Json& value) { return value.is_null() ? unknown_number : value.get<double>(); }

/// Times, and other values that differ from run to run.
enum class Kept { all, times, others };

template <typename Part>
bool differs_as_times(const Number<Part>& number) {
  return number.unit == "s" || number.key == "instructions";
}

/// Calls with each number of a part of a record that is kept here.
template <typename Part, typename Use>
void for_numbers(Kept kept, const Use& use) {
  for (const Number<Part>& number : numbers<Part>())
    if (kept == Kept::all || differs_as_times(number) == (kept == Kept::times))
      std::visit([&](auto member) { use(number.key, member); }, number.member);
}

template <typename Part>
void put_numbers(Json& json, const Part& part, Kept kept = Kept::all) {
  for_numbers<Part>(kept, [&](const std::string& key, auto member) {
    if constexpr (std::is_same_v<decltype(member), double Part::*>)
      json[key] = json_number(part.*member);
    else
      json[key] = part.*member;
  });
}

template <typename Part>
void take_numbers(const Json& json, Part& part, Kept kept = Kept::all) {
  for_numbers<Part>(kept, [&](const std::string& key, auto member) {
    if constexpr (std::is_same_v<decltype(member), double Part::*>)
      part.*member = json.contains(key) ? number_of(json.at(key)) : unknown_number;  // older results lack some
    else
      json.at(key).get_to(part.*member);
  });
}

/// A part that not every record has.
template <typename Part>
void put_part(Json& json, const char* key, const std::optional<Part>& part) {
  if (part) put_numbers(json[key], *part);
}

template <typename Part>
void take_part(const Json& json, const char* key, std::optional<Part>& part) {
  if (const auto found = json.find(key); found != json.end()) take_numbers(*found, part.emplace());
}

Json driver_json(const SequenceSpec& sequence) {
  Json json = {{"solver", sequence.driver.solver},
               {"parameters", parameters_json(sequence.driver.parameters)},
               {"measure", measure_info(sequence.driver.stop.measure).name},
               {"tolerance", sequence.driver.stop.tolerance},
               {"max_iterations", sequence.driver.stop.max_iterations},
               {"wall_s", sequence.driver.wall_s}};
  if (sequence.driver.peer_version) json["peer_version"] = *sequence.driver.peer_version;
  if (sequence.driver.stop.judge_every != 1) json["judge_every"] = sequence.driver.stop.judge_every;
  if (sequence.driver.guarded_start) json["guarded_start"] = true;
  if (sequence.trajectory == Trajectory::shared) json["model"] = model_name(sequence.driver.model);
  return json;
}

/// The inputs of the cell.
Json sequence_json(const SequenceSpec& sequence) {
  Json json = {{"steps", sequence.steps},
               {"settle", sequence.settle},
               {"trajectory", trajectories[static_cast<std::size_t>(sequence.trajectory)]},
               {"driver", driver_json(sequence)}};
  if (!sequence.trace_steps.empty()) json["trace_steps"] = sequence.trace_steps;
  if (!sequence.state.empty()) json["state"] = {{"file", sequence.state}, {"sha256", sequence.state_digest}};
  return json;
}

Json problem_json(const Cell& cell, const std::optional<ProblemFacts>& facts) {
  Json problem = {{"name", cell.problem}};
  if (cell.file.empty()) {
    problem["scene"] = cell.spec->scene;
    problem["parameters"] = parameters_json(cell.spec->parameters);
    problem["seed"] = cell.spec->seed;
  } else {
    problem["file"] = cell.file;
  }
  if (!(cell.spec->perturbation == Perturbation{})) problem["perturb"] = perturbation_json(cell.spec->perturbation);
  if (cell.spec->sequence) problem["sequence"] = sequence_json(*cell.spec->sequence);
  problem["sha256"] = cell.problem_key;
  if (facts) {
    problem["title"] = facts->name;
    put_numbers(problem, *facts);
  }
  return problem;
}

Json measures_json(const Measures& measures) {
  Json object = Json::object();
  for (const Measure measure : all_measures())
    object[std::string(measure_info(measure).name)] = json_number(measures[measure_index(measure)]);
  return object;
}

Json crossings_json(const Crossings& crossings) {
  Json object = Json::object();
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    const Crossing& crossing = crossings[i];
    if (crossing.iteration >= 0)
      object[decade_name(first_decade + static_cast<int>(i))] = {{"iteration", crossing.iteration},
                                                                 {"elapsed_s", json_number(crossing.elapsed_s)}};
  }
  return object;
}

Json runs_json(const std::vector<TimedRun>& runs) {
  Json list = Json::array();
  for (const TimedRun& run : runs) {
    list.push_back({{"pass", run.pass},
                    {"setup_s", json_number(run.setup_s)},
                    {"solve_s", json_number(run.solve_s)},
                    {"crossings", crossings_json(run.crossings)},
                    {"cores", run.cores}});
    if (!std::isnan(run.kernel_work_s)) list.back()["kernel_work_s"] = json_number(run.kernel_work_s);
    if (!run.busy.empty()) list.back()["busy"] = run.busy;
    if (!run.difference.empty()) list.back()["difference"] = run.difference;
  }
  return list;
}

Crossings read_crossings(const Json& json) {
  Crossings crossings;
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    const auto found = json.find(decade_name(first_decade + static_cast<int>(i)));
    if (found != json.end()) crossings[i] = {found->at("iteration").get<int>(), number_of(found->at("elapsed_s"))};
  }
  return crossings;
}

/// None where the solver did not finish.
std::vector<TimedRun> read_runs(const Json& json) {
  std::vector<TimedRun> runs;
  for (const Json& run : json.value("runs", Json::array()))
    runs.push_back({run.at("pass").get<int>(), number_of(run.at("setup_s")), number_of(run.at("solve_s")),
                    read_crossings(run.at("crossings")), run.at("cores").get<std::vector<int>>(),
                    run.contains("kernel_work_s") ? number_of(run.at("kernel_work_s")) : unknown_number,
                    run.value("busy", ""), run.value("difference", "")});
  return runs;
}

void read_results(const Json& json, CellRecord& record) {
  take_numbers(json.at("counters"), record.counters, Kept::others);
  take_numbers(json.at("times"), record.counters, Kept::times);
  take_numbers(json.at("times"), record, Kept::times);
  take_numbers(json, record, Kept::others);
  record.limits = {json.at("limits").at("wall_s").get<double>(), json.at("limits").at("memory_mb").get<double>()};
  for (const Measure measure : all_measures())
    record.measures[measure_index(measure)] = number_of(json.at("measures").value(std::string(measure_info(measure).name), Json()));
  record.crossings = read_crossings(json.at("crossings"));
  record.runs = read_runs(json);
  record.verdict = status_from_name(json.value("stopped_by", ""));
  record.notes = json.at("notes").get<std::vector<std::string>>();
  for (const Json& entry : json.at("conversions"))
    record.conversions.push_back({entry.at("name").get<std::string>(), number_of(entry.at("seconds"))});
}

}  // namespace

std::string record_to_json(const Cell& cell, const CellRecord& record) {
  Json conversions = Json::array();
  for (const Conversion& conversion : record.conversions)
    conversions.push_back({{"name", conversion.name}, {"seconds", json_number(conversion.seconds)}});
  Json counters, times;
  put_numbers(counters, record.counters, Kept::others);
  put_numbers(times, record.counters, Kept::times);
  put_numbers(times, record, Kept::times);
  Json json = {
      {"schema", record_schema},
      {"hash", record.hash},
      {"solver_version", solver_version},
      {"problem", problem_json(cell, record.problem)},
      {"model", model_name(cell.model)},
      {"solver",
       {{"label", cell.label}, {"name", cell.solver->solver}, {"parameters", parameters_json(cell.solver->parameters)}}},
      {"stop", stop_json(cell.stop)},
      {"limits", {{"wall_s", record.limits.wall_s}, {"memory_mb", record.limits.memory_mb}}},
      {"trace", names_json(cell.trace)},
      {"threads", cell.threads},
      {"status", status_name(record.status)},
      {"reason", record.reason},
      {"native_converged", record.native_converged},
      {"counters", counters},
      {"times", times},
      {"measures", measures_json(record.measures)},
      {"crossings", crossings_json(record.crossings)},
      {"notes", record.notes},
      {"conversions", conversions}};
  if (cell.solver->start_from_reference) json["solver"]["start"] = {{"from", "reference"}};
  if (cell.solver->start_from_previous)
    json["solver"]["start"] = {{"from", "previous"},
                               {"match", start_matches[static_cast<std::size_t>(*cell.solver->start_from_previous)]}};
  put_numbers(json, record, Kept::others);
  put_part(json, "steps", record.sequence);
  if (record.sequence) {
    json["steps"]["facts"] = Json::object();
    for (const MotionFact& fact : record.sequence->facts) json["steps"]["facts"][fact.name] = json_number(fact.value);
  }
  put_part(json, "native_stop", record.native_stop);
  if (record.verdict) json["stopped_by"] = status_name(*record.verdict);
  if (!record.runs.empty()) json["runs"] = runs_json(record.runs);
  if (record.partial_trace) json["partial_trace"] = true;
  if (record.io_failure) json["io_failure"] = true;
  put_part(json, "balance", record.balance);
  put_part(json, "ranks", record.ranks);
  put_part(json, "kernels", record.kernels);
  return dump_json(json, 2) + "\n";
}

std::optional<CellRecord> record_from_json(const std::string& text) {
  try {
    const Json json = try_parse_json(text);
    const auto status = status_from_name(json.at("status").get<std::string>());
    if (json.at("schema").get<int>() != record_schema || !status) return std::nullopt;
    CellRecord record;
    record.hash = json.at("hash").get<std::string>();
    record.status = *status;
    record.reason = json.at("reason").get<std::string>();
    record.native_converged = json.at("native_converged").get<bool>();
    record.partial_trace = json.value("partial_trace", false);
    record.io_failure = json.value("io_failure", false);
    read_results(json, record);
    const Json& problem = json.at("problem");
    if (problem.contains("rows")) {
      record.problem = ProblemFacts{problem.at("title").get<std::string>()};
      take_numbers(problem, *record.problem);
    }
    take_part(json, "steps", record.sequence);
    if (record.sequence)
      for (const auto& [name, value] : json.at("steps").at("facts").items())
        record.sequence->facts.push_back({name, number_of(value)});
    take_part(json, "native_stop", record.native_stop);
    take_part(json, "balance", record.balance);
    take_part(json, "ranks", record.ranks);
    take_part(json, "kernels", record.kernels);
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace ccp
