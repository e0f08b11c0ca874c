#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "io/hdf5_group.hpp"

namespace ccp::hdf5 {

/// An HDF5 file built in memory, in the plain layout the C library of FCLib reads: lists in one piece, 32-bit integers,
/// doubles, fixed-length text. No time stamps, so equal content gives equal bytes. Private to lib/io. Throws
/// std::runtime_error when HDF5 fails, for want of memory.
class Image {
 public:
  Image();

  /// path: absolute; its groups are made as needed.
  void add_integers(const std::string& path, const std::vector<int>& values);
  void add_integer(const std::string& path, int value) { add_integers(path, {value}); }
  void add_reals(const std::string& path, const Vector& values);
  void add_text(const std::string& path, const std::string& text);

  /// The bytes of the file.
  std::string bytes() const;

 private:
  void add(const std::string& path, hid_t type, const Handle& space, const void* values);

  QuietErrors quiet_;
  Handle file_, make_groups_, no_times_;
};

}  // namespace ccp::hdf5
