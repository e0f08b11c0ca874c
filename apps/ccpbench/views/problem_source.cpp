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

namespace {

struct SceneText {
  std::string name;
  std::vector<std::string> assignments;
};
/// Of "scene:NAME:PARAMETER=VALUE,..."; nothing for a file.
std::optional<SceneText> scene_text(const std::string& source) {
  const std::string scene_prefix = "scene:";
  if (!source.starts_with(scene_prefix)) return std::nullopt;
  std::istringstream text(source.substr(scene_prefix.size()));
  SceneText scene;
  std::string assignment;
  std::getline(text, scene.name, ':');
  while (std::getline(text, assignment, ',')) scene.assignments.push_back(assignment);
  return scene;
}

}  // namespace

std::optional<SceneOrigin> load_origin(const std::string& source, std::uint64_t seed) {
  const auto text = scene_text(source);
  if (!text) return std::nullopt;
  return origin_of(*named_scene(text->name, text->assignments, seed, source).scene, seed);
}

NamedProblem load_problem(const std::string& source, std::uint64_t seed) {
  if (const auto text = scene_text(source)) return build_scene(text->name, text->assignments, seed, source);
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
