#include "io/hdf5_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"

namespace ccp::hdf5 {
namespace {

// A dataset may claim free_bytes, plus what it takes in the file, times the best that deflate can do (1032) when it is
// in chunks. More is a header that lies.
constexpr double free_bytes = 1 << 20;
constexpr double best_compression = 1100.0;
constexpr double chunk_record = 16.0;    // bytes that the file spends at least on finding one chunk
constexpr double least_chunks = 1024.0;  // allowed to any file
constexpr std::size_t longest_text = std::size_t{1} << 24;

// H5L_elink_traverse_t: a negative answer ends the traversal.
herr_t refuse_external_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

const char* class_name(H5T_class_t type_class) {
  switch (type_class) {
    case H5T_INTEGER: return "whole numbers";
    case H5T_FLOAT: return "real numbers";
    case H5T_STRING: return "text";
    case H5T_COMPOUND: return "compound data";
    case H5T_ENUM: return "enumerated data";
    case H5T_ARRAY: return "arrays";
    case H5T_VLEN: return "lists of variable length";
    default: return "data of an unexpected type";
  }
}

const char* object_name(H5I_type_t kind) {
  switch (kind) {
    case H5I_GROUP: return "a group";
    case H5I_DATASET: return "a dataset";
    case H5I_DATATYPE: return "a datatype";
    default: return "an unknown object";
  }
}

void* allocate_text(std::size_t size, void*) { return size > longest_text ? nullptr : std::malloc(size); }
void free_text(void* text, void*) { std::free(text); }

void check_regular_file(const std::string& name) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(name, error);
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(name, "", "no such file");
  if (status.type() == std::filesystem::file_type::directory)
    throw InputError(name, "", "is a folder, expected an HDF5 file");
  if (status.type() != std::filesystem::file_type::regular)
    throw InputError(name, "", "is not a regular file, expected an HDF5 file");
  std::FILE* stream = std::fopen(name.c_str(), "rb");
  if (stream == nullptr) throw InputError(name, "", fmt::format("cannot be opened ({})", std::strerror(errno)));
  std::fclose(stream);
  if (std::filesystem::file_size(name, error) == 0) throw InputError(name, "", "is empty, expected an HDF5 file");
}

bool begins_as_lfs_pointer(const std::filesystem::path& path) {
  std::string start(64, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return is_lfs_pointer(start);
}

}  // namespace

Group Group::open(const std::filesystem::path& path) {
  auto file = std::make_shared<OpenFile>();
  file->name = path.string();
  check_regular_file(file->name);
  std::error_code ignored;
  file->bytes = std::filesystem::file_size(path, ignored);
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw begins_as_lfs_pointer(path) ? lfs_pointer(path) : InputError(file->name, "", "is not an HDF5 file");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  H5Pset_file_locking(access.id(), false, true);  // shared read-only folders often cannot lock
  file->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file->file.valid()) throw InputError(file->name, "", "is damaged or truncated, expected a complete HDF5 file");
  file->link_access = Handle(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  H5Pset_elink_cb(file->link_access.id(), refuse_external_link, nullptr);
  Handle root(H5Gopen2(file->file.id(), "/", H5P_DEFAULT), H5Gclose);
  if (!root.valid()) throw InputError(file->name, "/", "cannot be opened; the file is damaged");
  return {std::move(file), std::move(root), ""};
}

std::string Group::member_path(const std::string& member) const { return path_ + "/" + member; }

void Group::fail(const std::string& member, const std::string& expectation) const {
  throw InputError(file_->name, member.empty() ? path_ : member_path(member), expectation);
}

bool Group::has(const std::string& member) const {
  const htri_t found = H5Lexists(id_.id(), member.c_str(), file_->link_access.id());
  if (found < 0) fail(member, "cannot be looked up; the file is damaged");
  return found > 0;
}

Handle Group::open_object(const std::string& member, H5I_type_t kind) const {
  if (!has(member)) fail(member, fmt::format("is missing, expected {}", object_name(kind)));
  Handle object(H5Oopen(id_.id(), member.c_str(), file_->link_access.id()), H5Oclose);
  if (!object.valid())
    fail(member, fmt::format("cannot be opened (damaged, a dangling or cyclic link, or a link to another file), expected {}",
                             object_name(kind)));
  const H5I_type_t found = H5Iget_type(object.id());
  if (found != kind) fail(member, fmt::format("is {}, expected {}", object_name(found), object_name(kind)));
  return object;
}

Group Group::group(const std::string& member) const { return {file_, open_object(member, H5I_GROUP), member_path(member)}; }

Group::Dataset Group::open_dataset(const std::string& member) const {
  Dataset dataset;
  dataset.id = open_object(member, H5I_DATASET);
  dataset.type = Handle(H5Dget_type(dataset.id.id()), H5Tclose);
  const Handle space(H5Dget_space(dataset.id.id()), H5Sclose);
  if (!dataset.type.valid() || !space.valid()) fail(member, "cannot be read; the file is damaged");
  dataset.type_class = H5Tget_class(dataset.type.id());

  const int rank = H5Sget_simple_extent_ndims(space.id());
  dataset.sizes.resize(static_cast<std::size_t>(std::max(rank, 0)));
  dataset.limits = dataset.sizes;
  if (rank < 0 || H5Sget_simple_extent_dims(space.id(), dataset.sizes.data(), dataset.limits.data()) < 0)
    fail(member, "has no readable size; the file is damaged");
  hsize_t count = H5Sget_simple_extent_type(space.id()) == H5S_NULL ? 0 : 1;
  for (const hsize_t size : dataset.sizes) {
    if (size != 1 && count > 1) fail(member, fmt::format("is a table of {} dimensions, expected a list", rank));
    if (size > static_cast<hsize_t>(std::numeric_limits<int>::max()))
      fail(member, fmt::format("claims {} entries, expected less than 2^31", size));
    count *= size;
  }
  dataset.count = static_cast<Index>(count);
  check_storage(member, dataset);
  return dataset;
}

void Group::check_storage(const std::string& member, const Dataset& dataset) const {
  const Handle creation(H5Dget_create_plist(dataset.id.id()), H5Pclose);
  if (!creation.valid()) fail(member, "cannot be read; the file is damaged");
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    fail(member, "is put together from other datasets, expected stored data");
  if (H5Pget_external_count(creation.id()) != 0) fail(member, "keeps its data in another file, expected it in this one");

  const double file_bytes = static_cast<double>(file_->bytes);
  const double stored = std::min(static_cast<double>(H5Dget_storage_size(dataset.id.id())), file_bytes);
  const double type_bytes = static_cast<double>(H5Tget_size(dataset.type.id()));
  const double claimed = static_cast<double>(dataset.count) * type_bytes;
  if (claimed > free_bytes + stored * (layout == H5D_CHUNKED ? best_compression : 1.0))
    fail(member, fmt::format("claims {:.0f} bytes but takes {:.0f} in the file", claimed, stored));
  if (layout == H5D_CHUNKED) check_chunks(member, dataset, creation.id());
}

// HDF5 1.10 reads past the end of a chunk that is shorter than its header says; so what can be seen beforehand is checked. A
// chunk that unpacks to less than a forged header claims is beyond this.
void Group::check_chunks(const std::string& member, const Dataset& dataset, hid_t creation) const {
  std::vector<hsize_t> chunk(dataset.sizes.size());
  const int rank = static_cast<int>(chunk.size());
  if (rank == 0 || H5Pget_chunk(creation, rank, chunk.data()) != rank)
    fail(member, "has no readable chunk size; the file is damaged");
  double bytes = static_cast<double>(H5Tget_size(dataset.type.id()));
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    bytes *= static_cast<double>(chunk[i]);
    if (dataset.limits[i] != H5S_UNLIMITED && chunk[i] > std::max<hsize_t>(dataset.limits[i], 1))
      fail(member, fmt::format("has chunks of {} entries, but at most {} entries", chunk[i], dataset.limits[i]));
  }
  const double file_bytes = static_cast<double>(file_->bytes);
  if (bytes > free_bytes + file_bytes * best_compression)
    fail(member, fmt::format("claims chunks of {:.0f} bytes in a file of {:.0f}", bytes, file_bytes));

