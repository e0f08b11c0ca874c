#include <fmt/format.h>

#include "core/text.hpp"
#include "terminal/completion.hpp"

namespace ccp::cli {
namespace {

/// A text between single quotes, as fish reads it.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// The options of `complete` that say what a value is.
std::string fish_value(const CommandText& command, const ArgumentText& argument) {
  switch (what_completes(command, argument)) {
    case Completes::choices: return "-x -a " + fish_quoted(join(argument.choices, " "));
    case Completes::file: return "-r -F";
    case Completes::folder: return "-x -a '(__fish_complete_directories (commandline -ct))'";
    case Completes::config: return "-x -a '(__ccpbench_files json)'";
    case Completes::dump: return "-x -a '(__ccpbench_source)'";
    case Completes::solver: return "-x -a '(__ccpbench_solver)'";
    case Completes::scene: return "-x -a '(__ccpbench_names scenes)'";
    case Completes::setting: return "-x -a '(__ccpbench_setting)'";
    case Completes::parameter: return "-x -a '(__ccpbench_parameters (__ccpbench_operand 1))='";
    case Completes::topic: return "-x -a '(__ccpbench_names topics)'";
    case Completes::listed: return "-x -a '(__ccpbench_list_name)'";
    case Completes::nothing: break;
  }
  return "-x";
}

std::string fish_argument(const CommandText& command, const std::string& condition, const ArgumentText& argument) {
  if (argument.positional) {
    const Completes kind = what_completes(command, argument);
    if (kind == Completes::nothing) return "";
    const std::string place = kind == Completes::topic || kind == Completes::scene || kind == Completes::choices
                                  ? "; and __ccpbench_at 1"
                              : kind == Completes::listed ? "; and __ccpbench_at 2"
                                                          : "";
    const std::string value = fish_value(command, argument);
    return fmt::format("complete -c ccpbench -n '{}{}' {}\n", condition, place, value.substr(value.find("-a")));
  }
  std::string line = fmt::format("complete -c ccpbench -n '{}'", condition);
  for (const std::string& name : argument.names)
    line += name.size() == 2 ? " -s " + name.substr(1) : " -l " + name.substr(2);
  if (!argument.value.empty()) line += " " + fish_value(command, argument);
  return line + " -d " + fish_quoted(argument.meaning) + "\n";
}

std::string fish_lists(const char* name, const std::map<std::string, std::vector<std::string>>& lists) {
  std::string text = fmt::format("function {}\n  switch \"$argv[1]\"\n", name);
  for (const auto& [key, words] : lists)
    if (!words.empty()) text += fmt::format("    case {}\n      printf '%s\\n' {}\n", fish_quoted(key), join(words, " "));
  return text + "  end\nend\n";
}

constexpr const char* fish_functions = R"x(
function __ccpbench_none
  test (count (commandline -opc)) -eq 1
end

function __ccpbench_is
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test $words[2] = $argv[1]
end

# The words after the command that are no options. Values of options stand after the operands of these commands.
function __ccpbench_operand
  set -l words (string match -v -- '-*' (commandline -opc)[3..])
  echo $words[$argv[1]]
end

function __ccpbench_at
  test (count (commandline -opc)) -eq (math $argv[1] + 1)
end

# Folders, and files with this ending.
function __ccpbench_files
  __fish_complete_suffix .$argv[1] | string match -r -- ".*(?:/|\\.$argv[1])(?:\t.*)?\$"
end

function __ccpbench_solver
  set -l token (string replace -r -- '^--solver=' '' (commandline -ct))
  if string match -q -- '*:*' $token
    set -l before (string match -r -- '^.*[:,]' $token)
    for name in (__ccpbench_settings (string split -f 1 : -- $token))
      echo $before$name=
    end
  else
    __ccpbench_names solvers
  end
end

function __ccpbench_setting
  set -l words (commandline -opc)
  for i in (seq 2 (count $words))
    set -l solver
    string match -q -- '--solver=*' $words[$i]; and set solver (string replace -- --solver= '' $words[$i])
    test $words[(math $i - 1)] = --solver; and set solver $words[$i]
    test -n "$solver"; or continue
    for name in (__ccpbench_settings (string split -f 1 : -- $solver))
      echo $name=
    end
  end
end

function __ccpbench_source
  set -l token (commandline -ct)
  if string match -q -- 'scene:*:*' $token
    set -l before (string match -r -- '^.*[:,]' $token)
    for name in (__ccpbench_parameters (string split -f 2 : -- $token))
      echo $before$name=
    end
  else
    printf 'scene:%s\n' (__ccpbench_names scenes)
    __ccpbench_files hdf5
  end
end

function __ccpbench_list_name
  set -l topic (__ccpbench_operand 1)
  if test "$topic" = configs
    for file in configs/*.json
      string replace -r -- '.*/(.*)\.json$' '$1' $file
    end
  else
    __ccpbench_listed $topic
  end
end

complete -c ccpbench -f
)x";

}  // namespace

std::string fish_completion(const std::vector<CommandText>& texts, const KnownNames& names) {
  std::vector<std::string> topics;
  for (const auto& entry : names.topics) topics.push_back(entry.first);
  std::string script =
      "# fish completion of ccpbench, made by `ccpbench completion fish`. Put it into "
      "~/.config/fish/completions/ccpbench.fish.\n";
  script += fish_lists("__ccpbench_names", {{"solvers", names.solvers}, {"scenes", names.scenes}, {"topics", topics}});
  script += fish_lists("__ccpbench_settings", names.settings) + fish_lists("__ccpbench_parameters", names.parameters);
  script += fish_lists("__ccpbench_listed", names.topics) + fish_functions;
  for (const ArgumentText& argument : texts.front().arguments)
    script += fish_argument(texts.front(), "__ccpbench_none", argument);
  for (std::size_t i = 1; i < texts.size(); ++i) {
    script +=
        fmt::format("complete -c ccpbench -n __ccpbench_none -a {} -d {}\n", texts[i].name, fish_quoted(texts[i].meaning));
    for (const ArgumentText& argument : texts[i].arguments)
      script += fish_argument(texts[i], "__ccpbench_is " + texts[i].name, argument);
  }
  return script;
}

}  // namespace ccp::cli
