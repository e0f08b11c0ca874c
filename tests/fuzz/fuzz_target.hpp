#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.hpp"

/// What libFuzzer calls with each input. Bad input may end in an InputError of one line, of a length that can be read; any
/// other exception, and whatever the sanitizers find, is a defect.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ccp::testing {

/// Runs a reader. False where the input was refused, which is a defect of the input where CCPBENCH_FUZZ_SEEDS is set: seeds that
/// are refused at once lead nowhere.
template <typename Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string_view text = error.what();
    if (text.empty() || text.find('\n') != std::string_view::npos) __builtin_trap();
    if (std::getenv("CCPBENCH_FUZZ_SEEDS") == nullptr) return false;
    std::fprintf(stderr, "a seed is refused: %s\n", error.what());
    std::abort();
  }
}

/// A new folder, in memory where there is such a place, which goes with the process.
inline std::filesystem::path make_folder() {
  namespace fs = std::filesystem;
  const fs::path above = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string place = (above / "ccpbench fuzz XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) std::abort();
  static const fs::path folder = place;
  std::atexit([] { fs::remove_all(folder); });
  return folder;
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace ccp::testing
