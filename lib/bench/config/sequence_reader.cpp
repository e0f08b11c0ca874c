#include "bench/config/sequence_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bench/config/config_reader.hpp"
#include "bench/config/external_paths.hpp"
#include "core/error.hpp"
#include "core/sha256.hpp"
#include "io/file.hpp"
#include "io/stored_state.hpp"
#include "peers/peer_solver.hpp"
#include "process/process_pool.hpp"

namespace ccp {

bool solves(const Solver& solver, Model model) {
  return solver.native(model) || (model == Model::ncp && solver.native(Model::ccp));
}

namespace {

void finish_driver(DriverSpec& driver, const Json& entry, const Catalog& catalog, bool own, bool of_results,
                   const std::string& pointer, const JsonSource& source) {
  driver.solver = located_solver(driver.solver, of_results, child_pointer(pointer, "solver"), source);
  const auto made = catalog.make_solver(driver.solver);
  if (const PeerSolver* peer = as_peer(*made)) driver.peer_version = peer->version();
  Checks check(source.mistakes);
  check([&] { driver.parameters = read_settings(entry, *made, pointer, source); });
  check([&] {
    if (own && entry.contains("model"))
      source.fail(child_pointer(pointer, "model"),
                  "'model' belongs to a shared trajectory: an own one has that of its cell");
    if (!own && !solves(*made, driver.model))
      source.fail(pointer,
                  fmt::format("the driver {} does not solve the {} model", driver.solver, model_name(driver.model)));
  });
  check.finish();
}

/// The SHA-256 of the file, once its state is known to fit.
std::string check_state(const std::string& file, Motion& motion, const std::string& pointer, const JsonSource& source) {
  const auto broken_off = try_apart([&] {
    try {
      read_stored_state(file);
    } catch (const std::exception&) {
      // said by the second reading
    }
  });
  if (broken_off)
    source.fail(pointer,
                fmt::format("'{}' is damaged: a process that tried to read it ended by {}", file, broken_off->text()));
  try {
    motion.restore(read_stored_state(file).state);
  } catch (const InputError& error) {
    source.fail(pointer, error.what());
  }
  return sha256_hex(read_file(file).value_or(""));
}

}  // namespace

void finish_sequence(SequenceSpec& sequence, const Json& entry, const Scene& scene, std::uint64_t seed,
                     const Catalog& catalog, const std::string& pointer, const JsonSource& source, bool of_results) {
  const auto& facts = catalog.facts.of(scene, catalog.scenes);
  if (!facts) source.fail(pointer, fmt::format("scene '{}' does not move", scene.info().name));
  sequence.facts = *facts;
  Checks check(source.mistakes);
  const bool solved_steps = check([&] {
    if (sequence.settle >= sequence.steps)
      source.fail(child_pointer(pointer, "settle"),
                  fmt::format("'settle' is {}, expected less than 'steps', which is {}", sequence.settle, sequence.steps));
  });
  check([&] {
    finish_driver(sequence.driver, entry.value("driver", Json::object()), catalog, sequence.trajectory == Trajectory::own,
                  of_results, child_pointer(pointer, "driver"), source);
  });
  std::sort(sequence.trace_steps.begin(), sequence.trace_steps.end());
  for (const int step : sequence.trace_steps)
    if (solved_steps && (step < sequence.settle || step >= sequence.steps))
      check([&] {
        source.fail(child_pointer(pointer, "trace_steps"),
                    fmt::format("step {} is not solved, expected {} to {}", step, sequence.settle, sequence.steps - 1));
      });
  if (!sequence.state.empty()) {
    sequence.state = (std::filesystem::path(source.file).parent_path() / sequence.state).string();
    check([&] {
      if (!of_results || std::filesystem::exists(sequence.state))
        sequence.state_digest = check_state(sequence.state, *scene.motion(seed), child_pointer(pointer, "state"), source);
    });
  }
  check.finish();
}

void check_sequences(const ConfigVariant& variant, const Catalog& catalog, const JsonSource& source) {
  Checks check(source.mistakes);
  for (std::size_t p = 0; p < variant.problems.size(); ++p) {
    if (variant.problems[p]->outline) continue;
    const auto& sequence = variant.problems[p]->sequence;
    for (std::size_t s = 0; s < variant.solvers.size(); ++s)
      check([&] {
        const std::string place = child_pointer(child_pointer("/solvers", s), "start");
        if (!sequence && variant.solvers[s]->start_from_previous)
          source.fail(place, fmt::format("starts from the previous step, but /problems/{} has no 'sequence'", p));
        if (sequence && variant.solvers[s]->start_from_reference)
          source.fail(place, fmt::format("starts from a reference solution, which the steps of the 'sequence' of "
                                         "/problems/{} do not have",
                                         p));
      });
    if (!sequence || sequence->trajectory == Trajectory::shared) continue;
    const auto driver = catalog.make_solver(sequence->driver.solver);
    for (const Model model : variant.models)
      check([&] {
        if (!solves(*driver, model))
          source.fail(fmt::format("/problems/{}/sequence/driver", p),
                      fmt::format("the driver {} does not solve the {} model of the config", sequence->driver.solver,
                                  model_name(model)));
      });
  }
  check.finish();
}

}  // namespace ccp
