#include "microbench/cuda/trace/fake_cupti.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace paceline::cuda_trace {
namespace {

constexpr std::uint64_t kPeriodNs = 100'000;

std::unique_ptr<FakeGpu>& instance() {
  static auto gpu = std::make_unique<FakeGpu>();
  return gpu;
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

int& samples_in_image() {
  static int samples = 0;
  return samples;
}

std::uint64_t& started_ns() {
  static std::uint64_t started = 0;
  return started;
}

}  // namespace

FakeGpu& fake_gpu() { return *instance(); }
void reset_fake_gpu() { instance() = std::make_unique<FakeGpu>(); }

}  // namespace paceline::cuda_trace

using paceline::cuda_trace::fake_gpu;
using paceline::cuda_trace::kPeriodNs;
using paceline::cuda_trace::now_ns;
using paceline::cuda_trace::samples_in_image;
using paceline::cuda_trace::started_ns;

extern "C" {

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                        : "CUPTI_ERROR_OF_THE_FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* out) {
  *out = now_ns();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t, const char** name) {
  *name = "call";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = fake_gpu().chip.c_str();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 4;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params*) {
  return CUPTI_ERROR_NOT_SUPPORTED;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  const std::vector<std::string>& missing = fake_gpu().missing;
  for (size_t i = 0; i < params->numMetrics; ++i) {
    if (std::find(missing.begin(), missing.end(), params->ppMetricNames[i]) != missing.end()) {
      return CUPTI_ERROR_INVALID_METRIC_NAME;
    }
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  const int first = fake_gpu().given - samples_in_image();
  for (size_t i = 0; i < params->numMetrics; ++i) {
    params->pMetricValues[i] =
        fake_gpu().value_of_sum + first + static_cast<double>(params->rangeIndex);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params*) {
  if (fake_gpu().enable == CUPTI_SUCCESS) ++fake_gpu().sessions;
  return fake_gpu().enable;
}
CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params*) {
  --fake_gpu().sessions;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* params) {
  fake_gpu().interval = params->samplingInterval;
  fake_gpu().by_time = params->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* params) {
  params->counterDataSize = 16;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
  samples_in_image() = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params*) {
  started_ns() = now_ns();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params*) { return CUPTI_SUCCESS; }

// The samples that have ended, as many as an image holds.
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* params) {
  auto& gpu = fake_gpu();
  const auto ended = static_cast<int>((now_ns() - started_ns()) / kPeriodNs);
  samples_in_image() = std::min(ended - gpu.given, gpu.samples_per_image);
  gpu.given += samples_in_image();
  params->overflow = gpu.overflow_after >= 0 && gpu.given > gpu.overflow_after ? 1 : 0;
  params->decodeStopReason = samples_in_image() == gpu.samples_per_image
                                 ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                 : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* params) {
  params->numCompletedSamples = static_cast<size_t>(samples_in_image());
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* params) {
  const auto first = static_cast<uint64_t>(fake_gpu().given - samples_in_image());
  params->startTimestamp = started_ns() + (first + params->sampleIndex) * kPeriodNs +
                           static_cast<uint64_t>(fake_gpu().clock_ahead_ns);
  params->endTimestamp = params->startTimestamp + kPeriodNs;
  return CUPTI_SUCCESS;
}

}  // extern "C"
