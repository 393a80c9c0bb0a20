// Records what any program does on its GPUs: kernels, copies, fills, calls of the runtime and the
// driver and the program's NVTX ranges by CUPTI's activity records, and on request hardware
// counters. No change to the program:
//
//   CUDA_INJECTION64_PATH=.../paceline_cuda_trace.so PACELINE_TRACE_FILE=trace.json python3
//   train.py paceline import kineto trace.json -o timeline.json
//
// PACELINE_TRACE_COUNTERS=default (or a list, counter_choice.h) samples counters every
// PACELINE_TRACE_COUNTER_PERIOD, 100us without it.
//
// A library that is loaded into programs of others must not depend on ours, and must never end
// them: what fails is reported on stderr, once, and the program goes on.
#include <cupti.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "microbench/cuda/trace/activity_records.h"
#include "microbench/cuda/trace/counter_sampler.h"
#include "microbench/cuda/trace/cupti_error.h"
#include "microbench/cuda/trace/driver.h"
#include "microbench/cuda/trace/trace_file.h"

namespace paceline::cuda_trace {
namespace {

constexpr std::size_t kBufferBytes = 8 << 20;
constexpr std::size_t kAlignment = 8;

// CUPTI's callbacks carry no pointer of ours.
struct Tracer {
  const pid_t process = getpid();
  TraceFile file;
  ActivityRecords records{file};
  std::optional<CounterSettings> counters;
  std::mutex mutex;  // of what follows
  bool has_names = false;
  std::map<std::uint32_t, std::unique_ptr<CounterSampler>> samplers;  // by GPU
};
// Never destroyed: threads of CUPTI write until the very end, and a child that the program forks
// has none of the threads that would have to be waited for.
Tracer& tracer() {
  static Tracer* const instance = std::make_unique<Tracer>().release();
  return *instance;
}

void report_failure(const char* what, CUptiResult result) {
  if (result != CUPTI_SUCCESS) report(CuptiError(what, result).what());
}

// The driver answers from the time at which the program has done something until it ends.
void name_devices() {
  const std::lock_guard lock(tracer().mutex);
  if (tracer().has_names) return;
  std::vector<std::string> names = device_names();
  if (names.empty()) return;
  tracer().has_names = true;
  tracer().file.set_devices(std::move(names));
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  name_devices();
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    tracer().records.add(record);
  }
  std::free(buffer);
}

// Counters of the GPUs that the program uses: a job has a process for each, and one GPU can be
// sampled by one process only.
void CUPTIAPI on_context(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  std::uint32_t device = 0;
  if (cuptiGetDeviceId(resource->context, &device) != CUPTI_SUCCESS) return;
  const std::lock_guard lock(tracer().mutex);
  std::unique_ptr<CounterSampler>& sampler = tracer().samplers[device];
  if (sampler != nullptr) return;
  try {
    sampler = std::make_unique<CounterSampler>(device, *tracer().counters, tracer().file);
  } catch (const std::exception& error) {  // no thread to be had
    report(error.what());
  }
}

void start_counters(const char* request) {
  try {
    CounterSettings settings;
    settings.requests = parse_counters(request);
    if (const char* period = std::getenv("PACELINE_TRACE_COUNTER_PERIOD")) {
      settings.period_ns = parse_period_ns(period);
    }
    tracer().counters = std::move(settings);
    CUpti_SubscriberHandle subscriber{};
    check(cuptiSubscribe(&subscriber, on_context, nullptr), "no counters");
    check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                              CUPTI_CBID_RESOURCE_CONTEXT_CREATED),
          "no counters");
  } catch (const std::exception& error) {
    report(error.what());
  }
}

// Of the process in its job, as launchers of PyTorch and MPI say it; -1 if none does.
int rank_of_job() {
  for (const char* variable : {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    const char* text = std::getenv(variable);
    int rank = 0;
    if (text == nullptr) continue;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, rank);
    if (error == std::errc() && rest == end && rank >= 0) return rank;
  }
  return -1;
}

void finish() {
  if (getpid() != tracer().process) return;  // a child that was forked
  std::map<std::uint32_t, std::unique_ptr<CounterSampler>> samplers;
  {
    const std::lock_guard lock(tracer().mutex);
    samplers.swap(tracer().samplers);
  }
  samplers.clear();
  report_failure("the last records are missing",
                 cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  tracer().file.close();
}

}  // namespace
}  // namespace paceline::cuda_trace

// What the CUDA driver calls when it loads the library named by CUDA_INJECTION64_PATH.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace paceline::cuda_trace;
  const char* path = std::getenv("PACELINE_TRACE_FILE");
  if (path == nullptr || !tracer().file.open(path, rank_of_job())) {
    report("set PACELINE_TRACE_FILE to a file that can be written");
    return 1;
  }
  report_failure("cannot record", cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  for (const CUpti_ActivityKind kind : ActivityRecords::kKinds) {
    report_failure("one kind of record is not to be had", cuptiActivityEnable(kind));
  }
  if (const char* counters = std::getenv("PACELINE_TRACE_COUNTERS")) start_counters(counters);
  std::atexit(finish);
  return 1;
}
