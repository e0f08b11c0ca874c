#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "io/file.hpp"
#include "support/temporary_folder.hpp"

using ccp::InputError;
using ccp::OutputFile;
using ccp::write_file_atomically;
using ccp::write_file_in_pieces;
using namespace ccp::testing;

TEST_CASE("a file is written and replaced, and no temporary is left") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "cell.json", "{}\n");
  CHECK(read_text(folder / "cell.json") == "{}\n");
  const std::string bytes("a\0b\r\n", 5);
  write_file_atomically(folder / "cell.json", bytes);
  CHECK(read_text(folder / "cell.json") == bytes);
  write_file_atomically(folder / "cell.json", "");
  CHECK(read_text(folder / "cell.json").empty());
  CHECK(folder.entries() == 1);
}

TEST_CASE("a name as long as the file system allows can be written") {
  const TemporaryFolder folder;
  const std::string name(255, 'x');
  write_file_atomically(folder / name, "long");
  CHECK(read_text(folder / name) == "long");
}

TEST_CASE("the target keeps its content until commit, and without commit") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  {
    OutputFile file(folder / "a");
    std::fputs("half", file.open().get());
    CHECK(read_text(folder / "a") == "old");
    CHECK(folder.entries() == 2);
  }
  CHECK(read_text(folder / "a") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("pieces are joined, and a writer that fails half-way leaves the old file alone") {
  const TemporaryFolder folder;
  const std::string large(100'000, 'x');
  write_file_in_pieces(folder / "a", [&](const auto& put) {
    for (const std::string& piece : {std::string("one\n"), std::string(), large}) put(piece);
    CHECK_FALSE(std::filesystem::exists(folder / "a"));
  });
  CHECK(read_text(folder / "a") == "one\n" + large);
  CHECK_THROWS_AS(write_file_in_pieces(folder / "a",
                                       [&](const auto& put) {
                                         put(large + large);
                                         throw InputError("bad record");
                                       }),
                  InputError);
  CHECK(read_text(folder / "a") == "one\n" + large);
  CHECK(folder.entries() == 1);
}

TEST_CASE("new files get the permissions of any new file") {
  const TemporaryFolder folder;
  std::ofstream(folder / "plain") << "x";
  write_file_atomically(folder / "atomic", "x");
  CHECK(std::filesystem::status(folder / "atomic").permissions() == std::filesystem::status(folder / "plain").permissions());
}

TEST_CASE("what cannot be written is an InputError that names the path, in one line") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(
      write_file_atomically(folder / "no" / "file", "x"),
      (folder / "no").string() + "/file: cannot be written (there is no folder " + (folder / "no").string() + ")");
  CHECK_THROWS_AS(write_file_atomically(folder.path(), "x"), InputError);
  CHECK_THROWS_AS(write_file_atomically(folder.path() / "", "x"), InputError);
  CHECK_THROWS_AS(write_file_atomically("", "x"), InputError);
  CHECK_THROWS_AS(write_file_atomically("/proc/ccpbench-cannot-exist", "x"), InputError);
  CHECK(folder.entries() == 0);

  if (::geteuid() != 0) {
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    CHECK_THROWS_AS(write_file_atomically(folder / "file", "x"), InputError);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
}

TEST_CASE("a target that turned into a folder fails at commit and leaves nothing behind") {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "a");
    std::filesystem::create_directory(folder / "a");
    CHECK_THROWS_AS(file.commit(), InputError);
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file is read byte by byte, and what is no file is nothing") {
  const TemporaryFolder folder;
  const std::string bytes("a\r\n\0\xff", 5);
  write_file_atomically(folder / "a", bytes);
  CHECK(ccp::read_file(folder / "a") == bytes);
  CHECK_FALSE(ccp::read_file(folder / "b"));
  CHECK_FALSE(ccp::read_file(folder / "a/b"));
  CHECK_FALSE(ccp::read_file(folder / "."));
}
