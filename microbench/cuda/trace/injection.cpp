// Records what any program does on its GPUs, by CUPTI's activity records: kernels, copies, fills,
// calls of the runtime and the driver, and the program's NVTX ranges. No change to the program:
//
//   CUDA_INJECTION64_PATH=libpaceline_cuda_trace.so PACELINE_TRACE_FILE=trace.json python3 train.py
//   paceline import kineto trace.json -o timeline.json
//
// The file is a trace in PyTorch's format (traces/import/trace_formats/kineto.cpp), written when
// the program ends. A library that is loaded into programs of others must not depend on ours, and
// must never end them: what fails is reported on stderr, once, and the program goes on.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

namespace {

constexpr std::size_t kBufferBytes = 8 << 20;
constexpr std::size_t kAlignment = 8;

// Written to from CUPTI's own thread.
class TraceFile {
 public:
  bool open(const char* path) {
    file_ = std::fopen(path, "w");
    if (file_ == nullptr) return false;
    std::fputs("{\"schemaVersion\": 1, \"deviceProperties\": [", file_);
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp properties{};
      if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) break;
      std::fprintf(file_, "%s{\"id\": %d, \"name\": \"%s\"}", i == 0 ? "" : ", ", i,
                   properties.name);
    }
    std::fputs("], \"traceEvents\": [", file_);
    return true;
  }

  void add(const char* category, const std::string& name, std::uint64_t pid, std::uint64_t tid,
           std::uint64_t start_ns, std::uint64_t end_ns, const std::string& arguments) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ == nullptr) return;
    const std::uint64_t length = end_ns > start_ns ? end_ns - start_ns : 0;
    std::fprintf(file_,
                 "%s\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %llu, \"tid\": "
                 "%llu, \"ts\": %llu.%03llu, \"dur\": %llu.%03llu, \"args\": {%s}}",
                 first_ ? "" : ",", category, escaped(name).c_str(), wide(pid), wide(tid),
                 wide(start_ns / 1000), wide(start_ns % 1000), wide(length / 1000),
                 wide(length % 1000), arguments.c_str());
    first_ = false;
  }

  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ == nullptr) return;
    std::fputs("\n]}\n", file_);
    std::fclose(file_);
    file_ = nullptr;
  }

 private:
  static unsigned long long wide(std::uint64_t value) { return value; }
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out;
  }

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  bool first_ = true;
};

struct OpenRange {
  std::uint64_t start_ns = 0, thread = 0, process = 0;
  std::string name;
};

// CUPTI's callbacks carry no pointer of ours.
struct Tracer {
  TraceFile file;
  std::unordered_map<std::uint32_t, OpenRange> ranges;  // by id
};
Tracer& tracer() {
  static Tracer instance;
  return instance;
}

void complain(const char* what, CUptiResult result) {
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "paceline trace: %s: %s\n", what, text == nullptr ? "unknown error" : text);
}

std::string on_stream(std::uint32_t device, std::uint32_t stream, std::uint32_t correlation) {
  return "\"device\": " + std::to_string(device) + ", \"stream\": " + std::to_string(stream) +
         ", \"correlation\": " + std::to_string(correlation);
}

void add_kernel(const CUpti_Activity* record) {
  const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
  tracer().file.add("kernel", kernel->name == nullptr ? "" : kernel->name, kernel->deviceId,
                    kernel->streamId, kernel->start, kernel->end,
                    on_stream(kernel->deviceId, kernel->streamId, kernel->correlationId));
}

const char* copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "Memcpy HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "Memcpy DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "Memcpy DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

void add_copy(const CUpti_Activity* record) {
  const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
  tracer().file.add("gpu_memcpy", copy_name(copy->copyKind), copy->deviceId, copy->streamId,
                    copy->start, copy->end,
                    on_stream(copy->deviceId, copy->streamId, copy->correlationId) +
                        ", \"bytes\": " + std::to_string(copy->bytes));
}

void add_fill(const CUpti_Activity* record) {
  const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
  tracer().file.add("gpu_memset", "Memset", fill->deviceId, fill->streamId, fill->start, fill->end,
                    on_stream(fill->deviceId, fill->streamId, fill->correlationId) +
                        ", \"bytes\": " + std::to_string(fill->bytes));
}

void add_call(const CUpti_Activity* record) {
  const auto* call = reinterpret_cast<const CUpti_ActivityAPI*>(record);
  const bool runtime = call->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
  const char* name = nullptr;
  cuptiGetCallbackName(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API,
                       call->cbid, &name);
  tracer().file.add(runtime ? "cuda_runtime" : "cuda_driver", name == nullptr ? "" : name,
                    call->processId, call->threadId, call->start, call->end,
                    "\"correlation\": " + std::to_string(call->correlationId));
}

// NVTX: a range's name stands in its first record, its end in a second one.
void add_marker(const CUpti_Activity* record) {
  const auto* marker = reinterpret_cast<const CUpti_ActivityMarker2*>(record);
  const bool starts = (marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
  const bool ends = (marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0;
  if (starts) {
    OpenRange range;
    range.start_ns = marker->timestamp;
    range.process = marker->objectId.pt.processId;
    range.thread = marker->objectId.pt.threadId;
    range.name = marker->name == nullptr ? "" : marker->name;
    tracer().ranges[marker->id] = range;
  }
  const auto open = tracer().ranges.find(marker->id);
  if (!ends || open == tracer().ranges.end()) return;
  const OpenRange& range = open->second;
  const bool is_operator = range.name.find("::") != std::string::npos;
  std::string name = range.name, arguments;
  if (is_operator) {  // as PyTorch's emit_nvtx writes them
    const std::size_t sequence = name.find("seq = ");
    if (sequence != std::string::npos) {
      arguments = "\"Sequence number\": " +
                  std::to_string(std::strtoll(name.c_str() + sequence + 6, nullptr, 10));
    }
    name = name.substr(0, name.find(", "));
  }
  tracer().file.add(is_operator ? "cpu_op" : "user_annotation", name, range.process, range.thread,
                    range.start_ns, marker->timestamp, arguments);
  tracer().ranges.erase(open);
}

void add_record(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add_copy(record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add_fill(record);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return add_call(record);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return add_marker(record);
    default:
      return;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) add_record(record);
  std::free(buffer);
}

void finish() {
  const CUptiResult result = cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (result != CUPTI_SUCCESS) complain("the last records are missing", result);
  tracer().file.close();
}

}  // namespace

// What the CUDA driver calls when it loads the library named by CUDA_INJECTION64_PATH.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* path = std::getenv("PACELINE_TRACE_FILE");
  if (path == nullptr || !tracer().file.open(path)) {
    std::fprintf(stderr, "paceline trace: set PACELINE_TRACE_FILE to a file that can be written\n");
    return 1;
  }
  CUptiResult result = cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  if (result != CUPTI_SUCCESS) complain("cannot record", result);
  constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                 CUPTI_ACTIVITY_KIND_MEMCPY,
                                 CUPTI_ACTIVITY_KIND_MEMSET,
                                 CUPTI_ACTIVITY_KIND_RUNTIME,
                                 CUPTI_ACTIVITY_KIND_DRIVER,
                                 CUPTI_ACTIVITY_KIND_MARKER};
  for (const CUpti_ActivityKind kind : kKinds) {
    result = cuptiActivityEnable(kind);
    if (result != CUPTI_SUCCESS) complain("one kind of record is not to be had", result);
  }
  std::atexit(finish);
  return 1;
}
