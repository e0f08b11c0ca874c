#include "terminal/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/registry.hpp"

namespace ccp::cli {
namespace {

template <typename Number>
Number parse_number(const std::string& text, const std::string& option, const Range& range, const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !range.contains(static_cast<double>(value)))
    throw InputError("", option,
                     fmt::format("'{}' is no {}{}{}", text, kind, range.text().empty() ? "" : " ", range.text()));
  return value;
}

/// The subcommand the user chose, or the program itself.
const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string unexpected(const CLI::App& program, const std::string& word) {
  const CLI::App& app = chosen(program);
  if (word.size() > 1 && word[0] == '-') {
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(name, option_names(app));
    const std::string place = &app == &program ? "ccpbench --help" : fmt::format("ccpbench {} --help", app.get_name());
    return fmt::format("unknown option '{}'{}", name,
                       nearest.empty() ? fmt::format(" (see {})", place) : fmt::format(" (did you mean '{}'?)", nearest));
  }
  if (&app == &program) return fmt::format("unknown command '{}'{}", word, suggestion(word, command_names(program)));
  return fmt::format("unexpected argument '{}' (see ccpbench {} --help)", word, app.get_name());
}

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' && (text.size() < 2 || text[1] < 'A' || text[1] > 'Z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

CLI::Option* add_integer(CLI::App& app, const std::string& name, int* target, Range range, const std::string& value,
                         const std::string& meaning) {
  const auto read = [target, range, name](const std::string& text) {
    *target = parse_number<int>(text, name, range, "whole number");
  };
  return app.add_option_function<std::string>(name, read, fmt::format("{} (default {})", meaning, *target))
      ->type_name(value);
}

CLI::Option* add_real(CLI::App& app, const std::string& name, double* target, Range range, const std::string& value,
                      const std::string& meaning) {
  const auto read = [target, range, name](const std::string& text) {
    *target = parse_number<double>(text, name, range, "number");
  };
  return app.add_option_function<std::string>(name, read, fmt::format("{} (default {})", meaning, format_double(*target)))
      ->type_name(value);
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string* target, const std::vector<std::string>& choices,
                        const std::string& meaning) {
  const auto read = [target, choices, name](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      throw InputError("", name, fmt::format("unknown value '{}'{}", text, suggestion(text, choices)));
    *target = text;
  };
  const std::string fallback = target->empty() ? "" : fmt::format(" (default {})", *target);
  const std::string all = join(choices, "|");
  return app.add_option_function<std::string>(name, read, meaning + fallback)->type_name(all.size() <= 16 ? all : "NAME");
}

CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>* target, const std::string& value,
                          const std::string& meaning) {
  return app.add_option(name, *target, meaning)->type_name(value)->allow_extra_args(false);
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InputError("", option, fmt::format("'{}' is no assignment, expected NAME=VALUE", text));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option) {
  for (const std::string& assignment : assignments) {
    const auto [name, value] = split_assignment(assignment, option);
    try {
      table.set_from_text(name, value);
    } catch (const InputError& error) {
      throw InputError("", option, error.what());
    }
  }
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = [&text](std::size_t begin, std::size_t end) {
    int value = 0;
    const char* first = text.data() + begin;
    const char* last = text.data() + end;
    const auto [rest, error] = std::from_chars(first, last, value);
    return error == std::errc() && rest == last && first != last ? value : 0;
  };
  const Shard shard = slash == std::string::npos ? Shard{0, 0} : Shard{part(0, slash), part(slash + 1, text.size())};
  if (shard.index < 1 || shard.count < shard.index)
    throw InputError("", "--shard", fmt::format("'{}', expected K/N with 1 <= K <= N", text));
  return shard;
}

const Catalog& catalog() {
  static const Catalog standard = standard_catalog(scene_registry());
  return standard;
}

std::string parse_message(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<std::string> extras = program.remaining(true);
  if (!extras.empty()) return unexpected(program, extras.front());
  const CLI::App& app = chosen(program);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && &app != &program)
    return fmt::format("{} (see ccpbench {} --help)", lower_first(error.what()), app.get_name());
  if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string text = mismatch->what();
    const std::string name = text.substr(0, text.find(':'));
    if (text.find(" required ") != std::string::npos && text.find("At Most") == std::string::npos)
      return name + ": expected a value";
    if (text.find("At Most") != std::string::npos) return name + ": given more than once";
  }
  return lower_first(error.what());
}

}  // namespace ccp::cli
