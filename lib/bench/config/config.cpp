#include "bench/config/config.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>
#include <tuple>

#include "bench/config/claim_reader.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/config_reader.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/external_paths.hpp"
#include "bench/config/field_reader.hpp"
#include "bench/config/plot_check.hpp"
#include "bench/config/sequence_reader.hpp"
#include "bench/config/sweep.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "process/exit_status.hpp"
#include "process/program.hpp"

namespace ccp {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20;

std::string read_text(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw InputError(file, "", "is a folder, expected a config file (JSON)");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file, "", fmt::format("cannot be opened ({})", std::strerror(errno)));
  const auto size = std::filesystem::file_size(file, error);
  if (!error && size > largest_file) throw InputError(file, "", fmt::format("has {} bytes, too many for a config", size));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The document with the changes of one size, and the pointers of those that cannot be made.
std::pair<Json, std::vector<std::string>> with_size(const Json& document, const std::string& size, const Catalog& catalog,
                                                    const JsonSource& source, Checks& check) {
  const std::string place = child_pointer("/sizes", size);
  std::pair<Json, std::vector<std::string>> made = {document, {}};
  Json& changed = made.first;
  for (const auto& item : document["sizes"][size].items()) {
    const std::string& pointer = item.key();
    const std::string own_place = child_pointer(place, pointer);
    const bool sound = check([&] {
      if (pointer_tokens(pointer, source, own_place).front() == "sizes")
        source.fail(own_place, "a size cannot change the sizes");
      check_common_parameter(changed, pointer, catalog, source, own_place);
      set_at_pointer(changed, pointer, item.value(), source, own_place);
    });
    if (!sound) made.second.push_back(pointer);
  }
  return made;
}

/// "POINTER=VALUE" of --set.
void apply_setting(Json& document, const std::string& setting, const Catalog& catalog, const JsonSource& source) {
  const std::string place = "--set " + setting;
  const auto equals = setting.find('=');
  if (equals == std::string::npos) source.fail(place, "expected POINTER=VALUE, such as /stop/tolerance=1e-6");
  const std::string text = setting.substr(equals + 1);
  Json value = try_parse_json(text);
  if (value.is_discarded()) value = text;
  const std::string pointer = setting.substr(0, equals);
  check_common_parameter(document, pointer, catalog, source, place);
  set_at_pointer(document, pointer, value, source, place);
}

/// The exit code of git in a folder, which says nothing; −1 where there is no process to be had.
int git_answer(const std::string& folder, const std::vector<std::string>& command) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return -1;
  Program git = {{"git", "-C", folder}, {"GIT_OPTIONAL_LOCKS=0"}};
  git.arguments.insert(git.arguments.end(), command.begin(), command.end());
  git.output = nowhere;
  int answer = -1;
  try {
    answer = wait_for(start(git)).code.value_or(-1);
  } catch (const std::system_error&) {
  }
  ::close(nowhere);
  return answer;
}

/// Whether git says so; false where it cannot say. Outside of a repository `git diff` would compare files with each other.
bool differs_from_commit(const std::filesystem::path& file) {
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".", name = file.filename().string();
  return git_answer(folder, {"cat-file", "-e", "HEAD:./" + name}) == 0 &&
         git_answer(folder, {"diff", "--quiet", "HEAD", "--", name}) == 1;
}

std::string describe(const std::vector<SweptValue>& swept) {
  std::string text = "with";
  for (const SweptValue& value : swept) text += fmt::format(" {} = {}", shown_pointer(value.pointer), value.text);
  return text + " from the sweep";
}

void check_kernels(const Config& config, const JsonSource& source) {
  if (!config.kernels) return;
  for (const ConfigVariant& variant : config.variants)
    for (std::size_t i = 0; i < variant.problems.size(); ++i)
      if (variant.problems[i]->sequence)
        source.fail("/kernels", fmt::format("times the kernels of one problem, but /problems/{} has a 'sequence'", i));
}

/// The values of a reading that are not as they stand in the file, by their JSON pointers.
struct ChangedValues {
  std::vector<std::string> varied;    ///< others are in place
  std::vector<std::string> left_out;  ///< others would be, but for their mistakes
};

void begin_reading(const JsonSource& source, const ChangedValues& changed) {
  if (source.mistakes != nullptr) source.mistakes->begin_reading(changed.varied, changed.left_out, source.context);
}

/// Whether what a pointer may lead into has the right type; of another type it is a mistake by itself.
bool can_be_led_into(const Json& swept_part, const std::string& key) {
  const bool entries = key == "problems" || key == "solvers";
  if (!swept_part.contains(key)) return !entries;
  const Json& part = swept_part[key];
  return !entries || (part.is_array() && std::all_of(part.begin(), part.end(), std::mem_fn(&Json::is_object)));
}

/// The sweep as far as it has no mistakes.
Sweep read_sweep(const Json& document, const Json& swept_part, const JsonSource& source, const Catalog& catalog,
                 Checks& check) {
  Mistakes follow_ups;
  Checks ignore(&follow_ups);
  const Json lists = document.value("sweep", Json());
  Sweep sweep(Json(), source);
  check([&] { sweep = Sweep(lists.is_object() ? lists : Json(), source); });
  Json probe = swept_part;
  sweep.keep([&](const std::string& pointer, const Json& value, const std::string& place) {
    if (!check([&] { check_common_parameter(document, pointer, catalog, source, place); })) return false;
    const auto put = [&] { set_at_pointer(probe, pointer, value, source, place); };
    const std::string key = pointer_tokens(pointer, source, place).front();
    return can_be_led_into(swept_part, key) ? check(put) : swept_part.contains(key) && ignore(put);
  });
  return sweep;
}

