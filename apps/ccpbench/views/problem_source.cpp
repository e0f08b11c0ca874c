#include "views/problem_source.hpp"

#include <fmt/format.h>

#include <sstream>

#include "bench/config/config_json.hpp"
#include "core/error.hpp"
#include "problem/problem_builder.hpp"
#include "problems/registry.hpp"
#include "process/process_pool.hpp"
#include "terminal/arguments.hpp"

namespace ccp::cli {

FclibFile read_dump(const std::string& path) {
  const auto broken_off = try_apart([&] {
    try {
      read_fclib(path);
    } catch (const std::exception&) {
      // said by the second reading
    }
  });
  if (broken_off)
    throw InputError(path, "", fmt::format("is damaged: a process that tried to read it ended by {}", broken_off->text()));
  return read_fclib(path);
}

NamedProblem build_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                         const std::string& option) {
  const auto scene = make_scene(name);
  set_fields(scene->parameters(), assignments, option);
  FclibInfo info;
  info.title = scene->info().title;
  info.description = scene->info().reference;
  info.scene = name;
  info.parameters = parameters_json(scene->parameters().values()).dump();
  info.seed = seed;
  return {"scene " + name, scene->build(seed), std::move(info), std::nullopt};
}

NamedProblem load_problem(const std::string& source, std::uint64_t seed) {
  const std::string scene_prefix = "scene:";
  if (source.starts_with(scene_prefix)) {
    std::istringstream text(source.substr(scene_prefix.size()));
    std::string name, assignment;
    std::vector<std::string> assignments;
    std::getline(text, name, ':');
    while (std::getline(text, assignment, ',')) assignments.push_back(assignment);
    return build_scene(name, assignments, seed, source);
  }
  FclibFile file = read_dump(source);
  if (!file.problem)
    throw InputError(source, std::string(fclib_form_name(file.form)),
                     "rolling friction is recognised but no solver takes it, expected fclib_local or fclib_global");
  return {file.path.filename().string(), *file.problem, file.info, std::move(file)};
}

ContactProblem local_problem(const ContactProblem& problem) {
  if (!problem.given_global()) return problem;
  return ProblemBuilder(problem.name())
      .local(problem.local().N, problem.local().r)
      .constraints(problem.constraints())
      .build();
}

}  // namespace ccp::cli
