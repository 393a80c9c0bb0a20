// Turns SIGINT and SIGTERM into a request to stop, so that what has been measured is written.
#pragma once

namespace paceline {

// While one exists, the two signals are remembered instead of ending the process. Its destructor
// restores the former behaviour and raises a signal that came. Only one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
};

}  // namespace paceline
