// A progress bar on stderr that vanishes when the work is done; nothing where stderr is no
// terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace paceline {

class Progress {
 public:
  // `what` stands before the bar. Work of less than half a second shows none.
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void done(std::size_t count = 1);

 private:
  using Clock = std::chrono::steady_clock;
  void draw();

  std::mutex mutex_;
  std::string what_;
  std::size_t total_;
  std::size_t finished_ = 0;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

}  // namespace paceline
