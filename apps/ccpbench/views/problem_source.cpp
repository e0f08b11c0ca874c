#include "views/problem_source.hpp"

#include <sstream>

#include "problem/problem_builder.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"

namespace ccp::cli {

NamedScene named_scene(const std::string& name, const std::vector<std::string>& assignments, std::uint64_t seed,
                       const std::string& option) {
  NamedScene named{make_scene(name), {}};
  set_fields(named.scene->parameters(), assignments, option);
  named.info = info_of(*named.scene, seed);
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
