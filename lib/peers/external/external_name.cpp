#include "peers/external/external_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "peers/adapter_command.hpp"
#include "peers/external/python_script.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

const std::string python_prefix = "python:", command_prefix = "command:";

bool is_identifier(const std::string& text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}

struct PythonName {
  std::string file, function;
};

PythonName python_name(const std::string& name) {
  const std::string rest = name.substr(python_prefix.size());
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string::npos && is_identifier(rest.substr(colon + 1)))
    return {rest.substr(0, colon), rest.substr(colon + 1)};
  return {rest, "solve"};
}

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = command_prefix.size(); i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size())
      word += name[++i];
    else if (name[i] == ' ')
      finish();
    else
      word += name[i];
  }
  finish();
  return words;
}

std::string command_of(const std::vector<std::string>& words) {
  std::string text = command_prefix;
  for (const std::string& word : words) {
    if (text.size() > command_prefix.size()) text += ' ';
    for (const char c : word) text += c == ' ' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return text;
}

bool is_python(const std::string& name) { return name.starts_with(python_prefix); }

/// Whether word `i` of a command is a path.
bool is_path(const std::string& word, std::size_t i) {
  return word.starts_with('/') || word.starts_with("./") || word.starts_with("../") ||
         (i == 0 && word.find('/') != std::string::npos);
}

/// Calls `change` with each path of the name; the name with what that returned.
template <typename Change>
std::string with_paths(const std::string& name, const Change& change) {
  if (is_python(name)) {
    const PythonName parts = python_name(name);
    return python_prefix + change(parts.file) + ":" + parts.function;
  }
  std::vector<std::string> words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (is_path(words[i], i)) words[i] = change(words[i]);
  return command_of(words);
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

}  // namespace

bool is_external_name(const std::string& text) { return is_python(text) || text.starts_with(command_prefix); }

std::string absolute_external(const std::string& name, const std::string& folder) {
  if (is_python(name) ? python_name(name).file.empty() : words_of(name).empty())
    throw InputError("'" + name + "' names no solver, expected python:FILE, python:FILE:FUNCTION or command:PROGRAM");
  return with_paths(
      name, [&](const std::string& path) { return fs::absolute(fs::path(folder) / path).lexically_normal().string(); });
}

std::string relative_external(const std::string& name, const std::string& folder) {
  return with_paths(name, [&](const std::string& path) {
    if (fs::path(path).is_absolute()) return path;
    const std::string from = fs::absolute(path).lexically_normal().lexically_relative(fs::path(folder).lexically_normal());
    return from.starts_with("../") ? from : "./" + from;
  });
}

std::vector<std::string> external_files(const std::string& name) {
  std::vector<std::string> files;
  with_paths(name, [&](const std::string& path) { return files.emplace_back(path); });
  return files;
}

std::string external_identity(const std::string& name) { return with_paths(name, file_name); }

std::string external_label(const std::string& name) {
  if (!is_python(name)) return external_identity(name).substr(command_prefix.size());
  const auto [file, function] = python_name(name);
  return fs::path(file).stem().string() + (function == "solve" ? "" : ":" + function);
}

std::string external_version(const std::string& name) {
  Sha256 hash;
  for (const std::string& file : external_files(name)) {
    std::error_code error;
    std::ifstream stream(file, std::ios::binary);
    if (!fs::is_regular_file(file, error) || !stream) return "absent";
    std::vector<char> buffer(std::size_t{1} << 16);
    while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), stream.gcount() > 0)
      hash.update({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return "sha256:" + hash.hex_digest().substr(0, 16);
}

std::vector<std::string> external_command(const std::string& name) {
  if (!is_python(name)) return words_of(name);
  const auto [file, function] = python_name(name);
  std::vector<std::string> command = python_adapter("CCPBENCH_PYTHON", python_script);
  const bool environment = std::getenv("VIRTUAL_ENV") != nullptr || std::getenv("CONDA_PREFIX") != nullptr;
  if (environment && std::getenv("CCPBENCH_PYTHON") == nullptr) command.front() = "python3";
  command.insert(command.end(), {file, function});
  return command;
}

std::pair<std::string, std::string> split_settings(const std::string& text) {
  const std::size_t colon = is_external_name(text) ? text.rfind(':') : text.find(':');
  if (colon == std::string::npos) return {text, ""};
  const std::string rest = text.substr(colon + 1);
  const std::size_t equals = rest.find('=');
  const bool settings = equals != std::string::npos && is_identifier(rest.substr(0, equals));
  if (is_external_name(text) && !settings) return {text, ""};
  return {text.substr(0, colon), rest};
}

}  // namespace ccp
