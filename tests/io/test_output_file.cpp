#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "core/error.hpp"
#include "io/file.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

using ccp::check_output_folder;
using ccp::InputError;
using ccp::OutputFile;
using ccp::write_file_atomically;
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

mode_t mode_of(const fs::path& path) {
  struct stat found {};
  REQUIRE(::lstat(path.c_str(), &found) == 0);
  return found.st_mode;
}

/// The bytes that wait in a pipe.
std::string waiting(int pipe) {
  std::string text(100, '\0');
  const ssize_t size = ::read(pipe, text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

}  // namespace

TEST_CASE("a link stays, and the file that it leads to is replaced or made") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  write_text(folder / "deep/target", "old");
  fs::create_symlink("deep/target", folder / "link");
  fs::create_symlink("link", folder / "second");
  fs::create_symlink("deep/new", folder / "dangling");
  fs::create_symlink("no/new", folder / "lost");
  fs::create_symlink("loop", folder / "loop");
  write_file_atomically(folder / "second", "new");
  write_file_atomically(folder / "dangling", "made");
  CHECK(read_text(folder / "deep/target") == "new");
  CHECK(read_text(folder / "deep/new") == "made");
  for (const char* name : {"link", "second", "dangling"}) CHECK(fs::is_symlink(folder / name));
  CHECK_THROWS_WITH(OutputFile(folder / "lost"), Catch::Contains("lost: cannot be written (there is no folder"));
  CHECK_THROWS_WITH(OutputFile(folder / "loop"), Catch::Contains("loop: cannot be written"));
  CHECK(folder.entries() == 6);
}

TEST_CASE("a file keeps its mode and owner, also while it is written") {
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  for (const mode_t mode : {0600, 0640, 0666, 0755}) {
    REQUIRE(::chmod((folder / "a").c_str(), mode) == 0);
    OutputFile file(folder / "a");
    for (const auto& entry : fs::directory_iterator(folder.path())) CHECK((mode_of(entry.path()) & 0777) == mode);
    std::fputs("new", file.open().get());
    file.commit();
    CHECK((mode_of(folder / "a") & 0777) == mode);
    CHECK(read_text(folder / "a") == "new");
  }
  if (::geteuid() != 0) return;
  REQUIRE(::chown((folder / "a").c_str(), 65534, 65533) == 0);
  REQUIRE(::chmod((folder / "a").c_str(), 04711) == 0);
  write_file_atomically(folder / "a", "root's");
  struct stat found {};
  REQUIRE(::stat((folder / "a").c_str(), &found) == 0);
  CHECK((found.st_uid == 65534 && found.st_gid == 65533));
  CHECK((found.st_mode & 07777) == 04711);
}

TEST_CASE("a file that may not be written is not replaced") {
  if (::geteuid() == 0) return skip("root may write every file");
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 0444) == 0);
  CHECK_THROWS_WITH(write_file_atomically(folder / "a", "new"), Catch::Contains("cannot be written (Permission denied)"));
  CHECK(read_text(folder / "a") == "old");
}

TEST_CASE("a named pipe gets the bytes and stays") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "link");
  const int reader = ::open((folder / "pipe").c_str(), O_RDWR | O_NONBLOCK);  // a reader, so that nothing waits
  for (const char* name : {"pipe", "link"}) {
    OutputFile file(folder / name);
    CHECK(file.passes_through());
    CHECK(waiting(reader).empty());
    std::fputs(name, file.open().get());
    file.commit();
    CHECK(waiting(reader) == name);
  }
  ::close(reader);
  CHECK(S_ISFIFO(mode_of(folder / "pipe")));
  CHECK(S_ISLNK(mode_of(folder / "link")));
  CHECK(folder.entries() == 2);
}

TEST_CASE("what this process has open is written where it stands") {
  const TemporaryFolder folder;
  const int file = ::open((folder / "a").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(::write(file, "one ", 4) == 4);
  const std::string name = "/dev/fd/" + std::to_string(file);
  write_file_atomically(name, "two ");
  fs::create_symlink(name, folder / "link");
  write_file_atomically(folder / "link", "three");
  CHECK(read_text(folder / "a") == "one two three");
  CHECK(OutputFile(name).passes_through());
  CHECK_FALSE(OutputFile(name).is_standard_output());
  fs::create_symlink("/proc/self/fd/1", folder / "stdout");  // as /dev/stdout is, which a test leaves alone
  CHECK(OutputFile(folder / "stdout").is_standard_output());
  ::close(file);
  CHECK_THROWS_AS(OutputFile(name), InputError);
  const int read_only = ::open((folder / "a").c_str(), O_RDONLY);
  CHECK_THROWS_WITH(OutputFile("/dev/fd/" + std::to_string(read_only)), Catch::Contains("cannot be written"));
  ::close(read_only);
}

TEST_CASE("a device gets the bytes and stays, and says that it is full") {
  const TemporaryFolder folder;
  const fs::path null = folder / "null", full = folder / "full";
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0 || ::access(null.c_str(), W_OK) != 0 ||
      ::open(null.c_str(), O_WRONLY) < 0)
    return skip("no device can be made here");
  write_file_atomically(null, "x");
  CHECK_THROWS_WITH(write_file_atomically(full, "x"), Catch::Contains("full: cannot be written (No space left on device)"));
  CHECK(S_ISCHR(mode_of(null)));
  CHECK(S_ISCHR(mode_of(full)));
  CHECK(folder.entries() == 2);
}

TEST_CASE("a socket is refused and stays") {
  const TemporaryFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder / "s").string();
  REQUIRE(name.size() < sizeof address.sun_path);
  std::strcpy(address.sun_path, name.c_str());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK_THROWS_WITH(OutputFile(name), Catch::Contains("is a socket"));
  ::close(socket);
  CHECK(S_ISSOCK(mode_of(folder / "s")));
}

TEST_CASE("two names of one file are known before either is written") {
  const TemporaryFolder folder;
  fs::create_symlink("a", folder / "link");
  const OutputFile file(folder / "a");
  CHECK(file.is_same(folder / "link"));
  CHECK(file.is_same(folder / "." / "a"));
  CHECK_FALSE(file.is_same(folder / "b"));
}

TEST_CASE("a folder for output is looked at and not made") {
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  fs::create_symlink("nowhere", folder / "link");
  check_output_folder(folder.path());
  check_output_folder(folder / "new/er");
  CHECK_THROWS_WITH(check_output_folder(folder / "file"), Catch::Contains("file: is no folder"));
  CHECK_THROWS_WITH(check_output_folder(folder / "file/deep"), Catch::Contains("file/deep: cannot be"));
  CHECK_THROWS_WITH(check_output_folder(folder / "link/deep"), Catch::Contains("is a link to what is not there"));
  CHECK(folder.entries() == 2);
}
