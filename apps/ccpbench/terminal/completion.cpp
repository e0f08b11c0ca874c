#include "terminal/completion.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ccp::cli {
namespace {

using Words = std::vector<std::string>;

constexpr const char* bash_script =
    R"x(# bash completion of ccpbench, made by `ccpbench completion bash`. Put it where bash-completion looks, such as
# ~/.local/share/bash-completion/completions/ccpbench, or read it into a shell: source <(ccpbench completion bash)
_ccpbench() {
  local line=${COMP_LINE:0:COMP_POINT} reply breaks='' IFS=$' \t\n'
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  # readline replaces what stands after the last ':' or '=' alone
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $breaks ]] && breaks=${words[-1]%"${words[-1]##*[$breaks]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r reply _; do
    reply=${reply#"$breaks"}
    [[ $reply == *' '* ]] && printf -v reply %q "$reply"
    COMPREPLY+=("$reply")
  done < <(CCPBENCH_COMPLETE=1 "${words[0]/#\~/$HOME}" "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _ccpbench ccpbench
)x";

constexpr const char* zsh_script = R"x(#compdef ccpbench
# zsh completion of ccpbench, made by `ccpbench completion zsh`. Put it into a folder of fpath as _ccpbench,
# or read it into a shell after compinit: source <(ccpbench completion zsh)
_ccpbench() {
  local word meaning
  local -a whole begun shown
  while IFS=$'\t' read -r word meaning; do
    [[ $word == *[:=/] ]] && begun+=("$word") && continue
    whole+=("$word")
    shown+=("$word${meaning:+  -- $meaning}")
  done < <(CCPBENCH_COMPLETE=1 "${(@Q)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  compadd -l -d shown -a -- whole
  compadd -S '' -a -- begun
}
if [[ $funcstack[1] == _ccpbench ]]; then _ccpbench "$@"; else compdef _ccpbench ccpbench; fi
)x";

constexpr const char* fish_script =
    R"x(# fish completion of ccpbench, made by `ccpbench completion fish`. Put it into ~/.config/fish/completions/ccpbench.fish.
function __ccpbench
  set -lx CCPBENCH_COMPLETE 1
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  command $words "$last" 2>/dev/null
end
complete -c ccpbench -f -a '(__ccpbench)'
)x";

/// The context given by the words before the last one.
struct Line {
  const CommandText* command = nullptr;
  const ArgumentText* option = nullptr;  ///< whose value the last word is
  Words operands, solvers;
};

/// The option of this name that takes a value; null for another.
const ArgumentText* option_of(const CommandText* command, const std::string& name) {
  if (command == nullptr) return nullptr;
  for (const ArgumentText& argument : command->arguments)
    if (!argument.positional && !argument.value.empty() &&
        std::find(argument.names.begin(), argument.names.end(), name) != argument.names.end())
      return &argument;
  return nullptr;
}

Line read_line(const std::vector<CommandText>& texts, const Words& words) {
  Line line;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    const auto named = [&](const CommandText& text) { return text.name == word; };
    if (line.option != nullptr) {
      if (line.option->value == "SOLVER") line.solvers.push_back(word.substr(0, word.find(':')));
      line.option = nullptr;
    } else if (word.starts_with("--solver=")) {
      line.solvers.push_back(word.substr(9, word.find(':') - 9));
    } else if (word.starts_with('-')) {
      line.option = option_of(line.command, word);
    } else if (line.command != nullptr) {
      line.operands.push_back(word);
    } else if (const auto found = std::find_if(texts.begin() + 1, texts.end(), named); found != texts.end()) {
      line.command = &*found;
    }
  }
  return line;
}

/// The operand that comes next; the last one may be repeated. Null where there is none.
const ArgumentText* next_operand(const Line& line) {
  std::size_t position = 0;
  for (const ArgumentText& argument : line.command->arguments)
    if (argument.positional && (argument.repeated || position++ == line.operands.size())) return &argument;
  return nullptr;
}

