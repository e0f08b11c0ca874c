#pragma once

#include <string>
#include <utility>
#include <vector>

/// The names of solvers that users bring: "python:FILE:FUNCTION", whose function is `solve` unless named, and
/// "command:WORDS", words with blanks between them ("\ " is a blank inside one). Of a command the first word with a slash is
/// a path, and so is each that begins with ./ or ../; without a slash the first word is looked up in PATH.
namespace ccp {

bool is_external_name(const std::string& text);

/// The same name with absolute paths: relative ones are from `folder`. Throws InputError for a name that is malformed.
std::string absolute_external(const std::string& name, const std::string& folder);

/// The same with paths from `folder`, for a file that stands there; absolute ones stay.
std::string relative_external(const std::string& name, const std::string& folder);

/// The files that it names, by their paths.
std::vector<std::string> external_files(const std::string& name);

/// Without folders: "python:mine.py:solve". What tells solvers apart wherever their files are.
std::string external_identity(const std::string& name);

/// "mine", "mine:other", "my_solver --fast".
std::string external_label(const std::string& name);

/// "sha256:…" of the contents of its files; "absent" where one is missing.
std::string external_version(const std::string& name);

/// What starts it. Python is the value of CCPBENCH_PYTHON, else that of an active environment, else that of the system.
std::vector<std::string> external_command(const std::string& name);

/// "NAME:SETTING=VALUE,…" of a command line as NAME and the rest, for solvers of any kind.
std::pair<std::string, std::string> split_settings(const std::string& text);

}  // namespace ccp
