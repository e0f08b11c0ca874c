#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "bench/fake_catalog.hpp"
#include "bench/results/folder_lock.hpp"
#include "bench/runs.hpp"
#include "bench/sequence_runs.hpp"
#include "core/error.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::Listener;
using ccp::testing::run_sequences;
using ccp::testing::sequence_config;
using ccp::testing::sequence_plan;
using ccp::testing::SequenceOutcome;
using ccp::testing::solvers_config;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace {

/// Ends at once.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

RunReport run_in_folder(const std::string& text, const TemporaryFolder& folder) {
  Listener listener;
  const Config config = parse_config(text, "c.json", fake_catalog());
  RunOptions options;
  options.out = folder.path().string();
  return run_config(config, make_plan(config), fake_catalog(), options, listener);
}

}  // namespace

TEST_CASE("A folder of results has one writer, who is named and leaves no trace") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / ".lock";
  {
    const FolderLock lock(folder.path());
    CHECK_THROWS_WITH(FolderLock(folder.path()),
                      Catch::Contains("another run writes here (process " + std::to_string(::getpid()) + " on ") &&
                          Catch::Contains(", since 20") && Catch::Contains("--out"));
    CHECK(std::filesystem::exists(file));
  }
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK_NOTHROW(FolderLock(folder.path()));
}

TEST_CASE("What a killed run has left locks nothing, even where its number is that of another process") {
  const TemporaryFolder folder;
  const pid_t process = GENERATE(dead_process(), ::getppid());
  write_text(folder.path() / ".lock", std::to_string(process) + " somewhere 2026-01-01T00:00:00Z\n");
  CHECK_NOTHROW(FolderLock(folder.path()));
}

TEST_CASE("The workers of a killed run are waited for") {
  const TemporaryFolder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t runner = ::fork();
  if (runner == 0) {
    const FolderLock lock(folder.path());
    if (::fork() == 0) {  // the worker
      ::usleep(300000);
      ::_exit(0);
    }
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::_exit(0);  // nobody cleans up
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::waitpid(runner, nullptr, 0);
  CHECK_NOTHROW(FolderLock(folder.path()));
}

TEST_CASE("A cell whose files cannot be written is tried again, one that gives up is not") {
  for (const std::string solver : {"closer", "exits_71"}) {
    CAPTURE(solver);
    const TemporaryFolder folder;
    const std::string text = solvers_config({solver, "throws"});
    CHECK(run_in_folder(text, folder).reused == 0);
    const RunReport again = run_in_folder(text, folder);
    CHECK(again.reused == 1);
    CHECK(again.failures.size() == 2);
  }
}

TEST_CASE("A cell whose tape cannot be written is tried again") {
  const TemporaryFolder folder;
  const std::string text = sequence_config();
  const auto tapes = folder.path() / "x" / "sequences";
  const std::string key = sequence_plan(text).cells.at(0).tape_key;
  std::filesystem::create_directories(tapes / key / "tape.000000.hdf5" / "in the way");
  const SequenceOutcome first = run_sequences(text, folder);
  CHECK(first.record("apgd").status == Status::failed);
  CHECK_THAT(first.record("apgd").reason, Catch::Contains("tape.000000.hdf5"));
  std::filesystem::remove_all(tapes / key / "tape.000000.hdf5");
  const SequenceOutcome second = run_sequences(text, folder);
  CHECK(second.listener.reused_ == 0);
  CHECK(second.record("apgd").status != Status::failed);
  CHECK(second.record("warm").status != Status::failed);
}
