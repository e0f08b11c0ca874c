#include "terminal/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace ccp::cli {
namespace {

/// A text between single quotes, as sh and zsh read it.
std::string single_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Functions NAME KIND that print the words of a list, and NAME_settings, NAME_parameters by solver and scene.
std::string word_lists(const KnownNames& names) {
  const auto table = [](const char* name, const std::map<std::string, std::vector<std::string>>& lists) {
    std::string text = fmt::format("{}() {{\n  case $1 in\n", name);
    for (const auto& [key, words] : lists)
      if (!words.empty()) text += fmt::format("    {}) echo {} ;;\n", key, single_quoted(join(words, " ")));
    return text + "  esac\n}\n";
  };
  std::vector<std::string> topics;
  for (const auto& entry : names.topics) topics.push_back(entry.first);
  return table("_ccpbench_words", {{"solvers", names.solvers}, {"scenes", names.scenes}, {"topics", topics}}) +
         table("_ccpbench_settings", names.settings) + table("_ccpbench_parameters", names.parameters) +
         table("_ccpbench_listed", names.topics);
}

const char* bash_kind(Completes kind) {
  switch (kind) {
    case Completes::file: return "file";
    case Completes::folder: return "folder";
    case Completes::config: return "config";
    case Completes::dump: return "dump";
    case Completes::solver: return "solver";
    case Completes::scene: return "scene";
    case Completes::setting: return "setting";
    case Completes::parameter: return "parameter";
    case Completes::topic: return "topic";
    case Completes::listed: return "listed";
    case Completes::choices:
    case Completes::nothing: break;
  }
  return "nothing";
}

/// "run --out) kind=folder ;;" for each option with a value, and "run 1) …" for operands; the last one may be repeated.
std::string bash_cases(const std::vector<CommandText>& texts) {
  std::string text;
  for (const CommandText& command : texts) {
    int position = 0;
    for (const ArgumentText& argument : command.arguments) {
      if (argument.value.empty()) continue;
      const Completes kind = what_completes(command, argument);
      std::vector<std::string> places;
      if (argument.positional)
        places = {fmt::format("'{} '{}", command.name, argument.repeated ? "[0-9]*" : fmt::format("{}", ++position))};
      else
        for (const std::string& name : argument.names) places.push_back(fmt::format("'{} {}'", command.name, name));
      const std::string what = kind == Completes::choices
                                   ? fmt::format("kind=choices; choices={}", single_quoted(join(argument.choices, " ")))
                                   : fmt::format("kind={}", bash_kind(kind));
      text += fmt::format("    {}) {} ;;\n", join(places, "|"), what);
    }
  }
  return text;
}

std::string bash_options(const std::vector<CommandText>& texts) {
  std::string text;
  for (const CommandText& command : texts) {
    std::vector<std::string> options;
    for (const ArgumentText& argument : command.arguments)
      if (!argument.positional) options.insert(options.end(), argument.names.begin(), argument.names.end());
    text += fmt::format("    {}) echo {} ;;\n", command.name, single_quoted(join(options, " ")));
  }
  return text;
}

constexpr const char* bash_head =
    "# bash completion of ccpbench, made by `ccpbench completion bash`. Put it where bash-completion looks, such as\n"
    "# ~/.local/share/bash-completion/completions/ccpbench, or read it into a shell: source <(ccpbench completion bash)\n";

/// Words without the breaks that readline puts at ':' and '=': the line up to the cursor, cut at blanks.
constexpr const char* bash_body =
    R"x(
# Sets kind and choices of what stands at a place: COMMAND OPTION, or COMMAND NUMBER for an operand.
_ccpbench_kind() {
  kind='' choices=''
  case "$1 $2" in
%CASES%  esac
}

_ccpbench_options() {
  case $1 in
%OPTIONS%  esac
}

# "a=" of each of these names, after what stands before in a list a=1,b=
_ccpbench_assignments() {
  local name
  for name in $2; do replies+=("$1$name="); done
}

_ccpbench_solver() {
  local solver=${value%%:*} before=${value%"${value##*[:,]}"}
  if [[ $value == *:* ]]; then
    [[ ${value##*[:,]} == *=* ]] || _ccpbench_assignments "$before" "$(_ccpbench_settings "$solver")"
  else
    replies=($(_ccpbench_words solvers))
  fi
}

_ccpbench_source() {
  local rest=${value#scene:} before=${value%"${value##*[:,]}"} name
  if [[ $rest == *:* ]]; then
    [[ ${value##*[:,]} == *=* ]] || _ccpbench_assignments "$before" "$(_ccpbench_parameters "${rest%%:*}")"
  else
    for name in $(_ccpbench_words scenes); do replies+=("scene:$name"); done
  fi
}

_ccpbench_fill() {
  local word
  case $kind in
    choices) replies=($choices) ;;
    solver) _ccpbench_solver ;;
    scene) replies=($(_ccpbench_words scenes)) ;;
    topic) replies=($(_ccpbench_words topics)) ;;
    listed)
      replies=($(_ccpbench_listed "${operands[0]}"))
      if [[ ${operands[0]} == configs ]]; then
        for word in configs/*.json; do [[ -e $word ]] && word=${word##*/} && replies+=("${word%.json}"); done
      fi ;;
    setting)
      [[ $value == *=* ]] || for word in "${solvers[@]}"; do _ccpbench_assignments '' "$(_ccpbench_settings "$word")"; done ;;
    parameter) [[ $value == *=* ]] || _ccpbench_assignments '' "$(_ccpbench_parameters "${operands[0]}")" ;;
    config) mapfile -t replies < <(compgen -f -X '!*.json' -- "$value"; compgen -d -- "$value"); files=yes ;;
    folder) mapfile -t replies < <(compgen -d -- "$value"); files=yes ;;
    file) mapfile -t replies < <(compgen -f -- "$value"); files=yes ;;
    dump)
      _ccpbench_source
      if [[ $value != scene:* ]]; then
        mapfile -t -O "${#replies[@]}" replies < <(compgen -f -X '!*.h*5' -- "$value"; compgen -d -- "$value")
        [[ $value ]] && files=yes
      fi ;;
  esac
}

