#include "core/event_counter.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace ccp {
namespace {

std::string counter_defect(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this processor or virtual machine has no such counter";
    case EACCES:
    case EPERM: return "the system does not allow it (see kernel.perf_event_paranoid)";
    case ENOSYS: return "the system has no perf_event_open";
    default: return std::generic_category().message(error);
  }
}

}  // namespace

EventCounter::EventCounter(CountedEvent event) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event == CountedEvent::instructions ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attributes.config = event == CountedEvent::instructions ? std::uint64_t{PERF_COUNT_HW_INSTRUCTIONS}
                                                          : std::uint64_t{PERF_COUNT_SW_TASK_CLOCK};
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  file_ = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file_ < 0) defect_ = counter_defect(errno);
}

EventCounter::~EventCounter() {
  if (file_ >= 0) ::close(file_);
}

void EventCounter::go() {
  if (file_ >= 0) ::ioctl(file_, PERF_EVENT_IOC_ENABLE, 0);
}

void EventCounter::halt() {
  if (file_ >= 0) ::ioctl(file_, PERF_EVENT_IOC_DISABLE, 0);
}

std::optional<double> EventCounter::count() const {
  struct {
    std::uint64_t value, enabled, running;
  } values{};
  if (file_ < 0 || ::read(file_, &values, sizeof values) != sizeof values || values.running < values.enabled)
    return std::nullopt;
  return static_cast<double>(values.value);
}

}  // namespace ccp
