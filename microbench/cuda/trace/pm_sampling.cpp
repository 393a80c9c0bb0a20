#include "microbench/cuda/trace/pm_sampling.h"

#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <utility>

#include "microbench/cuda/trace/cupti_error.h"
#include "microbench/cuda/trace/driver.h"

namespace paceline::cuda_trace {
namespace {

constexpr std::size_t kHardwareBufferBytes = 256 << 20;
constexpr std::uint32_t kSamplesPerImage = 4096;

// Chips without a trigger of fixed frequency count cycles of a clock that varies
// (cupti_pmsampling.h).
bool has_time_trigger(const std::string& chip) {
  return !chip.starts_with("TU") && chip != "GA100";
}

void disable(CUpti_PmSampling_Object* session) {
  CUpti_PmSampling_Disable_Params params{};
  params.structSize = CUpti_PmSampling_Disable_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session;
  cuptiPmSamplingDisable(&params);
}

}  // namespace

std::string chip_name(std::uint32_t device) {
  CUpti_Profiler_Initialize_Params initialize{};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  check(cuptiProfilerInitialize(&initialize), "counters");
  CUpti_Device_GetChipName_Params params{};
  params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  params.deviceIndex = device;
  check(cuptiDeviceGetChipName(&params), "name of the chip");
  return params.pChipName;
}

std::vector<std::uint8_t> counter_availability(std::uint32_t device) {
  CUpti_PmSampling_GetCounterAvailability_Params params{};
  params.structSize = CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE;
  params.deviceIndex = device;
  check(cuptiPmSamplingGetCounterAvailability(&params), "availability of counters");
  std::vector<std::uint8_t> out(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = out.data();
  check(cuptiPmSamplingGetCounterAvailability(&params), "availability of counters");
  return out;
}

PmSampling::PmSampling(std::uint32_t device, const ChipMetrics& chip, const std::string& chip_name,
                       std::vector<std::string> metrics, std::uint64_t period_ns)
    : device_(device), chip_(chip), metrics_(std::move(metrics)) {
  CUpti_PmSampling_Enable_Params params{};
  params.structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE;
  params.deviceIndex = device_;
  check(cuptiPmSamplingEnable(&params), "sampling of counters");
  session_ = params.pPmSamplingObject;
  try {
    configure(chip_name, period_ns);
    make_image();
  } catch (const CuptiError&) {
    disable(session_);
    throw;
  }
}

PmSampling::~PmSampling() { disable(session_); }

void PmSampling::configure(const std::string& chip_name, std::uint64_t period_ns) {
  const std::vector<std::uint8_t> configuration = chip_.configuration(metrics_);
  CUpti_PmSampling_SetConfig_Params params{};
  params.structSize = CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session_;
  params.configSize = configuration.size();
  params.pConfig = configuration.data();
  params.hardwareBufferSize = kHardwareBufferBytes;
  params.samplingInterval = period_ns;
  params.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  params.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  if (!has_time_trigger(chip_name)) {
    const std::uint64_t clock_hz = core_clock_hz(device_);
    if (clock_hz == 0) throw CuptiError("clock of the GPU", CUPTI_ERROR_NOT_SUPPORTED);
    params.samplingInterval = clock_hz / 1000 * period_ns / 1'000'000;
    params.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
  }
  check(cuptiPmSamplingSetConfig(&params), "configuration of the sampling");
}

void PmSampling::make_image() {
  std::vector<const char*> names = name_pointers(metrics_);
  CUpti_PmSampling_GetCounterDataSize_Params params{};
  params.structSize = CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session_;
  params.pMetricNames = names.data();
  params.numMetrics = names.size();
  params.maxSamples = kSamplesPerImage;
  check(cuptiPmSamplingGetCounterDataSize(&params), "size of samples");
  image_.resize(params.counterDataSize);
  clear_image();
}

void PmSampling::clear_image() {
  CUpti_PmSampling_CounterDataImage_Initialize_Params params{};
  params.structSize = CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session_;
  params.counterDataSize = image_.size();
  params.pCounterData = image_.data();
  check(cuptiPmSamplingCounterDataImageInitialize(&params), "room for samples");
}

void PmSampling::start() {
  CUpti_PmSampling_Start_Params params{};
  params.structSize = CUpti_PmSampling_Start_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session_;
  check(cuptiPmSamplingStart(&params), "begin of the sampling");
}

void PmSampling::stop() {
  CUpti_PmSampling_Stop_Params params{};
  params.structSize = CUpti_PmSampling_Stop_Params_STRUCT_SIZE;
  params.pPmSamplingObject = session_;
  check(cuptiPmSamplingStop(&params), "end of the sampling");
}

std::vector<CounterSample> PmSampling::read() {
  std::vector<CounterSample> out;
  while (read_image(out)) {
  }
  return out;
}

bool PmSampling::read_image(std::vector<CounterSample>& out) {
  CUpti_PmSampling_DecodeData_Params decode{};
  decode.structSize = CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE;
  decode.pPmSamplingObject = session_;
  decode.pCounterDataImage = image_.data();
  decode.counterDataImageSize = image_.size();
  check(cuptiPmSamplingDecodeData(&decode), "reading samples");
  lost_ = lost_ || decode.overflow != 0;
  CUpti_PmSampling_GetCounterDataInfo_Params info{};
  info.structSize = CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  check(cuptiPmSamplingGetCounterDataInfo(&info), "number of samples");
  for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
    CUpti_PmSampling_CounterData_GetSampleInfo_Params sample{};
    sample.structSize = CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE;
    sample.pPmSamplingObject = session_;
    sample.pCounterDataImage = image_.data();
    sample.counterDataImageSize = image_.size();
    sample.sampleIndex = i;
    check(cuptiPmSamplingCounterDataGetSampleInfo(&sample), "time of a sample");
    out.push_back(
        {sample.startTimestamp, sample.endTimestamp, chip_.evaluate(metrics_, image_, i)});
  }
  clear_image();
  return decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
}

}  // namespace paceline::cuda_trace
