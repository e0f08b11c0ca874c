#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace ccp {

/// A socket of this machine with a name and no file, so that none is left behind.
class SocketAddress {
 public:
  explicit SocketAddress(const std::string& name) {
    address_.sun_family = AF_UNIX;  // then a zero byte and the name
    length_ = std::min(name.size(), sizeof address_.sun_path - 1);
    name.copy(address_.sun_path + 1, length_);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length_); }

 private:
  sockaddr_un address_{};
  std::size_t length_ = 0;
};

}  // namespace ccp
