#include "io/hdf5_image.hpp"

#include <stdexcept>

namespace ccp::hdf5 {
namespace {

constexpr std::size_t growth_step = std::size_t{1} << 20;

void require(bool success, const std::string& action) {
  if (!success) throw std::runtime_error("HDF5 cannot " + action);
}

Handle list_space(std::size_t count) {
  const hsize_t size = count;
  return {H5Screate_simple(1, &size, nullptr), H5Sclose};
}

}  // namespace

Image::Image() {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), growth_step, false);  // in memory, nothing goes to the disk
  file_ = Handle(H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  make_groups_ = Handle(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(make_groups_.id(), 1);
  no_times_ = Handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(no_times_.id(), false);
  require(file_.valid() && make_groups_.valid() && no_times_.valid(), "make a file in memory");
}

void Image::add(const std::string& path, hid_t type, const Handle& space, const void* values) {
  const Handle dataset(
      H5Dcreate2(file_.id(), path.c_str(), type, space.id(), make_groups_.id(), no_times_.id(), H5P_DEFAULT), H5Dclose);
  require(dataset.valid(), "create " + path);
  require(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "write " + path);
}

void Image::add_integers(const std::string& path, const std::vector<int>& values) {
  add(path, H5T_NATIVE_INT, list_space(values.size()), values.data());
}

void Image::add_reals(const std::string& path, const Vector& values) {
  add(path, H5T_NATIVE_DOUBLE, list_space(static_cast<std::size_t>(values.size())), values.data());
}

void Image::add_text(const std::string& path, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), text.size() + 1);
  add(path, type.id(), Handle(H5Screate(H5S_SCALAR), H5Sclose), text.c_str());
}

std::string Image::bytes() const {
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0, "complete the file in memory");
  const ssize_t size = H5Fget_file_image(file_.id(), nullptr, 0);
  require(size >= 0, "measure the file in memory");
  std::string image(static_cast<std::size_t>(size), '\0');
  require(H5Fget_file_image(file_.id(), image.data(), image.size()) == size, "copy the file in memory");
  return image;
}

}  // namespace ccp::hdf5
