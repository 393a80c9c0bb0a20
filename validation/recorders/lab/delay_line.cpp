// A link with latency in user space, for kernels without netem.
//
//   delay_line MICROSECONDS NAMESPACE:DEVICE:NAMESPACE:DEVICE ...
//
// Makes the two TUN devices of each pair in their network namespaces, prints "ready", and then
// hands every packet read from one to the other, MICROSECONDS later and in order. Packets that
// overflow a queue are dropped, as a router would. Ends with its parent. Needs root and Linux.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestPacket = 65536;
constexpr std::size_t kMostWaiting = 20000;  // packets in flight on one direction
constexpr int kReadsAtOnce = 64;             // before other directions get their turn

struct Packet {
  Clock::time_point due;
  std::string bytes;
};

struct Direction {
  int from = -1;
  int to = -1;
  std::deque<Packet> waiting;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

int open_or_fail(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) fail(path);
  return file;
}

// The process stays in the namespace; the device's file works from any.
int make_tun(const std::string& name_space, const std::string& device) {
  const int entered = open_or_fail("/run/netns/" + name_space, O_RDONLY);
  if (setns(entered, CLONE_NEWNET) != 0) fail("setns " + name_space);
  close(entered);
  const int tun = open_or_fail("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(tun, TUNSETIFF, &request) != 0) fail("TUN device " + device);
  return tun;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

void take_in(Direction& direction, std::chrono::microseconds delay) {
  static char buffer[kLongestPacket];
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t size = read(direction.from, buffer, sizeof buffer);
    if (size <= 0) return;
    if (direction.waiting.size() >= kMostWaiting) continue;
    direction.waiting.push_back({Clock::now() + delay, std::string(buffer, size)});
  }
}

void hand_over(Direction& direction, Clock::time_point now) {
  while (!direction.waiting.empty() && direction.waiting.front().due <= now) {
    const std::string& bytes = direction.waiting.front().bytes;
    if (write(direction.to, bytes.data(), bytes.size()) < 0 && errno == EINTR) continue;
    direction.waiting.pop_front();
  }
}

// How long poll may sleep: until the next packet is due, for ever when none waits.
const timespec* until_next(const std::vector<Direction>& directions, timespec& sleep) {
  auto next = Clock::time_point::max();
  for (const Direction& direction : directions) {
    if (!direction.waiting.empty()) next = std::min(next, direction.waiting.front().due);
  }
  if (next == Clock::time_point::max()) return nullptr;
  const auto left = std::max(Clock::duration::zero(), next - Clock::now());
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  sleep.tv_sec = nanoseconds / 1000000000;
  sleep.tv_nsec = nanoseconds % 1000000000;
  return &sleep;
}

[[noreturn]] void carry(std::vector<Direction>& directions, std::chrono::microseconds delay) {
  std::vector<pollfd> readable;
  for (const Direction& direction : directions) readable.push_back({direction.from, POLLIN, 0});
  for (;;) {
    timespec sleep{};
    ppoll(readable.data(), readable.size(), until_next(directions, sleep), nullptr);
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if ((readable[i].revents & POLLIN) != 0) take_in(directions[i], delay);
    }
    const auto now = Clock::now();
    for (Direction& direction : directions) hand_over(direction, now);
  }
}

void run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: delay_line MICROSECONDS NS:DEVICE:NS:DEVICE ...");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds; the default would add 50 us to each delay
  std::vector<Direction> directions;
  for (int i = 2; i < argc; ++i) {
    const std::vector<std::string> word = split(argv[i], ':');
    if (word.size() != 4) {
      throw std::runtime_error(std::string("not NS:DEVICE:NS:DEVICE: ") + argv[i]);
    }
    const int one = make_tun(word[0], word[1]);
    const int other = make_tun(word[2], word[3]);
    directions.push_back({one, other, {}});
    directions.push_back({other, one, {}});
  }
  std::puts("ready");
  std::fflush(stdout);
  carry(directions, std::chrono::microseconds(std::atol(argv[1])));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
