// A text file of Siconos.
#include <fstream>

#include "fuzz/fuzz_target.hpp"
#include "io/siconos_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path file = ccp::testing::make_folder() / "fuzzed.dat";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << ccp::testing::text_of(data, size);
  ccp::testing::accepts([] { ccp::read_siconos(file); });
  return 0;
}
