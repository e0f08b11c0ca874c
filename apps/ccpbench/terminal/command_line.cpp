#include "terminal/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {
namespace {

/// Reads a number into a target.
template <typename Number, typename Target>
std::function<void(const std::string&)> reader(const std::string& option, Target* target, const Range& range,
                                               const char* kind) {
  return [=](const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || !range.contains(static_cast<double>(value)))
      throw InputError("", option,
                       fmt::format("'{}' is no {}{}{}", text, kind, range.text().empty() ? "" : " ", range.text()));
    *target = value;
  };
}

/// An option whose text `read` takes; it throws what it does not take.
void add_checked(CLI::App& app, const std::string& name, const std::function<void(const std::string&)>& read,
                 const std::string& value, const std::string& meaning) {
  app.add_option_function<std::string>(name, read, meaning)->type_name(value);
}

/// Of an operand the label is "CONFIG..." where several may be given, "[NAME]" where none need be.
ArgumentText argument_text(const CLI::Option& option) {
  ArgumentText text;
  text.positional = option.get_positional();
  text.repeated = option.get_expected_max() > 1;
  text.meaning = option.get_description();
  if (text.positional) {
    text.value = option.get_name(true);
    text.names = {text.value};
    const std::string label = text.value + (text.repeated ? "..." : "");
    text.label = option.get_required() ? label : "[" + label + "]";
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.value = option.get_type_name();
  text.label = join(text.names, ", ") + (text.value.empty() ? "" : " " + text.value);
  return text;
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string line = name;
  if (!app.get_subcommands({}).empty()) return line + " COMMAND [ARGUMENT...] [OPTION...]";
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) line += " " + argument_text(*option).label;
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && !option->get_positional()) line += " " + argument_text(*option).label;
  return line + " [OPTION...]";
}

/// The name as it is called, "ccpbench run".
std::string whole_name(const CLI::App& app) {
  return (app.get_parent() != nullptr ? app.get_parent()->get_name() + " " : "") + app.get_name();
}

CommandText command_text(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), usage(app, whole_name(app)), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) text.arguments.push_back(argument_text(*option));
  return text;
}

/// "Examples", "Exit codes": one word or two, and no sentence.
bool is_heading(const std::string& line) {
  return std::count(line.begin(), line.end(), ' ') < 2 && line.find_first_of(".:") == std::string::npos;
}

/// The end of a help page. Lines with indentation are shown as they are; one that begins with "  $ " is a command to type.
/// The others are headings and sentences, and these are fitted to the terminal; exit codes begin a line.
std::string footer_text(const std::string& footer) {
  std::string page, sentences;
  const auto end_paragraph = [&] {
    if (sentences.empty()) return;
    for (const std::string& line : wrap(sentences, stdout_width())) page += line + "\n";
    sentences.clear();
  };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool apart = line.empty() || line[0] == ' ' || is_heading(line);
    if (apart || line.rfind("Exit codes:", 0) == 0) end_paragraph();
    if (line.rfind("  $ ", 0) == 0)
      page += "  " + Style::out().paint(Tone::accent, line.substr(4)) + "\n";
    else if (apart)
      page += (line.empty() || line[0] == ' ' ? line : Style::out().bold(line)) + "\n";
    else
      sentences += line + " ";
  }
  end_paragraph();
  return page.empty() ? "" : "\n" + page;
}

/// The help page of the program or of one subcommand, fitted to the terminal.
std::string help_text(const CLI::App& app) {
  const CommandText page = command_text(app);
  Table commands = name_table(), arguments = name_table(), options = name_table();
  for (const CLI::App* command : app.get_subcommands({})) commands.row({command->get_name(), command->get_description()});
  for (const ArgumentText& argument : page.arguments)
    (argument.positional ? arguments : options).row({argument.label, argument.meaning});
  std::string text;
  for (const std::string& line : wrap(fmt::format("{}: {}", whole_name(app), page.meaning), stdout_width()))
    text += line + "\n";
  text += "\n" + Style::out().bold("Usage:");
  std::string before = " ";
  for (const std::string& line : wrap(page.usage, stdout_width() - 7)) {
    text += before + line + "\n";
    before.assign(7, ' ');
  }
  return text + section_text("Commands", commands) + section_text("Arguments", arguments) +
         section_text("Options", options) + footer_text(page.footer);
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

/// An error in the words of this program: it names the nearest command or option for an unknown one.
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

}  // namespace

void Subcommand::operand(const std::string& name, std::string* target, const std::string& meaning, Need need) {
  app_.add_option(name, *target, meaning)->required(need == Need::required);
}

