#include "microbench/harness/interrupt.h"

#include <csignal>

namespace paceline {
namespace {

// A signal handler can reach nothing but globals.
volatile std::sig_atomic_t received_signal = 0;
void (*former_interrupt)(int) = SIG_DFL;
void (*former_terminate)(int) = SIG_DFL;

void remember(int signal) { received_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  received_signal = 0;
  former_interrupt = std::signal(SIGINT, remember);
  former_terminate = std::signal(SIGTERM, remember);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, former_interrupt);
  std::signal(SIGTERM, former_terminate);
  if (received_signal != 0) std::raise(received_signal);
}

bool InterruptGuard::requested() const { return received_signal != 0; }

}  // namespace paceline
