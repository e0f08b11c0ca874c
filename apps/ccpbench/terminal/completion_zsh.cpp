#include <fmt/format.h>

#include "core/text.hpp"
#include "terminal/completion.hpp"

namespace ccp::cli {
namespace {

/// A meaning between brackets in a specification of _arguments, which itself stands between single quotes.
std::string zsh_meaning(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What completes a value, as an action of _arguments.
std::string zsh_action(const CommandText& command, const ArgumentText& argument) {
  switch (what_completes(command, argument)) {
    case Completes::choices: return "(" + join(argument.choices, " ") + ")";
    case Completes::file: return "_files";
    case Completes::folder: return "_files -/";
    case Completes::config: return "_files -g \"*.json\"";
    case Completes::dump: return "_ccpbench_source";
    case Completes::solver: return "_ccpbench_solver";
    case Completes::scene: return "_ccpbench_scene";
    case Completes::setting: return "_ccpbench_setting";
    case Completes::parameter: return "_ccpbench_parameter";
    case Completes::topic: return "_ccpbench_topic";
    case Completes::listed: return "_ccpbench_list_name";
    case Completes::nothing: break;
  }
  return " ";
}

std::string zsh_argument(const CommandText& command, const ArgumentText& argument, int position) {
  const std::string value =
      argument.value.empty() ? "" : fmt::format(":{}:{}", zsh_meaning(argument.value), zsh_action(command, argument));
  if (argument.positional) return fmt::format("'{}{}'", argument.repeated ? "*" : fmt::format("{}", position), value);
  std::string text;
  for (const std::string& name : argument.names)
    text += fmt::format("{}'{}{}{}[{}]{}'", text.empty() ? "" : " ", argument.repeated ? "*" : "", name,
                        value.empty() ? "" : "=", zsh_meaning(argument.meaning), value);
  return text;
}

std::string zsh_lists(const char* name, const std::map<std::string, std::vector<std::string>>& lists) {
  std::string text = fmt::format("{}() {{\n  case $1 in\n", name);
  for (const auto& [key, words] : lists)
    if (!words.empty()) text += fmt::format("    {}) print -l {} ;;\n", key, join(words, " "));
  return text + "  esac\n}\n";
}

constexpr const char* zsh_functions = R"x(
_ccpbench_solver() {
  if compset -P 1 '*:'; then
    local solver=${${IPREFIX#--solver=}%%:*}
    compset -P '*,'
    compadd -S '=' -- $(_ccpbench_settings $solver)
  else
    compadd -- $(_ccpbench_names solvers)
  fi
}

_ccpbench_source() {
  if compset -P 'scene:'; then
    if compset -P 1 '*:'; then
      local scene=${${IPREFIX#scene:}%%:*}
      compset -P '*,'
      compadd -S '=' -- $(_ccpbench_parameters $scene)
    else
      compadd -- $(_ccpbench_names scenes)
    fi
  else
    compadd -S '' -- scene:
    _files -g '*.(hdf5|h5)'
  fi
}

_ccpbench_setting() {
  local -i i
  for (( i = 2; i < CURRENT; ++i )); do
    case $words[i] in
      --solver) compadd -S '=' -- $(_ccpbench_settings ${words[i + 1]%%:*}) ;;
      --solver=*) compadd -S '=' -- $(_ccpbench_settings ${${words[i]#--solver=}%%:*}) ;;
    esac
  done
}

_ccpbench_scene() { compadd -- $(_ccpbench_names scenes) }
_ccpbench_topic() { compadd -- $(_ccpbench_names topics) }
_ccpbench_parameter() { compadd -S '=' -- $(_ccpbench_parameters $words[2]) }
_ccpbench_list_name() {
  if [[ $words[2] == configs ]]; then
    compadd -- configs/*.json(N:t:r)
  else
    compadd -- $(_ccpbench_listed $words[2])
  fi
}
)x";

}  // namespace

std::string zsh_completion(const std::vector<CommandText>& texts, const KnownNames& names) {
  std::vector<std::string> topics;
  for (const auto& entry : names.topics) topics.push_back(entry.first);
  std::string script =
      "#compdef ccpbench\n# zsh completion of ccpbench, made by `ccpbench completion zsh`. Put it into a folder of fpath as "
      "_ccpbench,\n# or read it into a shell after compinit: source <(ccpbench completion zsh)\n";
  script += zsh_lists("_ccpbench_names", {{"solvers", names.solvers}, {"scenes", names.scenes}, {"topics", topics}});
  script += zsh_lists("_ccpbench_settings", names.settings) + zsh_lists("_ccpbench_parameters", names.parameters);
  script += zsh_lists("_ccpbench_listed", names.topics) + zsh_functions;
  script += "\n_ccpbench() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(\n";
  for (std::size_t i = 1; i < texts.size(); ++i)
    script += fmt::format("      '{}:{}'\n", texts[i].name, zsh_meaning(texts[i].meaning));
  script += "    )\n    _describe command commands\n    _arguments";
  for (const ArgumentText& argument : texts.front().arguments) script += " " + zsh_argument(texts.front(), argument, 0);
  script += "\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (std::size_t i = 1; i < texts.size(); ++i) {
    script += fmt::format("    {})\n      _arguments", texts[i].name);
    int position = 0;
    for (const ArgumentText& argument : texts[i].arguments)
      script += " \\\n        " + zsh_argument(texts[i], argument, argument.positional ? ++position : 0);
    script += " ;;\n";
  }
  return script +
         "  esac\n}\n\nif [[ $funcstack[1] == _ccpbench ]]; then _ccpbench \"$@\"; else compdef _ccpbench ccpbench; fi\n";
}

}  // namespace ccp::cli
