#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"

/// Reading HDF5 files that nobody vouches for. Private to lib/io. Every failure is an InputError with the file and the path
/// inside it. Not safe for concurrent use: neither is the library beneath.
namespace ccp::hdf5 {

/// Owner of one HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  bool valid() const { return id_ >= 0; }
  hid_t id() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// While it lives HDF5 prints no error stack. The first one, if HDF5 was not in use before, also keeps HDF5 from closing
/// itself at the end of the program: it never has anything left to write, and after some damaged files it fails there,
/// loudly.
class QuietErrors {
 public:
  QuietErrors() {
    [[maybe_unused]] static const herr_t once = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The state that all groups of one open file share.
struct OpenFile {
  QuietErrors quiet;
  std::string name;
  std::uintmax_t bytes = 0;
  Handle file;
  Handle link_access;  ///< refuses external links
};

/// A group of an open file; the file stays open as long as one of its groups lives. Names are those of direct members. Soft
/// links are followed (HDF5 gives up on a cycle); links to other files, external and virtual storage are refused.
class Group {
 public:
  /// The root group. Throws InputError when `path` is no readable, complete HDF5 file.
  static Group open(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& member) const;

  Group group(const std::string& member) const;
  /// Number of entries of a numeric dataset, from its dataspace, checked against what the file can hold.
  Index size(const std::string& member) const;
  /// A dataset of whole numbers, of any integer type; real numbers are taken when they are whole. All fit an int.
  std::vector<int> integers(const std::string& member) const;
  /// The same with exactly one entry.
  int integer(const std::string& member) const;
  /// A dataset of numbers of any integer or real type.
  Vector reals(const std::string& member) const;
  /// A string, as bytes, up to the first NUL.
  std::string text(const std::string& member) const;

  [[noreturn]] void fail(const std::string& member, const std::string& expectation) const;

 private:
  struct Dataset {
    Handle id, type;
    std::vector<hsize_t> sizes, limits;
    Index count = 0;
    H5T_class_t type_class = H5T_NO_CLASS;
  };

  Group(std::shared_ptr<const OpenFile> file, Handle id, std::string path)
      : file_(std::move(file)), id_(std::move(id)), path_(std::move(path)) {}
  std::string member_path(const std::string& member) const;
  Handle open_object(const std::string& member, H5I_type_t kind) const;
  Dataset open_dataset(const std::string& member) const;
  Dataset open_numbers(const std::string& member) const;
  void check_storage(const std::string& member, const Dataset& dataset) const;
  void check_chunks(const std::string& member, const Dataset& dataset, hid_t creation) const;
  std::string variable_text(const std::string& member, const Dataset& dataset) const;

  std::shared_ptr<const OpenFile> file_;
  Handle id_;
  std::string path_;
};

}  // namespace ccp::hdf5
