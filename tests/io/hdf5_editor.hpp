#pragma once

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// Makes and changes HDF5 files in every way a test can want, including wrong ones.
class Hdf5Editor {
 public:
  /// Opens the file, or creates it.
  explicit Hdf5Editor(const std::filesystem::path& path) : file_(open(path)), parents_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(parents_, 1);
  }
  ~Hdf5Editor() {
    H5Pclose(parents_);
    H5Fclose(file_);
  }
  Hdf5Editor(const Hdf5Editor&) = delete;
  Hdf5Editor& operator=(const Hdf5Editor&) = delete;

  void remove(const std::string& path) { require(H5Ldelete(file_, path.c_str(), H5P_DEFAULT)); }
  void group(const std::string& path) {
    const hid_t id = H5Gcreate2(file_, path.c_str(), parents_, H5P_DEFAULT, H5P_DEFAULT);
    require(id);
    H5Gclose(id);
  }
  void soft_link(const std::string& target, const std::string& path) {
    drop(path);
    require(H5Lcreate_soft(target.c_str(), file_, path.c_str(), parents_, H5P_DEFAULT));
  }
  void hard_link(const std::string& target, const std::string& path) {
    drop(path);
    require(H5Lcreate_hard(file_, target.c_str(), file_, path.c_str(), parents_, H5P_DEFAULT));
  }
  void external_link(const std::string& other_file, const std::string& target, const std::string& path) {
    drop(path);
    require(H5Lcreate_external(other_file.c_str(), target.c_str(), file_, path.c_str(), parents_, H5P_DEFAULT));
  }

  void integers(const std::string& path, const std::vector<int>& values, hid_t stored = H5T_NATIVE_INT) {
    put(path, stored, {values.size()}, H5T_NATIVE_INT, values.data());
  }
  void integer(const std::string& path, int value) { integers(path, {value}); }
  void reals(const std::string& path, const std::vector<double>& values, hid_t stored = H5T_NATIVE_DOUBLE) {
    put(path, stored, {values.size()}, H5T_NATIVE_DOUBLE, values.data());
  }
  void text(const std::string& path, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size() + 1);
    put(path, type, {}, type, value.c_str());
    H5Tclose(type);
  }
  void variable_text(const std::string& path, const char* value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    put(path, type, {}, type, &value);
    H5Tclose(type);
  }

  /// Any dataset; no values are written when `values` is null. An existing one is replaced. creation is closed here.
  void put(const std::string& path, hid_t stored, const std::vector<hsize_t>& sizes, hid_t given, const void* values,
           hid_t creation = H5P_DEFAULT) {
    drop(path);
    // Without a limit on the size, so that a piece may be larger than the list.
    const std::vector<hsize_t> limits(sizes.size(), H5S_UNLIMITED);
    const bool growing = creation != H5P_DEFAULT && H5Pget_layout(creation) == H5D_CHUNKED;
    const hid_t space =
        sizes.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), growing ? limits.data() : nullptr);
    const hid_t dataset = H5Dcreate2(file_, path.c_str(), stored, space, parents_, creation, H5P_DEFAULT);
    require(dataset);
    if (values != nullptr) require(H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dataset);
    H5Sclose(space);
    if (creation != H5P_DEFAULT) H5Pclose(creation);
  }
  /// A creation list for put(): pieces of `chunk` entries, packed when level > 0.
  static hid_t chunked(hsize_t chunk, unsigned level = 0) {
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    if (level > 0) {
      H5Pset_shuffle(list);
      H5Pset_deflate(list, level);
    }
    return list;
  }

  hid_t file() const { return file_; }

 private:
  static hid_t open(const std::filesystem::path& path) {
    [[maybe_unused]] static const herr_t once = H5dont_atexit();  // as the library does: see QuietErrors
    const hid_t file = std::filesystem::exists(path) ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                                     : H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    require(file);
    return file;
  }
  static void require(hid_t result) {
    if (result < 0) throw std::runtime_error("the test cannot make its HDF5 file");
  }
  void drop(const std::string& path) {
    if (path.find('/', 1) != std::string::npos) {
      // H5Lexists wants every parent to exist.
      for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
        if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return;
    }
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
  }

  hid_t file_, parents_;
};
