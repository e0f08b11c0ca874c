#include "bench/results/record_json.hpp"

#include <cmath>

#include "bench/config/config_json.hpp"
#include "bench/config/config_keys.hpp"

namespace ccp {
namespace {

constexpr int record_schema = 1;

double number_of(const Json& value) { return value.is_null() ? unknown_number : value.get<double>(); }

Json driver_json(const SequenceSpec& sequence) {
  Json json = {{"solver", sequence.driver.solver},
               {"parameters", parameters_json(sequence.driver.parameters)},
               {"measure", measure_info(sequence.driver.stop.measure).name},
               {"tolerance", sequence.driver.stop.tolerance},
               {"max_iterations", sequence.driver.stop.max_iterations},
               {"wall_s", sequence.driver.wall_s}};
  if (sequence.driver.peer_version) json["peer_version"] = *sequence.driver.peer_version;
  if (sequence.trajectory == Trajectory::shared) json["model"] = model_name(sequence.driver.model);
  return json;
}

/// What was asked for.
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
    problem["contacts"] = facts->contacts;
    problem["rows"] = facts->rows;
    problem["dofs"] = facts->dofs;
    problem["symmetry_defect"] = json_number(facts->symmetry_defect);
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

/// Old records have none.
std::vector<TimedRun> read_runs(const Json& json) {
  std::vector<TimedRun> runs;
  for (const Json& run : json.value("runs", Json::array()))
    runs.push_back({run.at("pass").get<int>(), number_of(run.at("setup_s")), number_of(run.at("solve_s")),
                    read_crossings(run.at("crossings")), run.at("cores").get<std::vector<int>>(),
                    run.contains("kernel_work_s") ? number_of(run.at("kernel_work_s")) : unknown_number,
                    run.value("busy", ""), run.value("difference", "")});
  return runs;
}

Json kernels_json(const KernelTimes& times) {
  return {{"product_s", json_number(times.product)},
          {"projection_s", json_number(times.projection)},
          {"block_product_s", json_number(times.block_product)},
          {"csr_product_s", json_number(times.csr_product)},
          {"factors_product_s", json_number(times.factors_product)},
          {"bytes_per_contact", json_number(times.bytes_per_contact)}};
}

KernelTimes read_kernels(const Json& json) {
  return {number_of(json.at("product_s")),         number_of(json.at("projection_s")),
          number_of(json.at("block_product_s")),   number_of(json.at("csr_product_s")),
          number_of(json.at("factors_product_s")), number_of(json.at("bytes_per_contact"))};
}

/// What came of it.
Json steps_json(const SequenceFacts& facts) {
  Json of_scene = Json::object();
  for (const MotionFact& fact : facts.facts) of_scene[fact.name] = json_number(fact.value);
  return {{"steps", facts.steps},
          {"unsolved_steps", facts.unsolved_steps},
          {"steps_at_time_limit", facts.steps_at_time_limit},
          {"iterations_per_step", json_number(facts.iterations_per_step)},
          {"iterations_per_solved_step", json_number(facts.iterations_per_solved_step)},
          {"contacts_per_step", json_number(facts.contacts_per_step)},
          {"iterations_max", facts.iterations_max},
          {"contacts_max", facts.contacts_max},
          {"unknowns_per_step", json_number(facts.unknowns_per_step)},
          {"rows_max", facts.rows_max},
          {"dofs", facts.dofs},
          {"build_s", json_number(facts.build_s)},
          {"deepest_gap", json_number(facts.deepest_gap)},
          {"energy_gain", json_number(facts.energy_gain)},
          {"facts", of_scene}};
}

SequenceFacts read_sequence_facts(const Json& json) {
  SequenceFacts facts;
  json.at("steps").get_to(facts.steps);
  json.at("unsolved_steps").get_to(facts.unsolved_steps);
  json.at("steps_at_time_limit").get_to(facts.steps_at_time_limit);
  facts.iterations_per_step = number_of(json.at("iterations_per_step"));
  facts.iterations_per_solved_step = number_of(json.at("iterations_per_solved_step"));
  facts.contacts_per_step = number_of(json.value("contacts_per_step", Json()));
  json.at("iterations_max").get_to(facts.iterations_max);
  json.at("contacts_max").get_to(facts.contacts_max);
  facts.unknowns_per_step = number_of(json.value("unknowns_per_step", Json()));
  json.at("rows_max").get_to(facts.rows_max);
  json.at("dofs").get_to(facts.dofs);
  facts.build_s = number_of(json.value("build_s", Json()));
  facts.deepest_gap = number_of(json.at("deepest_gap"));
  facts.energy_gain = number_of(json.at("energy_gain"));
  for (const auto& [name, value] : json.at("facts").items()) facts.facts.push_back({name, number_of(value)});
  return facts;
}

Json native_stop_json(const NativeStop& stop) {
  return {{"unmet_steps", stop.unmet_steps},
          {"iterations_per_step", json_number(stop.iterations_per_step)},
          {"iterations_max", json_number(stop.iterations_max)},
          {"factorizations_per_step", json_number(stop.factorizations_per_step)},
          {"relative_residual", json_number(stop.relative_residual)}};
}

NativeStop read_native_stop(const Json& json) {
  return {json.at("unmet_steps").get<std::int64_t>(), number_of(json.at("iterations_per_step")),
          number_of(json.at("iterations_max")), number_of(json.at("factorizations_per_step")),
          number_of(json.at("relative_residual"))};
}

void read_results(const Json& json, CellRecord& record) {
  const Json& counters = json.at("counters");
  for (const auto& [name, counter] : traced_counters) counters.at(name).get_to(record.counters.*counter);
  record.counters.analyses = counters.value("analyses", std::int64_t{0});
  const Json& times = json.at("times");
  record.counters.analysis_s = number_of(times.at("analysis_s"));
  record.counters.factorization_s = number_of(times.at("factorization_s"));
  record.counters.back_solve_s = number_of(times.at("back_solve_s"));
  record.setup_s = number_of(times.at("setup_s"));
  record.solve_s = number_of(times.at("solve_s"));
  record.judging_s = times.contains("judging_s") ? number_of(times["judging_s"]) : unknown_number;
  record.wall_s = number_of(times.at("wall_s"));
  record.peak_memory_mb = number_of(json.at("peak_memory_mb"));
  record.limits = {json.at("limits").at("wall_s").get<double>(), json.at("limits").at("memory_mb").get<double>()};
  for (const Measure measure : all_measures())
    record.measures[measure_index(measure)] = number_of(json.at("measures").at(std::string(measure_info(measure).name)));
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
  const Counters& counters = record.counters;
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
      {"iterations", record.iterations},
      {"native_converged", record.native_converged},
      {"counters",
       {{"factorizations", counters.factorizations},
        {"back_solves", counters.back_solves},
        {"products", counters.products},
        {"projections", counters.projections},
        {"analyses", counters.analyses}}},
      {"times",
       {{"analysis_s", json_number(counters.analysis_s)},
        {"factorization_s", json_number(counters.factorization_s)},
        {"back_solve_s", json_number(counters.back_solve_s)},
        {"setup_s", json_number(record.setup_s)},
        {"solve_s", json_number(record.solve_s)},
        {"judging_s", json_number(record.judging_s)},
        {"wall_s", json_number(record.wall_s)}}},
      {"peak_memory_mb", json_number(record.peak_memory_mb)},
      {"measures", measures_json(record.measures)},
      {"crossings", crossings_json(record.crossings)},
      {"notes", record.notes},
      {"conversions", conversions}};
  if (cell.solver->start_from_reference) json["solver"]["start"] = {{"from", "reference"}};
  if (cell.solver->start_from_previous)
    json["solver"]["start"] = {{"from", "previous"},
                               {"match", start_matches[static_cast<std::size_t>(*cell.solver->start_from_previous)]}};
  if (record.sequence) json["steps"] = steps_json(*record.sequence);
  if (record.native_stop) json["native_stop"] = native_stop_json(*record.native_stop);
  if (record.verdict) json["stopped_by"] = status_name(*record.verdict);
  if (!record.runs.empty()) json["runs"] = runs_json(record.runs);
  if (record.partial_trace) json["partial_trace"] = true;
  if (record.io_failure) json["io_failure"] = true;
  if (record.balance)
    json["balance"] = {{"load_carried", json_number(record.balance->load_carried)},
                       {"speed_left", json_number(record.balance->speed_left)}};
  if (record.kernels) json["kernels"] = kernels_json(*record.kernels);
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
    record.iterations = json.at("iterations").get<int>();
    record.native_converged = json.at("native_converged").get<bool>();
    record.partial_trace = json.value("partial_trace", false);
    record.io_failure = json.value("io_failure", false);
    read_results(json, record);
    const Json& problem = json.at("problem");
    if (problem.contains("rows"))
      record.problem = ProblemFacts{problem.at("title").get<std::string>(), problem.at("contacts").get<Index>(),
                                    problem.at("rows").get<Index>(), problem.at("dofs").get<Index>(),
                                    number_of(problem.at("symmetry_defect"))};
    if (const auto steps = json.find("steps"); steps != json.end()) record.sequence = read_sequence_facts(*steps);
    if (const auto stop = json.find("native_stop"); stop != json.end()) record.native_stop = read_native_stop(*stop);
    if (const auto balance = json.find("balance"); balance != json.end())
      record.balance = Balance{number_of(balance->at("load_carried")), number_of(balance->at("speed_left"))};
    if (const auto kernels = json.find("kernels"); kernels != json.end()) record.kernels = read_kernels(*kernels);
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace ccp
