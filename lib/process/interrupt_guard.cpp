#include "process/interrupt_guard.hpp"

namespace ccp {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;
int guards = 0;  // alive; the outermost one sets and restores

void note_interrupt(int) { interrupt_seen = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one does what it always did
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_[0]);
  ::sigaction(SIGTERM, &action, &before_[1]);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  ::sigaction(SIGINT, &before_[0], nullptr);
  ::sigaction(SIGTERM, &before_[1], nullptr);
}

bool InterruptGuard::interrupted() const { return interrupt_seen != 0; }

InterruptHold::InterruptHold() {
  sigset_t held;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGINT);
  ::sigaddset(&held, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

InterruptHold::~InterruptHold() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace ccp
