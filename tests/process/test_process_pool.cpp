#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "process/child_program.hpp"
#include "process/exit_status.hpp"
#include "process/process_pool.hpp"
#include "process/program.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

int team_size() {
  int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++size;
  return size;
}

int throw_bad_alloc() { throw std::bad_alloc(); }
int throw_error() { throw std::runtime_error("no"); }

}  // namespace

TEST_CASE("Workers have threads, and the process they come from has none") {
  const TemporaryFolder folder;
  const int levels = ::omp_get_max_active_levels();
  {
    ProcessPool pool;
    CHECK(team_size() == 1);
    Limits limits;
    limits.wall_s = 20.0;
    pool.spawn(7, limits, folder.path() / "log.txt", [] { return team_size(); });
    std::optional<WorkerExit> exit;
    while (!exit) exit = pool.wait(std::chrono::milliseconds(200));
    CHECK(exit->id == 7);
    CHECK(exit->status.code == 2);
  }
  CHECK(::omp_get_max_active_levels() == levels);
}

TEST_CASE("A std::bad_alloc that nothing can catch is lack of memory, and every other end stays what it was") {
  const TemporaryFolder folder;
  const auto end_of = [&](const std::function<int()>& body) {
    ProcessPool pool;
    pool.spawn(0, {20.0, 1e6}, folder.path() / "log.txt", body);
    std::optional<WorkerExit> exit;
    while (!exit) exit = pool.wait(std::chrono::milliseconds(200));
    return exit->status;
  };
  CHECK(end_of(throw_bad_alloc).code == exit_out_of_memory);
  CHECK(end_of([]() noexcept { return throw_bad_alloc(); }).code == exit_out_of_memory);
  CHECK(end_of([]() noexcept { return throw_error(); }).signal == SIGABRT);
  CHECK(end_of(throw_error).code == exit_cannot_write);
  CHECK(end_of([] { return std::printf("bad_alloc") > 0 ? 5 : 6; }).code == 5);
}

TEST_CASE("What can end its process is tried in another one") {
  CHECK_FALSE(try_apart([] {}));
  CHECK(try_apart([] { std::exit(0); })->text() == "exit code 0");
  CHECK(try_apart([] { ::raise(SIGSEGV); })->text() == "SIGSEGV");
}

TEST_CASE("A program gets the descriptors and the environment it was started with") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "printed").string();
  const int output = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ::setenv("CCPBENCH_TEST_OLD", "old", 1);
  const std::string script = "echo $CCPBENCH_TEST_OLD $HOME; exit 3";
  const auto exit = wait_for(start({{"sh", "-c", script}, {"CCPBENCH_TEST_OLD=new", "HOME=nowhere"}, -1, output, true}));
  CHECK(exit.code == 3);
  CHECK(read_text(path) == "new nowhere\n");
  CHECK(wait_for(start({{"no-such-program"}, {}, -1, output, true})).code == exit_no_program);
  CHECK(read_text(path) == "new nowhere\nNo such file or directory");
  ::close(output);
}

TEST_CASE("A child program talks over its socket, and its end is told with its last line") {
  ChildProgram echo({"sh", "-c", "head -c 3 <&0 >&0; echo first; echo last >&2; kill -SEGV $$"}, 1);
  std::array<char, 3> answer{};
  REQUIRE(echo.send("abc", 3, std::chrono::seconds(20)) == ChildProgram::Transfer::done);
  REQUIRE(echo.receive(answer.data(), 3, std::chrono::seconds(20)) == ChildProgram::Transfer::done);
  CHECK(std::string(answer.data(), 3) == "abc");
  CHECK(echo.receive(answer.data(), 1, std::chrono::seconds(20)) == ChildProgram::Transfer::closed);
  CHECK(echo.exit().signal == SIGSEGV);
  CHECK(echo.exit_text() == "SIGSEGV: last");
}

TEST_CASE("A child that does not read holds nobody up, and one that is gone takes no more") {
  const std::vector<char> much(8 << 20);
  ChildProgram deaf({"sleep", "60"}, 1), gone({"true"}, 1);
  CHECK(deaf.send(much.data(), much.size(), std::chrono::milliseconds(200)) == ChildProgram::Transfer::timed_out);
  CHECK(gone.send(much.data(), much.size(), std::chrono::seconds(20)) == ChildProgram::Transfer::closed);
}

TEST_CASE("The last line that a process printed is the last that is not blank") {
  CHECK(last_line("").empty());
  CHECK(last_line(" \r\n\t\n").empty());
  CHECK(last_line("one") == "one");
  CHECK(last_line("one\ntwo \r\n \n") == "two");
  CHECK(last_line("one\ntwo\n-----\n\n---\n") == "two");
  CHECK(last_line("\n  two") == "  two");
  CHECK(last_line("one\n" + std::string(400, 'x') + "\n") == std::string(300, 'x'));
}
