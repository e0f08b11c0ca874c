#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/text.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* temporary_pattern = ".ccpbench-%d-%d.tmp%n";  // as temporary_name() writes it

fs::path temporary_name(const fs::path& folder) {
  static std::atomic<unsigned> count{0};
  // Independent of the target's name, which may already be as long as the file system allows.
  return folder / fmt::format(".ccpbench-{}-{}.tmp", ::getpid(), count++);
}

/// N where the path is /proc/self/fd/N: /dev/stdout leads there.
std::optional<int> own_descriptor(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  std::error_code missing;
  const fs::path own = fs::canonical("/proc/self/fd", missing);
  if (missing || fs::canonical(fs::absolute(path, missing).parent_path(), missing) != own || missing) return std::nullopt;
  return std::stoi(name);
}

/// What the name stands for, be it there or not; a descriptor of this process as /proc/self/fd/N.
fs::path without_links(const fs::path& name) {
  fs::path path = name;
  for (int links = 0; links < 40; ++links) {
    std::error_code none;
    const fs::path next = own_descriptor(path) ? fs::path() : fs::read_symlink(path, none);
    if (none || next.empty()) return path;
    const fs::path to = path.parent_path() / next;  // the latter alone where it is absolute
    if (fs::exists(path, none) && !fs::exists(fs::symlink_status(to, none))) return path;  // what another process has open
    path = to;
  }
  throw cannot_write(name, ELOOP);
}

/// With the folder, where that is the reason.
WriteError cannot_create(const fs::path& path, const fs::path& folder, int error) {
  if (error == ENOENT)
    return {path.string(), "", fmt::format("cannot be written (there is no folder {})", folder.string()), error};
  if (error == EACCES || error == EPERM || error == EROFS)
    return {path.string(), "",
            fmt::format("cannot be written (no file can be made in {}: {})", folder.string(), std::strerror(error)), error};
  return cannot_write(path, error);
}

/// Owner and mode of an older file, as far as they are permitted.
void take_over(int descriptor, const struct stat& old) {
  const bool all = ::fchown(descriptor, old.st_uid, old.st_gid) == 0;
  const bool group = all || ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  mode_t mode = old.st_mode & (all ? 07777 : 0777);
  if (!group) mode &= ~static_cast<mode_t>(070) | (mode & 07) << 3;   // nothing to another group that was not everyone's
  [[maybe_unused]] const int unchanged = ::fchmod(descriptor, mode);  // not every file system has modes
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

OutputFile::OutputFile(fs::path name) : name_(std::move(name)) {
  if (name_.filename().empty()) throw InputError(name_.string(), "", "expected the name of a file to write");
  target_ = without_links(name_);
  if (const auto open = own_descriptor(target_)) {
    const int flags = ::fcntl(*open, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) throw cannot_write(name_, EBADF);
    descriptor_ = ::fcntl(*open, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) throw cannot_write(name_, errno);
    passes_ = true;
    return;
  }
  look_at_target();
}

void OutputFile::look_at_target() {
  fs::path folder = target_.parent_path();
  if (folder.empty()) folder = ".";
  struct stat old {};
  if (::stat(target_.c_str(), &old) != 0) {
    if (errno != ENOENT) throw cannot_write(name_, errno);
    return create_temporary(folder, false);
  }
  if (S_ISDIR(old.st_mode)) throw WriteError(name_.string(), "", "is a folder, expected a file to write");
  if (S_ISSOCK(old.st_mode))
    throw WriteError(name_.string(), "", "is a socket, expected a file, a device or a pipe to write");
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) throw cannot_write(name_, errno);
  passes_ = !S_ISREG(old.st_mode);
  if (passes_) return;
  create_temporary(folder, true);
  take_over(descriptor_, old);
}

// secret: before it has the mode of the older file, which may be for the owner alone.
void OutputFile::create_temporary(const fs::path& folder, bool secret) {
  do {
    temporary_ = temporary_name(folder);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, secret ? 0600 : 0666);
  } while (descriptor_ < 0 && errno == EEXIST);  // left behind by a killed process with the same id
  if (descriptor_ >= 0) return;
  const int error = errno;
  temporary_.clear();
  throw cannot_create(name_, folder, error);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

FileStream OutputFile::open() {
  if (is_standard_output()) std::fflush(stdout);  // what was said before comes before
  const int descriptor = descriptor_ >= 0 ? descriptor_ : ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(name_, errno);
  FileStream stream(::fdopen(descriptor, "wb"));
  if (!stream) throw cannot_write(name_, errno);
  descriptor_ = -1;
  return stream;
}

bool OutputFile::is_standard_output() const { return own_descriptor(target_) == STDOUT_FILENO; }

bool OutputFile::is_same(const fs::path& other) const {
  if (passes_) return false;
  std::error_code unknown;
  const fs::path to = without_links(other);
  if (fs::equivalent(target_, to, unknown)) return true;
  const fs::path ours = fs::weakly_canonical(fs::absolute(target_), unknown);
  return !ours.empty() && ours == fs::weakly_canonical(fs::absolute(to), unknown);
}

void OutputFile::commit() {
  if (passes_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw cannot_write(name_, errno);
  temporary_.clear();
}

void check_output_folder(const fs::path& folder) {
  fs::path there = folder.empty() ? fs::path(".") : folder;
  struct stat found {};
  while (::stat(there.c_str(), &found) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw cannot_write(folder, errno);
    std::error_code missing;
    if (fs::is_symlink(there, missing))
      throw WriteError(folder.string(), "", "is a link to what is not there, expected a folder", ENOENT);
    there = there.has_parent_path() && there.parent_path() != there ? there.parent_path() : fs::path(".");
  }
  if (!S_ISDIR(found.st_mode))
    throw WriteError(folder.string(), "",
                     there == folder ? "is no folder, expected one to write to"
                                     : fmt::format("cannot be made: {} is no folder", there.string()),
                     ENOTDIR);
  if (::faccessat(AT_FDCWD, there.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const int error = errno;
    throw WriteError(folder.string(), "",
                     fmt::format("cannot be written (no file can be made in {}: {})", there.string(), std::strerror(error)),
                     error);
  }
}

bool is_unfinished_file(const std::string& name) {
  int process = 0, count = 0, length = 0;
  if (std::sscanf(name.c_str(), temporary_pattern, &process, &count, &length) != 2 || length == 0) return false;
  return static_cast<std::size_t>(length) == name.size() && ::kill(process, 0) != 0 && errno == ESRCH;
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError(path.string(), "", fmt::format("cannot be created ({})", error.message()));
}

void write_file_in_pieces(const std::filesystem::path& path,
                          const std::function<void(const std::function<void(std::string_view)>& put)>& write) {
  OutputFile file(path);
  FileStream stream = file.open();
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