  unsigned packing = 0;  // a bit for each filter that changes the size
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) packing |= 1U << i;
  }
  std::vector<hsize_t> start(chunk.size(), 0);
  const auto longest =
      static_cast<std::size_t>(std::max_element(dataset.sizes.begin(), dataset.sizes.end()) - dataset.sizes.begin());
  const double chunks = static_cast<double>(dataset.sizes[longest]) / static_cast<double>(chunk[longest]);
  if (chunks > least_chunks + file_bytes / chunk_record)
    fail(member, fmt::format("claims {:.0f} chunks in a file of {:.0f} bytes", chunks, file_bytes));
  for (; dataset.count > 0 && start[longest] < dataset.sizes[longest]; start[longest] += chunk[longest]) {
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t stored = 0;
    if (H5Dget_chunk_info_by_coord(dataset.id.id(), start.data(), &skipped, &address, &stored) < 0)
      fail(member, "has chunks that cannot be found; the file is damaged");
    if (address != HADDR_UNDEF && (packing & ~skipped) == 0 && static_cast<double>(stored) < bytes)
      fail(member, fmt::format("has an unpacked chunk of {} bytes, expected {:.0f}", stored, bytes));
  }
}

Group::Dataset Group::open_numbers(const std::string& member) const {
  Dataset dataset = open_dataset(member);
  if (dataset.type_class != H5T_INTEGER && dataset.type_class != H5T_FLOAT)
    fail(member, fmt::format("holds {}, expected numbers", class_name(dataset.type_class)));
  // Odd sizes are not only strange but dangerous: with a forged one HDF5 1.10 reads past the end of packed chunks.
  const std::size_t bytes = H5Tget_size(dataset.type.id());
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    fail(member, fmt::format("holds numbers of {} bytes, expected 1, 2, 4 or 8", bytes));
  return dataset;
}