void Subcommand::operands(const std::string& name, std::vector<std::string>* target, const std::string& meaning, Need need) {
  app_.add_option(name, *target, meaning)->required(need == Need::required);
}

void Subcommand::flag(const std::string& name, bool* target, const std::string& meaning) {
  app_.add_flag(name, *target, meaning);
}

void Subcommand::text(const std::string& name, std::string* target, const std::string& value, const std::string& meaning,
                      Need need) {
  app_.add_option(name, *target, meaning)->type_name(value)->required(need == Need::required);
}

void Subcommand::repeated(const std::string& name, std::vector<std::string>* target, const std::string& value,
                          const std::string& meaning, Need need) {
  app_.add_option(name, *target, meaning)->type_name(value)->allow_extra_args(false)->required(need == Need::required);
}

namespace {

/// Not where the meaning says in words what holds by default.
std::string with_default(const std::string& meaning, const std::string& value) {
  const bool told = meaning.find("default") != std::string::npos || meaning.find("stands for") != std::string::npos;
  return told ? meaning : fmt::format("{} (default {})", meaning, value);
}

}  // namespace

void Subcommand::integer(const std::string& name, int* target, Range range, const std::string& value,
                         const std::string& meaning) {
  add_checked(app_, name, reader<int>(name, target, range, "whole number"), value,
              with_default(meaning, fmt::format("{}", *target)));
}

void Subcommand::real(const std::string& name, double* target, Range range, const std::string& value,
                      const std::string& meaning) {
  add_checked(app_, name, reader<double>(name, target, range, "number"), value,
              with_default(meaning, format_double(*target)));
}

void Subcommand::real(const std::string& name, std::optional<double>* target, Range range, const std::string& value,
                      const std::string& meaning) {
  add_checked(app_, name, reader<double>(name, target, range, "number"), value, meaning);
}

void Subcommand::seconds(const std::string& name, double* target, const std::string& meaning) {
  const auto read = [target, name](const std::string& text) { *target = parse_seconds(text, name); };
  add_checked(app_, name, read, "TIME", with_default(meaning, format_double(*target)));
}

std::function<void(const std::string&)> Subcommand::one_of(const std::string& name, std::string* target,
                                                           const std::vector<std::string>& choices) {
  choices_[name] = choices;
  return [target, choices, name](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      throw InputError("", name, fmt::format("unknown value '{}'{}", text, suggestion(text, choices)));
    *target = text;
  };
}

void Subcommand::choice(const std::string& name, std::string* target, const std::vector<std::string>& choices,
                        const std::string& meaning) {
  const std::string fallback = target->empty() ? "" : fmt::format(" (default {})", *target);
  const std::string all = join(choices, "|");
  add_checked(app_, name, one_of(name, target, choices), all.size() <= 16 ? all : "NAME", meaning + fallback);
}

void Subcommand::chosen_operand(const std::string& name, std::string* target, const std::vector<std::string>& choices,
                                const std::string& meaning) {
  app_.add_option_function<std::string>(name, one_of(name, target, choices), meaning)->required();
}

CommandText Subcommand::text() const {
  CommandText text = command_text(app_);
  for (ArgumentText& argument : text.arguments)
    for (const std::string& name : argument.names)
      if (const auto found = choices_.find(name); found != choices_.end()) argument.choices = found->second;
  return text;
}

bool Subcommand::chosen() const { return app_.parsed(); }

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)), version_(version) {
  app_->set_help_flag("-h,--help", "this page");
  app_->set_version_flag("--version", version, "the version");
  app_->footer(footer);
  app_->require_subcommand(0, 1);
}

CommandLine::~CommandLine() = default;

Subcommand& CommandLine::subcommand(const std::string& name, const std::string& description, const std::string& footer) {
  CLI::App* app = app_->add_subcommand(name, description);
  app->footer(footer);
  return subcommands_.emplace_back(*app);
}

std::vector<CommandText> CommandLine::texts() const {
  std::vector<CommandText> texts = {command_text(*app_)};
  for (const Subcommand& subcommand : subcommands_) texts.push_back(subcommand.text());
  return texts;
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(help_text(cli::chosen(*app_)));
    return exit_done;
  } catch (const CLI::CallForVersion&) {
    print_line(app_->get_name() + " " + version_);
    return exit_done;
  } catch (const CLI::ParseError& error) {
    report_error(parse_message(*app_, error));
    return exit_bad_input;
  }
  for (const Subcommand& subcommand : subcommands_)
    if (subcommand.chosen()) return subcommand.act();
  report_error(fmt::format("no command given (see {} --help)", app_->get_name()));
  return exit_bad_input;
}

}  // namespace ccp::cli
