#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>

#include "core/status.hpp"
#include "io/file.hpp"

namespace ccp {

/// Why a cell, or something that it needs, failed.
struct Defect {
  Status status = Status::failed;
  std::string reason;
  bool io_failure = false;  ///< a file of the result could not be written: the next run tries again
};

/// Runs an action; what it throws becomes a defect: out_of_memory for std::bad_alloc, else failed.
template <typename Action>
std::optional<Defect> attempt(const Action& action) {
  try {
    action();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return Defect{Status::out_of_memory, "ran out of memory"};
  } catch (const std::exception& error) {
    const bool files = dynamic_cast<const WriteError*>(&error) != nullptr ||
                       dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr;
    return Defect{Status::failed, error.what(), files};
  } catch (...) {
    return Defect{Status::failed, "an exception of an unknown kind"};
  }
}

}  // namespace ccp
