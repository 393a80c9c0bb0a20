// The trace that the injected library writes, in the format of PyTorch's profiler
// (traces/import/trace_formats/kineto.cpp): spans, and counters as Chrome's counter events.
//
//   {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 10.250, "dur": 4.000,
//   ...},
//   {"ph": "C", "cat": "gpu_counter", "name": "dram read (B/s)", "pid": 0, "ts": 10.250,
//    "args": {"value": 1.92e+12}}
//
// Written to from several threads. A child that the program forks does not write.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace paceline::cuda_trace {

class TraceFile {
 public:
  TraceFile() = default;
  ~TraceFile() { close(); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // "%p" in `path` becomes the number of the process. `rank`: of the process in its job, -1 if it
  // does not know. False if the file cannot be written.
  bool open(std::string path, int rank);
  // `arguments` is what stands between the braces of "args".
  void add_span(const char* category, const std::string& name, std::uint64_t process,
                std::uint64_t thread, std::uint64_t start_ns, std::uint64_t end_ns,
                const std::string& arguments);
  // `name` with its unit, "dram read (B/s)". What is no finite number is left out.
  void add_counter(std::uint32_t device, const std::string& name, std::int64_t time_ns,
                   double value);
  // Names of the GPUs by index, written at the end.
  void set_devices(std::vector<std::string> names);
  // Completes the file; nothing is written afterwards.
  void close();

 private:
  void append_event(const std::string& event);
  void flush();
  bool is_ours() const;

  std::mutex mutex_;
  int file_ = -1;
  long process_ = 0;  // that opened the file
  bool first_ = true;
  std::string buffer_;
  std::vector<std::string> devices_;
};

}  // namespace paceline::cuda_trace
