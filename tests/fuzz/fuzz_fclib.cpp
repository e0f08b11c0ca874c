// An FCLib file from a text, a line for each dataset: its path, a letter for its type (i 32-bit integers, d doubles, t text),
// its values. Bytes of HDF5 themselves are not fuzzed: HDF5 1.10 breaks on damaged ones, which is why dumps are first read in a process
// of their own (tests/io/test_fclib_fuzz.cpp damages bytes).
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "fuzz/fuzz_target.hpp"
#include "io/fclib_reader.hpp"
#include "io/hdf5_image.hpp"

namespace {

using ccp::hdf5::Image;

/// Adds a line. False where HDF5 cannot hold it, such as a dataset below another one.
bool add(Image& image, std::istringstream& line, const std::string& path) {
  std::string type;
  line >> type;
  try {
    if (type == "t") {
      std::string text;
      std::getline(line >> std::ws, text);
      image.add_text(path, text);
    } else {
      std::vector<double> values;
      for (std::string word; line >> word;) values.push_back(std::strtod(word.c_str(), nullptr));
      if (type == "i") {
        std::vector<int> whole;
        for (const double value : values) whole.push_back(value > -2e9 && value < 2e9 ? static_cast<int>(value) : -1);
        image.add_integers(path, whole);
      } else {
        image.add_reals(path, Eigen::Map<const ccp::Vector>(values.data(), std::ssize(values)));
      }
    }
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

std::string hdf5_of(const std::string& text) {
  Image image;
  std::istringstream lines(text);
  std::set<std::string> known;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string path;
    words >> path;
    if (path.size() > 1 && path.size() < 200 && path.front() == '/' && path.back() != '/' && known.insert(path).second)
      add(image, words, path);
  }
  return image.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 16) return 0;
  // HDF5 1.10 opens no file by /proc/self/fd.
  static const std::filesystem::path file = ccp::testing::make_folder() / "fuzzed.hdf5";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << hdf5_of(ccp::testing::text_of(data, size));
  ccp::testing::accepts([&] {
    const ccp::FclibFile read = ccp::read_fclib(file);
    if (read.solution) static_cast<void>(read.impulse(*read.solution));
    for (const ccp::FclibVectors& guess : read.guesses) static_cast<void>(read.impulse(guess));
  });
  return 0;
}
