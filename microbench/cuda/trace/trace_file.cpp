#include "microbench/cuda/trace/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace paceline::cuda_trace {
namespace {

constexpr std::size_t kFlushBytes = 1 << 20;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

// Microseconds with three decimals.
std::string microseconds(std::int64_t ns) {
  const std::string digits = std::to_string(std::abs(ns));
  const std::string padded = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  return (ns < 0 ? "-" : "") + padded.substr(0, padded.size() - 3) + "." +
         padded.substr(padded.size() - 3);
}

std::string microseconds(std::uint64_t ns) { return microseconds(static_cast<std::int64_t>(ns)); }

// Six digits: more than a counter is worth. Whatever the locale of the program.
std::string six_digits(double value) {
  char digits[32];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6);
  return std::string(digits, end);
}

}  // namespace

bool TraceFile::open(std::string path, int rank) {
  process_ = getpid();
  if (const std::size_t at = path.find("%p"); at != std::string::npos) {
    path.replace(at, 2, std::to_string(process_));
  }
  const std::lock_guard lock(mutex_);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0) return false;
  buffer_ = "{\"schemaVersion\": 1, ";
  if (rank >= 0) buffer_ += "\"distributedInfo\": {\"rank\": " + std::to_string(rank) + "}, ";
  buffer_ += "\"traceEvents\": [";
  return true;
}

void TraceFile::add_span(const char* category, const std::string& name, std::uint64_t process,
                         std::uint64_t thread, std::uint64_t start_ns, std::uint64_t end_ns,
                         const std::string& arguments) {
  const std::uint64_t length = end_ns > start_ns ? end_ns - start_ns : 0;
  append_event("{\"ph\": \"X\", \"cat\": \"" + std::string(category) +
               "\", \"name\": " + quoted(name) + ", \"pid\": " + std::to_string(process) +
               ", \"tid\": " + std::to_string(thread) + ", \"ts\": " + microseconds(start_ns) +
               ", \"dur\": " + microseconds(length) + ", \"args\": {" + arguments + "}}");
}

void TraceFile::add_counter(std::uint32_t device, const std::string& name, std::int64_t time_ns,
                            double value) {
  if (!std::isfinite(value)) return;
  append_event("{\"ph\": \"C\", \"cat\": \"gpu_counter\", \"name\": " + quoted(name) +
               ", \"pid\": " + std::to_string(device) + ", \"ts\": " + microseconds(time_ns) +
               ", \"args\": {\"value\": " + six_digits(value) + "}}");
}

void TraceFile::set_devices(std::vector<std::string> names) {
  const std::lock_guard lock(mutex_);
  devices_ = std::move(names);
}

void TraceFile::close() {
  const std::lock_guard lock(mutex_);
  if (!is_ours()) return;
  buffer_ += "\n], \"deviceProperties\": [";
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    buffer_ += (i == 0 ? "{\"id\": " : ", {\"id\": ") + std::to_string(i) +
               ", \"name\": " + quoted(devices_[i]) + "}";
  }
  buffer_ += "]}\n";
  flush();
  ::close(file_);
  file_ = -1;
}

void TraceFile::append_event(const std::string& event) {
  const std::lock_guard lock(mutex_);
  if (!is_ours()) return;
  buffer_ += first_ ? "\n" : ",\n";
  buffer_ += event;
  first_ = false;
  if (buffer_.size() >= kFlushBytes) flush();
}

void TraceFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t got = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a full disk: the file ends here, and the program goes on
    done += static_cast<std::size_t>(got);
  }
  buffer_.clear();
}

bool TraceFile::is_ours() const { return file_ >= 0 && process_ == getpid(); }

}  // namespace paceline::cuda_trace