Index Group::size(const std::string& member) const { return open_numbers(member).count; }

Vector Group::reals(const std::string& member) const {
  const Dataset dataset = open_numbers(member);
  Vector values(dataset.count);
  if (dataset.count > 0 && H5Dread(dataset.id.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(member, "its numbers cannot be read; damaged, or packed by a filter that is not available");
  return values;
}

std::vector<int> Group::integers(const std::string& member) const {
  constexpr int lowest = std::numeric_limits<int>::min(), highest = std::numeric_limits<int>::max();
  const Dataset dataset = open_numbers(member);
  std::vector<int> values(static_cast<std::size_t>(dataset.count));
  if (dataset.type_class == H5T_FLOAT) {
    const Vector reals_read = reals(member);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = reals_read[static_cast<Index>(i)];
      if (!(value >= lowest && value <= highest) || value != std::trunc(value))
        fail(member, fmt::format("entry {} is {}, expected a whole number of 32 bits", i, format_double(value)));
      values[i] = static_cast<int>(value);
    }
    return values;
  }
  std::vector<long long> wide(values.size());
  if (dataset.count > 0 && H5Dread(dataset.id.id(), H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    fail(member, "its numbers cannot be read; damaged, or packed by a filter that is not available");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (wide[i] < lowest || wide[i] > highest)
      fail(member, fmt::format("entry {} is {}, expected a whole number of 32 bits", i, wide[i]));
    values[i] = static_cast<int>(wide[i]);
  }
  return values;
}

int Group::integer(const std::string& member) const {
  if (const Index count = size(member); count != 1) fail(member, fmt::format("has {} entries, expected one number", count));
  return integers(member).front();
}

std::string Group::variable_text(const std::string& member, const Dataset& dataset) const {
  const Handle type(H5Tcopy(dataset.type.id()), H5Tclose);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_vlen_mem_manager(transfer.id(), allocate_text, nullptr, free_text, nullptr);
  char* text = nullptr;
  if (H5Dread(dataset.id.id(), type.id(), H5S_ALL, H5S_ALL, transfer.id(), &text) < 0) {
    std::free(text);
    fail(member, "its text cannot be read");
  }
  std::string copy = text == nullptr ? "" : text;
  std::free(text);
  return copy;
}

std::string Group::text(const std::string& member) const {
  const Dataset dataset = open_dataset(member);
  if (dataset.type_class != H5T_STRING) fail(member, fmt::format("holds {}, expected text", class_name(dataset.type_class)));
  if (dataset.count == 0) return "";
  if (dataset.count != 1) fail(member, fmt::format("has {} entries, expected one text", dataset.count));
  if (H5Tis_variable_str(dataset.type.id()) > 0) return variable_text(member, dataset);
  const std::size_t length = H5Tget_size(dataset.type.id());
  if (length > longest_text) fail(member, fmt::format("is {} bytes long, expected at most {}", length, longest_text));
  std::string text(length, '\0');
  if (H5Dread(dataset.id.id(), dataset.type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    fail(member, "its text cannot be read");
  text.resize(std::min(text.find('\0'), length));
  return text;
}

}  // namespace ccp::hdf5
