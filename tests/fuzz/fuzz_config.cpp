// A config with its sweeps, sizes and claims, as `ccpbench check` reads it, with all methods and scenes but the peers, which
// would be started.
#include <algorithm>
#include <functional>

#include "bench/config/config.hpp"
#include "bench/config/plan.hpp"
#include "core/text.hpp"
#include "fuzz/fuzz_target.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"

namespace {

ccp::Catalog own_catalog() {
  ccp::Catalog catalog;
  catalog.scenes = ccp::scene_registry();
  catalog.solver_names = ccp::solver_names();
  catalog.make_solver = [names = catalog.solver_names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw ccp::InputError("unknown solver '" + name + "'" + ccp::suggestion(name, names));
    return ccp::make_solver(name);
  };
  return catalog;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ccp::Catalog catalog = own_catalog();
  const std::string text = ccp::testing::text_of(data, size);
  for (const char* of_size : {"", "small"})
    ccp::testing::accepts([&] {
      const ccp::Config config = ccp::parse_config(text, "fuzzed.json", catalog, {of_size, {}, false});
      if (std::none_of(config.variants.begin(), config.variants.end(), std::mem_fn(&ccp::ConfigVariant::needs_files)))
        ccp::make_plan(config, {"", 1});
    });
  return 0;
}