_ccpbench() {
  local line=${COMP_LINE:0:COMP_POINT} current='' command='' option='' value='' kind choices files='' word reply breaks=''
  local -a words operands=() solvers=() replies=()
  local IFS=$' \t\n'
  COMPREPLY=()
  read -ra words <<< "$line"
  if [[ $line != *[[:blank:]] ]]; then current=${words[${#words[@]} - 1]}; unset "words[${#words[@]} - 1]"; fi
  for word in "${words[@]:1}"; do  # what is there already
    if [[ $option ]]; then
      [[ $option == --solver ]] && solvers+=("${word%%:*}")
      option=''
    elif [[ $word == --*=* ]]; then
      [[ $word == --solver=* ]] && word=${word#*=} && solvers+=("${word%%:*}")
    elif [[ $word == -* ]]; then
      _ccpbench_kind "$command" "$word"
      [[ $kind ]] && option=$word
    elif [[ ! $command ]]; then
      command=$word
    else
      operands+=("$word")
    fi
  done
  value=$current
  if [[ $option ]]; then
    _ccpbench_kind "$command" "$option"
    _ccpbench_fill
  elif [[ $current == --*=* ]]; then
    value=${current#*=}
    _ccpbench_kind "$command" "${current%%=*}"
    _ccpbench_fill
    replies=("${replies[@]/#/${current%%=*}=}")
  elif [[ $current == -* ]]; then
    replies=($(_ccpbench_options "${command:-ccpbench}"))
  elif [[ ! $command ]]; then
    replies=(%COMMANDS%)
  else
    _ccpbench_kind "$command" "$((${#operands[@]} + 1))"
    _ccpbench_fill
  fi
  # readline replaces what stands after the last ':' or '=' alone
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $breaks ]] && breaks=${current%"${current##*[$breaks]}"}
  for reply in "${replies[@]}"; do
    [[ $reply == "$current"* ]] && COMPREPLY+=("${reply#"$breaks"}")
  done
  [[ $files ]] && compopt -o filenames 2>/dev/null
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}

complete -F _ccpbench ccpbench
)x";

std::string with(std::string text, const std::string& mark, const std::string& part) {
  const auto place = text.find(mark);
  return text.replace(place, mark.size(), part);
}

}  // namespace

Completes what_completes(const CommandText& of, const ArgumentText& argument) {
  const std::string& value = argument.value;
  if (!argument.choices.empty()) return Completes::choices;
  if (value == "SOLVER") return Completes::solver;
  if (value == "SCENE") return Completes::scene;
  if (value == "TOPIC") return Completes::topic;
  if (value == "NAME" && of.name == "list") return Completes::listed;
  if (value == "CONFIG" || value == "INPUT") return Completes::config;
  if (value == "DIR" || value == "RESULTS") return Completes::folder;
  if (value == "FILE") return argument.positional ? Completes::dump : Completes::file;
  if (value != "NAME=VALUE") return Completes::nothing;
  return of.name == "generate" ? Completes::parameter : Completes::setting;
}

std::string bash_completion(const std::vector<CommandText>& texts, const KnownNames& names) {
  std::vector<std::string> commands;
  for (std::size_t i = 1; i < texts.size(); ++i) commands.push_back(texts[i].name);
  std::string body = with(bash_body, "%CASES%", bash_cases(texts));
  body = with(std::move(body), "%OPTIONS%", bash_options(texts));
  return bash_head + word_lists(names) + with(std::move(body), "%COMMANDS%", join(commands, " "));
}

}  // namespace ccp::cli
