#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace ccp {

struct FileCloser {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
/// An open file.
using FileStream = std::unique_ptr<std::FILE, FileCloser>;

/// The bytes of a file; nothing when it cannot be read or is a folder.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Throws InputError for the path of a dump that is not UTF-8 or has control characters: neither JSON nor CSV could name it.
void check_name(const std::filesystem::path& path);

/// Whether a text is what Git LFS leaves in place of a file that has not been fetched.
bool is_lfs_pointer(std::string_view text);

/// What to throw for a file that is one.
InputError lfs_pointer(const std::filesystem::path& path);

/// The disk is full, a folder is gone, read-only or in the way: the same input may work another time.
class WriteError : public InputError {
 public:
  /// error: errno, 0 where it says nothing.
  WriteError(const std::string& file, const std::string& place, const std::string& expectation, int error = 0)
      : InputError(file, place, expectation), error_(error) {}

  bool disk_full() const { return error_ == ENOSPC || error_ == EDQUOT; }

 private:
  int error_;
};

/// What to throw for a file that cannot be written; error: errno.
WriteError cannot_write(const std::filesystem::path& path, int error);

/// A new file under a temporary name in the folder of `target`, which takes the target's name on commit() and disappears
/// without it. So a reader, or an interrupted run, never meets half a file.
class AtomicFile {
 public:
  /// Creates the temporary file, empty. Throws InputError(target, ...) when the folder is missing or not writable, or when
  /// the target is a folder.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Where to write; a plain file that exists.
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Gives the file its name, replacing an older one. Throws InputError(target, ...) when that fails.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool pending_ = false;
};

/// Writes `content` to `path`, replacing an older file, completely or not at all. Throws InputError(path, ...) when it
/// cannot (no such folder, no permission, disk full). Not durable against power loss: nothing is synchronised to the disk.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The same for a file too large to be held at once: `write` is called with a function that takes one piece after the other.
void write_file_in_pieces(const std::filesystem::path& path,
                          const std::function<void(const std::function<void(std::string_view)>& put)>& write);

}  // namespace ccp