/// Whatever can be read, also of a document without the form of a config; mistakes are left to `check`.
std::vector<ConfigVariant> read_variants(const Json& document, const JsonSource& source, const Catalog& catalog,
                                         ConfigReader& reader, const ChangedValues& sized, Known& known, Checks& check) {
  Json swept_part = Json::object();
  for (const std::string& key : swept_keys)
    if (document.contains(key)) swept_part[key] = document[key];
  const Sweep sweep = read_sweep(document, swept_part, source, catalog, check);
  std::vector<ConfigVariant> variants;
  ChangedValues changed = sized;
  changed.left_out.insert(changed.left_out.end(), sweep.left_out().begin(), sweep.left_out().end());
  bool applied = sweep.left_out().empty();
  for (std::size_t i = 0; i < sweep.count(); ++i) {
    std::pair<Json, std::vector<SweptValue>> made;
    applied = check([&] { made = sweep.apply(swept_part, i, source); }) && applied;
    if (made.first.is_null()) continue;
    JsonSource own = source;
    changed.varied = own.varied = sized.varied;
    if (!made.second.empty()) own.context = describe(made.second), own.varied.clear();
    for (const SweptValue& value : made.second) {
      changed.varied.push_back(value.pointer);
      own.varied.push_back(value.pointer);
    }
    begin_reading(own, changed);
    check([&] { reader.read_variant(made.first, std::move(made.second), sweep.left_out(), own, variants); });
  }
  begin_reading(source, sized);
  known = known_of(variants);
  known.sweep = applied;
  return variants;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

/// Everything but the size: `document` has it applied. Where there are mistakes, what could be read.
Config read_document(const Json& document, const JsonSource& source, const ChangedValues& sized, const Catalog& catalog,
                     ConfigReader& reader, Checks& check) {
  begin_reading(source, sized);
  Config config;
  ConfigVariant unused;
  config.file = source.file;
  const bool formed = check([&] {
    read_fields(document, config_fields(config, unused), "", source, {swept_keys.begin(), swept_keys.end()});
  });
  Known known;
  config.variants = read_variants(document, source, catalog, reader, sized, known, check);
  JsonSource whole = source;  // what a size changes shows in claims and plots
  whole.varied.clear();
  check([&] { check_plots(document, config.variants, known, catalog, whole); });
  check([&] { config.claims = read_claims(document, config.variants, known, whole); });
  if (!formed) return config;
  check([&] { check_kernels(config, source); });
  Json resolved = document;
  make_paths_absolute(resolved, source.file);
  config.resolved = dump_json(resolved, 2);
  return config;
}

}  // namespace

bool names_own_folder(const std::string& pattern) {
  return pattern.starts_with('/') || pattern.starts_with("./") || pattern.starts_with("../");
}

bool Config::needs_fclib_folder() const {
  return std::any_of(variants.begin(), variants.end(), [](const ConfigVariant& variant) {
    return std::any_of(variant.problems.begin(), variant.problems.end(),
                       [](const auto& problem) { return !problem->fclib.empty() && !problem->names_own_folder(); });
  });
}

bool ConfigVariant::needs_files() const {
  return std::any_of(problems.begin(), problems.end(), [](const auto& problem) { return !problem->fclib.empty(); });
}

Config parse_config(const std::string& text, const std::string& file, const Catalog& catalog,
                    const ConfigOverrides& overrides, Mistakes& mistakes) {
  const JsonSource source{file, "", &mistakes};
  ConfigReader reader(catalog, overrides.of_results);
  Checks check(&mistakes);
  Config config;
  config.file = file;
  Json document;
  const bool parsed = check([&] {
    document = parse_json(text, file);
    if (!document.is_object())
      source.fail("", fmt::format("is {}, expected an object with name, problems and solvers", json_type_name(document)));
  });
  if (!parsed) return config;
  const std::string& size = overrides.size;
  if (!size.empty()) check([&] { read_fields(Json{{size, Json::object()}}, sizes_fields(), "--size", source); });
  ChangedValues applied;
  if (document.contains("sizes") && check([&] { read_fields(document["sizes"], sizes_fields(), "/sizes", source); })) {
    // A mistake in a size shows whichever size is run.
    for (const auto& item : document["sizes"].items()) {
      const JsonSource sized{file, "with size " + item.key(), &mistakes, keys_of(item.value())};
      const auto [made, left_out] = with_size(document, item.key(), catalog, source, check);
      read_document(made, sized, {keys_of(item.value()), left_out}, catalog, reader, check);
    }
    if (document["sizes"].contains(size)) {
      begin_reading(source, {});
      std::tie(document, applied.left_out) = with_size(document, size, catalog, source, check);
    }
  }
  const Json as_written = document;
  for (const std::string& setting : overrides.set) check([&] { apply_setting(document, setting, catalog, source); });
  config = read_document(document, source, applied, catalog, reader, check);
  config.size = size;
  for (const JsonChange& change : json_changes(as_written, document))
    if (change.pointer != "/title" && change.pointer != "/description") config.changes.push_back(change.text());
  return config;
}

Config parse_config(const std::string& text, const std::string& file, const Catalog& catalog,
                    const ConfigOverrides& overrides) {
  Mistakes mistakes;
  Config config = parse_config(text, file, catalog, overrides, mistakes);
  mistakes.raise();
  return config;
}

Config read_config(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides, Mistakes& mistakes) {
  Config config = parse_config(read_text(file), file, catalog, overrides, mistakes);
  if (mistakes.none() && differs_from_commit(file))
    config.changes.push_back(fmt::format("{} differs from its last commit", file));
  return config;
}

Config read_config(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides) {
  Mistakes mistakes;
  Config config = read_config(file, catalog, overrides, mistakes);
  mistakes.raise();
  return config;
}

}  // namespace ccp
