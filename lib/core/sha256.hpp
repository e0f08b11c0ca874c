#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccp {

/// SHA-256 (FIPS 180-4), fed in pieces. Stable across runs and machines, unlike std::hash.
class Sha256 {
 public:
  void update(std::string_view bytes);
  /// 64 lower-case hex digits; ends the object's use.
  std::string hex_digest();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t length_ = 0;  ///< bytes taken
};

std::string sha256_hex(std::string_view bytes);

}  // namespace ccp
