#include "microbench/cuda/trace/activity_records.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace paceline::cuda_trace {
namespace {

std::string on_stream(std::uint32_t device, std::uint32_t stream, std::uint32_t correlation) {
  return "\"device\": " + std::to_string(device) + ", \"stream\": " + std::to_string(stream) +
         ", \"correlation\": " + std::to_string(correlation);
}

// "sgemm(float*, int)" of "_Z5sgemmPfi"; other names as they are.
std::string readable(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && demangled != nullptr ? demangled.get() : name;
}

// CUPTI leaves both zero where it could not take the times (cupti_activity.h).
template <typename Record>
bool has_times(const Record& record) {
  return record.start != 0 && record.end != 0;
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

}  // namespace

void ActivityRecords::add(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add_copy(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return add_peer_copy(record);
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

void ActivityRecords::add_kernel(const CUpti_Activity* record) {
  const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
  if (!has_times(*kernel)) return;
  file_.add_span("kernel", readable(kernel->name), kernel->deviceId, kernel->streamId,
                 kernel->start, kernel->end,
                 on_stream(kernel->deviceId, kernel->streamId, kernel->correlationId));
}

void ActivityRecords::add_copy(const CUpti_Activity* record) {
  const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
  if (!has_times(*copy)) return;
  file_.add_span("gpu_memcpy", copy_name(copy->copyKind), copy->deviceId, copy->streamId,
                 copy->start, copy->end,
                 on_stream(copy->deviceId, copy->streamId, copy->correlationId) +
                     ", \"bytes\": " + std::to_string(copy->bytes));
}

void ActivityRecords::add_peer_copy(const CUpti_Activity* record) {
  const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
  if (!has_times(*copy)) return;
  file_.add_span("gpu_memcpy", copy_name(copy->copyKind), copy->deviceId, copy->streamId,
                 copy->start, copy->end,
                 on_stream(copy->deviceId, copy->streamId, copy->correlationId) +
                     ", \"bytes\": " + std::to_string(copy->bytes) +
                     ", \"from\": " + std::to_string(copy->srcDeviceId) +
                     ", \"to\": " + std::to_string(copy->dstDeviceId));
}

void ActivityRecords::add_fill(const CUpti_Activity* record) {
  const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
  if (!has_times(*fill)) return;
  file_.add_span("gpu_memset", "Memset", fill->deviceId, fill->streamId, fill->start, fill->end,
                 on_stream(fill->deviceId, fill->streamId, fill->correlationId) +
                     ", \"bytes\": " + std::to_string(fill->bytes));
}

void ActivityRecords::add_call(const CUpti_Activity* record) {
  const auto* call = reinterpret_cast<const CUpti_ActivityAPI*>(record);
  if (!has_times(*call)) return;
  const bool runtime = call->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
  const char* name = nullptr;
  cuptiGetCallbackName(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API,
                       call->cbid, &name);
  file_.add_span(runtime ? "cuda_runtime" : "cuda_driver", name == nullptr ? "" : name,
                 call->processId, call->threadId, call->start, call->end,
                 "\"correlation\": " + std::to_string(call->correlationId));
}

void ActivityRecords::add_marker(const CUpti_Activity* record) {
  const auto* marker = reinterpret_cast<const CUpti_ActivityMarker2*>(record);
  const std::lock_guard lock(mutex_);
  if ((marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) {
    OpenRange& range = ranges_[marker->id];
    range.start_ns = marker->timestamp;
    range.process = marker->objectId.pt.processId;
    range.thread = marker->objectId.pt.threadId;
    range.name = marker->name == nullptr ? "" : marker->name;
  }
  const auto open = ranges_.find(marker->id);
  if ((marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_END) == 0 || open == ranges_.end()) return;
  add_range(open->second, marker->timestamp);
  ranges_.erase(open);
}

void ActivityRecords::add_range(const OpenRange& range, std::uint64_t end_ns) {
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
  file_.add_span(is_operator ? "cpu_op" : "user_annotation", name, range.process, range.thread,
                 range.start_ns, end_ns, arguments);
}

}  // namespace paceline::cuda_trace
