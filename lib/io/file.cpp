#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/text.hpp"

namespace ccp {
namespace {

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> count{0};
  // Independent of the target's name, which may already be as long as the file system allows.
  return target.parent_path() / fmt::format(".ccpbench-{}-{}.tmp", ::getpid(), count++);
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code ignored;
  if (!stream || std::filesystem::is_directory(path, ignored)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

void check_name(const std::filesystem::path& path) {
  if (escaped_text(path.string()) != path.string())
    throw InputError(
        path.string(), "",
        "has a name that is not UTF-8 or has control characters, expected one that JSON and CSV can hold; rename it");
}

bool is_lfs_pointer(std::string_view text) { return text.starts_with("version https://git-lfs.github.com/spec/"); }

InputError lfs_pointer(const std::filesystem::path& path) {
  return {path.string(), "", "is a pointer of Git LFS, not the file itself; `git lfs pull` fetches it"};
}

WriteError cannot_write(const std::filesystem::path& path, int error) {
  return {path.string(), "", fmt::format("cannot be written ({})", std::strerror(error)), error};
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  if (target_.filename().empty()) throw InputError(target_.string(), "", "expected the name of a file to write");
  std::error_code ignored;
  if (std::filesystem::is_directory(target_, ignored))
    throw WriteError(target_.string(), "", "is a folder, expected a file to write");
  int descriptor = -1;
  do {
    temporary_ = temporary_name(target_);
    descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);  // left behind by a killed process with the same id
  if (descriptor < 0) throw cannot_write(target_, errno);
  ::close(descriptor);
  pending_ = true;
}

AtomicFile::~AtomicFile() {
  if (pending_) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw cannot_write(target_, errno);
  pending_ = false;
}

void write_file_in_pieces(const std::filesystem::path& path,
                          const std::function<void(const std::function<void(std::string_view)>& put)>& write) {
  AtomicFile file(path);
  FileStream stream(std::fopen(file.temporary().c_str(), "wb"));
  if (!stream) throw cannot_write(path, errno);
  write([&](std::string_view piece) {
    if (std::fwrite(piece.data(), 1, piece.size(), stream.get()) != piece.size()) throw cannot_write(path, errno);
  });
  if (std::fclose(stream.release()) != 0) throw cannot_write(path, errno);  // flushes: a full disk may only show here
  file.commit();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_in_pieces(path, [content](const auto& put) { put(content); });
}

}  // namespace ccp
