#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::chrono::milliseconds kPatience(500);
constexpr std::chrono::milliseconds kEvery(100);

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) == 1) {
  next_ += kPatience;
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::done(std::size_t count) {
  const std::lock_guard lock(mutex_);
  finished_ += count;
  if (terminal_ && Clock::now() >= next_) draw();
}

void Progress::draw() {
  const std::size_t filled = total_ == 0 ? kWidth : kWidth * finished_ / total_;
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double left = finished_ == 0 ? 0
                                     : elapsed * static_cast<double>(total_ - finished_) /
                                           static_cast<double>(finished_);
  std::fprintf(stderr, "\r\033[K%s [%s%s] %zu of %zu, %s left", what_.c_str(),
               std::string(filled, '#').c_str(), std::string(kWidth - filled, ' ').c_str(),
               finished_, total_, to_text(Seconds(left)).c_str());
  drawn_ = true;
  next_ = Clock::now() + kEvery;
}

}  // namespace paceline
