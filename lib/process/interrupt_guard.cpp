#include "process/interrupt_guard.hpp"

#include <csignal>

namespace ccp {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void note_interrupt(int) { interrupt_seen = 1; }

}  // namespace

struct InterruptGuard::Saved {
  struct sigaction interrupt, terminate;
};

InterruptGuard::InterruptGuard() : saved_(std::make_unique<Saved>()) {
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one does what it always did
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &saved_->interrupt);
  ::sigaction(SIGTERM, &action, &saved_->terminate);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &saved_->interrupt, nullptr);
  ::sigaction(SIGTERM, &saved_->terminate, nullptr);
}

bool InterruptGuard::interrupted() const { return interrupt_seen != 0; }

}  // namespace ccp
