#include <fmt/format.h>

#include <memory>

#include "bench/config/config.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/list_topics.hpp"

namespace ccp::cli {
namespace {

constexpr const char* examples =
    "Examples\n"
    "  $ ccpbench list solvers\n"
    "  $ ccpbench list solvers admm\n"
    "  $ ccpbench list scenes odd_mass_stack\n"
    "  $ ccpbench list config --schema > ccpbench-config.schema.json\n";

struct Options {
  std::string topic, name;
  bool schema = false;
};

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : list_topics()) names.push_back(topic.name);
  return names;
}

int list(const Options& options) {
  if (options.schema) {
    if (options.topic != "config" || !options.name.empty())
      throw InputError("", "--schema", "goes with 'list config' alone");
    print_line(config_schema(catalog()));
    return exit_done;
  }
  for (const Topic& topic : list_topics()) {
    if (topic.name != options.topic) continue;
    if (options.name.empty())
      topic.show_all();
    else
      topic.show_one(options.name);
    return exit_done;
  }
  throw InputError(fmt::format("nothing to list under '{}'{}", options.topic, suggestion(options.topic, topic_names())));
}

std::string footer() {
  std::string text = "Topics\n";
  for (const Topic& topic : list_topics()) text += fmt::format("  {:15} {}\n", topic.name, topic.meaning);
  return text + "\n" + examples;
}

}  // namespace

void add_list(CommandLine& program) {
  Subcommand& command = program.subcommand("list", "what exists: solvers, scenes, measures, configs and more");
  auto options = std::make_shared<Options>();
  command.operand("TOPIC", &options->topic, "what to list (see Topics)", Need::required);
  command.operand("NAME", &options->name, "one of them, with every parameter", Need::optional);
  command.flag("--schema", &options->schema, "with 'config': the JSON Schema of a config");
  command.footer(footer());
  command.action([options] { return list(*options); });
}

}  // namespace ccp::cli
