#include "views/tuned_config.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "bench/config/config_json.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "problem/judge/measure.hpp"
#include "terminal/arguments.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

/// A pattern of dumps that is absolute, as seen from a folder.
void make_pattern_relative(Json& problem, const std::filesystem::path& folder) {
  const auto pattern = problem.find("fclib");
  if (pattern == problem.end() || !pattern->is_string()) return;
  const std::filesystem::path path = pattern->get<std::string>();
  if (!path.is_absolute()) return;
  const std::string relative = path.lexically_relative(std::filesystem::absolute(folder).lexically_normal()).string();
  *pattern = relative.starts_with("../") ? relative : "./" + relative;
}

void check_swept_pointers(const Json& sweep, const std::string& file) {
  for (const auto& [pointer, values] : sweep.items()) {
    if (pointer == "zip")
      check_swept_pointers(values, file);
    else if (!is_below(pointer, "/problems"))
      throw InputError(file, "/sweep",
                       fmt::format("varies {}, expected a sweep over problems alone", shown_pointer(pointer)));
  }
}

}  // namespace

TunedConfig::TunedConfig(const Config& base, const std::string& solver, PlanOptions plan)
    : file_(base.file), named_(solver), plan_(std::move(plan)), document_(try_parse_json(base.resolved)) {
  if (document_.contains("sweep")) check_swept_pointers(document_["sweep"], file_);
  for (const auto& spec : base.variants.front().solvers) labels_.push_back(spec->base_label);
  find_entry(base);
  for (const char* key : {"sizes", "claims", "plots", "kernels", "description"}) document_.erase(key);
  solver_ = solver_named(entry_["solver"].get<std::string>());
  FieldTable& fields = solver_->settings();
  const Json given = entry_.value("parameters", Json::object());
  for (const auto& [name, value] : given.items()) fields.set_from_text(name, json_text(value));
}

void TunedConfig::find_entry(const Config& base) {
  const Json& solvers = document_["solvers"];
  const auto& specs = base.variants.front().solvers;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i]->base_label == named_) found = {i};
  if (found.empty())
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (specs[i]->solver == named_) found.push_back(i);
  if (found.size() > 1) {
    std::vector<std::string> labels;
    for (const std::size_t i : found) labels.push_back("'" + labels_[i] + "'");
    throw InputError("", "--solver",
                     fmt::format("'{}' stands {} times in {}, expected one of the labels {}", named_, found.size(), file_,
                                 join(labels, ", ")));
  }
  if (found.size() == 1) {
    entry_ = solvers[found.front()];
    return;
  }
  const std::vector<std::string>& names = catalog().solver_names;
  if (std::find(names.begin(), names.end(), named_) == names.end()) {
    std::vector<std::string> known = labels_;
    known.insert(known.end(), names.begin(), names.end());
    throw InputError("", "--solver",
                     fmt::format("'{}' is neither a label in {} nor a solver{}", named_, file_, suggestion(named_, known)));
  }
  entry_ = {{"solver", named_}};
}

void TunedConfig::add_beside(const std::vector<std::string>& beside, Json& solvers) const {
  std::vector<bool> used(labels_.size(), false);
  for (const std::string& pattern : beside) {
    bool matches = false;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (pattern != labels_[i] && ::fnmatch(pattern.c_str(), labels_[i].c_str(), 0) != 0) continue;
      matches = true;
      if (used[i]) continue;
      used[i] = true;
      solvers.push_back(document_["solvers"][i]);
      solvers.back()["label"] = labels_[i];
    }
    if (!matches)
      throw InputError("", "--beside",
                       fmt::format("'{}' matches no solver of {}{}", pattern, file_, suggestion(pattern, labels_)));
  }
}

StudyConfig TunedConfig::with(const TunedEntries& entries, const std::string& name, const std::filesystem::path& folder,
                              const std::vector<std::string>& beside, const std::string& metric) const {
  Json document = document_, solvers = Json::array();
  for (const auto& [label, parameters] : entries) {
    Json& entry = solvers.emplace_back(entry_);
    entry["label"] = label;
    if (!entry.contains("parameters")) entry["parameters"] = Json::object();
    entry["parameters"].update(parameters);
  }
  add_beside(beside, solvers);
  document["solvers"] = std::move(solvers);
  if (metric.empty())
    document["trace"] = Json::array({document.value("stop", Json::object()).value("measure", "relative_residual")});
  else
    document["plots"] = Json::array({{{"kind", "ensemble"}, {"metric", metric}}});
  return finished(std::move(document), name, folder);
}

StudyConfig TunedConfig::probe(const std::filesystem::path& folder) const {
  Json document = document_;
  document["solvers"] = Json::array({entry_});
  document["solvers"][0]["label"] = "default";
  document["stop"]["max_iterations"] = 1;
  return finished(std::move(document), "probe", folder);
}

StudyConfig TunedConfig::finished(Json document, const std::string& name, const std::filesystem::path& folder) const {
  document["name"] = name;
  document["title"] = fmt::format("Settings of {}", named_);
  for (Json& problem : document["problems"]) make_pattern_relative(problem, folder);
  StudyConfig made{dump_json(document, 2) + "\n", {}, {}};
  made.config = parse_config(made.text, (folder / (name + ".json")).string(), catalog());
  made.plan = make_plan(made.config, plan_);
  return made;
}

}  // namespace ccp::cli
