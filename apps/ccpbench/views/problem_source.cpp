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

void try_reading(const std::string& path, const std::function<void()>& read) {
  const auto died = try_apart([&] {
    try {
      read();
    } catch (const std::exception&) {
      // said by the second reading
    }
  });
  if (died)
    throw InputError(path, "", fmt::format("is damaged: a process that tried to read it ended by {}", died->text()));
}

FclibFile read_dump(const std::string& path) {
  try_reading(path, [&] { read_fclib(path); });
  return read_fclib(path);
}

NamedScene named_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                       const std::string& option) {
  NamedScene named{make_scene(name), {}};
  set_fields(named.scene->parameters(), assignments, option);
  named.info.title = named.scene->info().title;
  named.info.description = named.scene->info().reference;
  named.info.scene = name;
  named.info.parameters = parameters_json(named.scene->parameters().values()).dump();
  named.info.seed = seed;
  return named;
}

NamedProblem build_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                         const std::string& option) {
  NamedScene named = named_scene(name, assignments, seed, option);
  return {"scene " + name, named.scene->build(seed), std::move(named.info), std::nullopt};
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
