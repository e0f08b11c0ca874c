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

/// The error for a file that is one.
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

/// The error for a file that cannot be written; error: errno.
WriteError cannot_write(const std::filesystem::path& path, int error);

/// A file that is to be written. What has the name keeps its kind:
/// * a file, or a name that is free, is written under a temporary name in its folder, which takes the name on commit() and
///   disappears without it. So a reader, or an interrupted run, never meets half a file. Mode and owner stay those of the
///   file as far as that is permitted; a new file has those of any new file;
/// * a link stays, and the file that it leads to is written so, be it there or not;
/// * a device or a pipe gets the bytes as they are written, and so does what this process has open where the name is
///   /dev/stdout, /dev/stderr or /dev/fd/N.
class OutputFile {
 public:
  /// Finds out whether it can be written, and creates the temporary file: an object that is not opened is a probe. Throws
  /// InputError(name, ...) for a folder, a socket, a file without permission to write, and where the folder is missing or
  /// not writable.
  explicit OutputFile(std::filesystem::path name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where the bytes go; called once. A named pipe waits for its reader. Throws InputError(name, ...).
  FileStream open();
  /// Whether the bytes reach their place at once: a device, a pipe, something open.
  bool passes_through() const { return passes_; }
  /// Whether that is the standard output of this process.
  bool is_standard_output() const;
  /// Whether both lead to the same file, one that commit() replaces.
  bool is_same(const std::filesystem::path& other) const;

  /// Gives a file its name, in the place of an older one. The stream is closed before. Throws InputError(name, ...).
  void commit();

 private:
  void look_at_target();
  void create_temporary(const std::filesystem::path& folder, bool secret);

  std::filesystem::path name_, target_, temporary_;  ///< target_: without links
  int descriptor_ = -1;                              ///< owned; -1 where open() opens the target
  bool passes_ = false;
};

/// Throws InputError(folder, ...) where files cannot be made in a folder, or where it is not there and cannot be made.
/// Creates nothing. To be asked before the work whose results go there.
void check_output_folder(const std::filesystem::path& folder);

/// Makes a folder and those around it, where they are missing. Throws InputError(path, ...) when it cannot.
void make_folder(const std::filesystem::path& path);

/// Whether a name is that of the temporary file of an OutputFile whose process has ended without giving it its name.
bool is_unfinished_file(const std::string& name);

/// Writes `content` to `path` as OutputFile does: a file completely or not at all. Throws InputError(path, ...) when it
/// cannot (no such folder, no permission, disk full). Not durable against power loss: nothing is synchronised to the disk.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The same for a file too large to be held at once: `write` is called with a function that takes one piece after the other.
void write_file_in_pieces(const std::filesystem::path& path,
                          const std::function<void(const std::function<void(std::string_view)>& put)>& write);

}  // namespace ccp