/// Folders, and files with one of these endings.
Words files(const std::string& value, const Words& endings) {
  namespace fs = std::filesystem;
  const std::string before = value.substr(0, value.rfind('/') + 1);
  const char* home = std::getenv("HOME");
  const std::string folder = before.starts_with("~/") && home != nullptr ? home + before.substr(1) : before;
  Words found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto ends = [&](const std::string& ending) { return name.ends_with(ending); };
    if (name.starts_with('.') && value == before) continue;
    if (entry.is_directory(error))
      found.push_back(before + name + "/");
    else if (std::any_of(endings.begin(), endings.end(), ends))
      found.push_back(before + name);
  }
  return found;
}

/// "a=" of each name after what stands before it in a list a=1,b=; nothing after the '=' of one.
Words assignments(const std::string& value, const Words& names) {
  const std::string before = value.substr(0, value.find_last_of(":,") + 1);
  Words found;
  if (value.find('=', before.size()) != std::string::npos) return found;
  for (const std::string& name : names) found.push_back(before + name + "=");
  return found;
}

Words sources(const std::string& value, const KnownNames& names) {
  const std::string prefix = "scene:", rest = value.substr(std::min(value.size(), prefix.size()));
  if (value.starts_with(prefix) && rest.find(':') != std::string::npos)
    return assignments(value, names.parameters(rest.substr(0, rest.find(':'))));
  Words found = files(value, {".hdf5", ".h5", ".dat"});
  for (const std::string& scene : names.scenes) found.push_back(prefix + scene);
  return found;
}

/// What an argument takes, by the name that it gives its value.
Words values(const ArgumentText& argument, const std::string& value, const Line& line, const KnownNames& names) {
  const std::string& kind = argument.value;
  const std::string first = line.operands.empty() ? "" : line.operands.front();
  if (!argument.choices.empty()) return argument.choices;
  if (kind == "SOLVER")
    return value.find(':') == std::string::npos ? names.solvers
                                                : assignments(value, names.settings(value.substr(0, value.find(':'))));
  if (kind == "SCENE") return names.scenes;
  Words found;
  if (kind == "TOPIC")
    for (const auto& topic : names.topics) found.push_back(topic.first);
  if (kind == "NAME" && names.topics.count(first) > 0) found = names.topics.at(first);
  if (kind == "NAME" && first == "configs")
    for (const std::string& file : files("configs/", {".json"}))
      found.push_back(std::filesystem::path(file).stem().string());
  if (kind == "CONFIG" || kind == "INPUT") found = files(value, {".json"});
  if (kind == "DIR" || kind == "RESULTS" || kind == "SITE") found = files(value, {});
  if (kind == "FILE") found = argument.positional ? sources(value, names) : files(value, {""});
  if (kind == "NAME=VALUE" && line.command->name == "generate") found = assignments(value, names.parameters(first));
  if (kind == "NAME=VALUE")
    for (const std::string& solver : line.solvers)
      for (const std::string& setting : assignments(value, names.settings(solver))) found.push_back(setting);
  return found;
}

}  // namespace

std::string completions(const std::vector<CommandText>& texts, const KnownNames& names, const Words& words) {
  if (words.empty()) return "";
  const std::string& last = words.back();
  const Line line = read_line(texts, words);
  std::map<std::string, std::string> found;  // with meanings
  const auto add = [&](const ArgumentText* argument, const std::string& before) {
    if (argument == nullptr) return;
    for (const std::string& value : values(*argument, last.substr(before.size()), line, names)) found[before + value];
  };
  if (line.option != nullptr) {
    add(line.option, "");
  } else if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    add(option_of(line.command, last.substr(0, equals)), last.substr(0, equals + 1));
  } else if (last.starts_with('-')) {
    for (const ArgumentText& argument : (line.command != nullptr ? *line.command : texts.front()).arguments)
      if (!argument.positional)
        for (const std::string& name : argument.names) found[name] = argument.meaning;
  } else if (line.command == nullptr) {
    for (std::size_t i = 1; i < texts.size(); ++i) found[texts[i].name] = texts[i].meaning;
  } else {
    add(next_operand(line), "");
  }
  std::string text;
  for (const auto& [word, meaning] : found)
    if (word.starts_with(last)) text += word + (meaning.empty() ? "" : "\t" + meaning) + "\n";
  return text;
}

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
}

}  // namespace ccp::cli
