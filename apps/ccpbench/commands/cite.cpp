#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/results/result_table.hpp"
#include "commands/command.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"

namespace ccp::cli {
namespace {

constexpr const char* cite_footer =
    "Examples\n"
    "  $ ccpbench cite > ccpbench.bib\n"
    "  $ ccpbench cite test1a fclib > papers.bib\n"
    "  $ ccpbench cite results/my-study >> papers.bib\n"
    "\n"
    "Entries for ccpbench, the papers whose claims the configs judge, and those of the methods that they run.\n"
    "Exit codes: 0 done, 2 bad input.\n";

/// references.bib, whose entries are separated by empty lines.
constexpr const char* references =
#include <references.bib.inc>
    ;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

/// Whether the name at a place of a source is not the first of its authors: "Lee" in "Hwangbo, Lee, Hutter 2018".
bool is_co_author(const std::string& source, std::size_t at) {
  for (const std::string joint : {", ", " and "}) {
    if (at < joint.size() || source.compare(at - joint.size(), joint.size(), joint) != 0) continue;
    const std::size_t end = at - joint.size(), space = source.find_last_of(" (;", end - 1);
    const std::size_t start = space == std::string::npos ? 0 : space + 1;
    return std::isdigit(static_cast<unsigned char>(source[end - 1])) == 0 && is_upper(source[start]);
  }
  return false;
}

/// Whether a text has the word; where it is an author, the first one.
bool names(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) && !(is_upper(text[at]) && is_co_author(text, at)) && (at + word.size() == text.size() || !is_word(text[at + word.size()])))
      return true;
  return false;
}

/// What the field of an entry has before a comma or its end: of "author" the surname of the first one. Empty without it.
std::string field_of(const std::string& entry, const std::string& name) {
  const std::string start = "  " + name + " = {";
  const std::size_t at = entry.find(start);
  if (at == std::string::npos) return "";
  const std::size_t value = at + start.size();
  return entry.substr(value, entry.find_first_of(",}", value) - value);
}

/// Whether a source, such as "Tasora 2021, sec. 8.1", is about an entry: by the first author and the year, or of an entry
/// without one as "Mangoni's thesis".
bool is_about(const std::string& source, const std::string& entry) {
  const std::string author = field_of(entry, "author"), year = field_of(entry, "year");
  return year.empty() ? names(source, author + "'s") : names(source, author) && names(source, year);
}

struct CiteArguments {
  std::vector<std::string> configs;
};

/// That of a file, of a name, or of a result folder.
Config config_of(const std::string& given) {
  return std::filesystem::is_directory(given) ? config_of_results(given, catalog())
                                              : read_config(config_file(given), catalog());
}

/// The sources that a config names: of its claims and tables, and of its methods.
std::set<std::string> sources_of(const Config& config) {
  std::set<std::string> sources;
  for (const Claim& claim : config.claims) sources.insert(claim.where);
  for (const Json& plot : try_parse_json(config.resolved).value("plots", Json::array()))
    sources.insert(plot.value("where", std::string()));
  for (const ConfigVariant& variant : config.variants)
    for (const auto& spec : variant.solvers) sources.insert(catalog().make_solver(spec->solver)->info().reference);
  return sources;
}

int cite(const CiteArguments& options) {
  std::set<std::string> sources;
  for (const std::string& given : options.configs) sources.merge(sources_of(config_of(given)));
  print_line(fmt::format("@software{{ccpbench,\n  author = {{{{The ccpbench developers}}}},\n  title = {{ccpbench: a benchmark "
                         "suite for complementarity problems with friction}},\n  version = {{{}}},\n  year = {{2026}}\n}}",
                         CCPBENCH_VERSION));
  std::istringstream lines(references);
  std::string entry;
  for (std::string line; std::getline(lines, line);) {
    entry += line + "\n";
    if (line != "}") continue;
    const auto about = [&entry](const std::string& source) { return is_about(source, entry); };
    if (std::any_of(sources.begin(), sources.end(), about)) print("\n" + entry.substr(entry.find('@')));
    entry.clear();
  }
  return exit_done;
}

}  // namespace

void add_cite(CommandLine& program) {
  Subcommand& command = program.subcommand("cite", "BibTeX entries of the papers behind configs", cite_footer);
  CiteArguments& options = command.options<CiteArguments>(cite);
  command.operands("CONFIG", &options.configs,
                   "config files (JSON), names of configs, or folders of results; none: ccpbench alone", Need::optional);
}

}  // namespace ccp::cli
