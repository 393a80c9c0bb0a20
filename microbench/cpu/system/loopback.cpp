// One message over TCP inside this machine: sent whole, answered with one byte. What several
// processes on one machine pay to exchange gradients through sockets.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw MeasurementError(std::string("socket: ") + std::strerror(errno));
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

  void send_all(const char* data, std::size_t bytes) const {
    while (bytes > 0) {
      const ssize_t sent = send(descriptor_, data, bytes, MSG_NOSIGNAL);
      if (sent <= 0) throw MeasurementError("the connection broke while sending");
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
  }

  // False at the end of the stream.
  bool receive_all(char* data, std::size_t bytes) const {
    while (bytes > 0) {
      const ssize_t received = recv(descriptor_, data, bytes, 0);
      if (received <= 0) return false;
      data += received;
      bytes -= static_cast<std::size_t>(received);
    }
    return true;
  }

 private:
  int descriptor_;
};

void require_success(int status, const char* what) {
  if (status != 0) throw MeasurementError(std::string(what) + ": " + std::strerror(errno));
}

// A listening socket on the loopback interface and its address.
struct Listener {
  Listener() : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    require_success(bind(socket.get(), generic(), size), "bind");
    require_success(listen(socket.get(), 1), "listen");
    require_success(getsockname(socket.get(), generic(), &size), "getsockname");
  }
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
  Socket socket;
  sockaddr_in address{};
};

int connected(Listener& listener) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  require_success(connect(descriptor, listener.generic(), sizeof listener.address), "connect");
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

class LoopbackKernel final : public PreparedKernel {
 public:
  explicit LoopbackKernel(std::size_t bytes)
      : message_(bytes, 'x'),
        sender_(connected(listener_)),
        receiver_(accept(listener_.socket.get(), nullptr, nullptr)),
        thread_([this] { answer(); }) {}

  ~LoopbackKernel() override {
    shutdown(sender_.get(), SHUT_RDWR);  // the receiver sees the end of the stream
    thread_.join();
  }

  void run() override {
    sender_.send_all(message_.data(), message_.size());
    char reply = 0;
    if (!sender_.receive_all(&reply, 1)) throw MeasurementError("the receiver is gone");
    reply_ = reply;
  }

  void check() override {
    message_.back() = 'y';
    run();
    require_close("last byte received", reply_, 'y', 0, 0);
  }

 private:
  // Answers each message with its last byte.
  void answer() {
    std::vector<char> buffer(message_.size());
    while (receiver_.receive_all(buffer.data(), buffer.size())) {
      if (send(receiver_.get(), &buffer.back(), 1, MSG_NOSIGNAL) != 1) return;
    }
  }

  Listener listener_;
  std::vector<char> message_;
  Socket sender_, receiver_;
  std::thread thread_;
  char reply_ = 0;
};

class Loopback final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize size) const override {
    std::vector<std::int64_t> sizes = {1 << 20, 16 << 20};
    if (size == DesignSize::kFull)
      sizes = {1 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
    std::vector<Axes> out;
    for (const std::int64_t bytes : sizes) out.push_back(axes_of({{"bytes", bytes}}));
    return out;
  }
  bool threaded() const override { return false; }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace&) const override {
    return std::make_unique<LoopbackKernel>(
        static_cast<std::size_t>(integer_axis(axes, "bytes", "tcp.loopback")));
  }
};

}  // namespace

void register_loopback(BenchmarkRegistry& registry) {
  registry.add("tcp.loopback", "a message over TCP within the machine, acknowledged",
               std::make_unique<Loopback>());
}

}  // namespace paceline
