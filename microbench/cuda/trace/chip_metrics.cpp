#include "microbench/cuda/trace/chip_metrics.h"

#include <cupti_profiler_host.h>

#include <utility>

#include "microbench/cuda/trace/cupti_error.h"

namespace paceline::cuda_trace {
namespace {

CUpti_Profiler_Host_Object* make_host(const std::string& chip,
                                      const std::vector<std::uint8_t>& availability) {
  CUpti_Profiler_Host_Initialize_Params params{};
  params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  params.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  const CUptiResult result = cuptiProfilerHostInitialize(&params);
  if (result != CUPTI_SUCCESS) throw CuptiError("no counters of " + chip, result);
  return params.pHostObject;
}

void destroy_host(CUpti_Profiler_Host_Object* host) {
  CUpti_Profiler_Host_Deinitialize_Params params{};
  params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  params.pHostObject = host;
  cuptiProfilerHostDeinitialize(&params);
}

// Metrics can be added to a host object, not taken away: each question gets one of its own.
class Configuration {
 public:
  Configuration(const std::string& chip, const std::vector<std::uint8_t>& availability)
      : host_(make_host(chip, availability)) {}
  ~Configuration() { destroy_host(host_); }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  CUptiResult add(const std::vector<std::string>& metrics) const {
    std::vector<const char*> names = name_pointers(metrics);
    CUpti_Profiler_Host_ConfigAddMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    params.pHostObject = host_;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    return cuptiProfilerHostConfigAddMetrics(&params);
  }

  std::vector<std::uint8_t> image() const {
    CUpti_Profiler_Host_GetConfigImageSize_Params size{};
    size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    size.pHostObject = host_;
    check(cuptiProfilerHostGetConfigImageSize(&size), "size of the counters' configuration");
    std::vector<std::uint8_t> out(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params params{};
    params.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    params.pHostObject = host_;
    params.configImageSize = out.size();
    params.pConfigImage = out.data();
    check(cuptiProfilerHostGetConfigImage(&params), "configuration of the counters");
    return out;
  }

 private:
  CUpti_Profiler_Host_Object* host_;
};

}  // namespace

std::vector<std::string> ChipMetrics::chips() {
  CUpti_Profiler_Host_GetSupportedChips_Params params{};
  params.structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE;
  check(cuptiProfilerHostGetSupportedChips(&params), "chips that can be sampled");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

ChipMetrics::ChipMetrics(std::string chip, std::vector<std::uint8_t> availability)
    : chip_(std::move(chip)),
      availability_(std::move(availability)),
      host_(make_host(chip_, availability_)) {}

ChipMetrics::~ChipMetrics() { destroy_host(host_); }

int ChipMetrics::passes(const std::vector<std::string>& metrics) const {
  const Configuration configuration(chip_, availability_);
  if (configuration.add(metrics) != CUPTI_SUCCESS) return 0;
  std::vector<std::uint8_t> image = configuration.image();
  CUpti_Profiler_Host_GetNumOfPasses_Params params{};
  params.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check(cuptiProfilerHostGetNumOfPasses(&params), "passes of the counters");
  return static_cast<int>(params.numOfPasses);
}

std::vector<std::uint8_t> ChipMetrics::configuration(
    const std::vector<std::string>& metrics) const {
  const Configuration configuration(chip_, availability_);
  check(configuration.add(metrics), "the counters chosen");
  return configuration.image();
}

std::vector<double> ChipMetrics::evaluate(const std::vector<std::string>& metrics,
                                          const std::vector<std::uint8_t>& image,
                                          std::size_t index) const {
  std::vector<const char*> names = name_pointers(metrics);
  std::vector<double> out(metrics.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
  params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  params.pCounterDataImage = image.data();
  params.counterDataImageSize = image.size();
  params.rangeIndex = index;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = out.data();
  check(cuptiProfilerHostEvaluateToGpuValues(&params), "values of a sample");
  return out;
}

std::vector<const char*> name_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> out;
  for (const std::string& name : names) out.push_back(name.c_str());
  return out;
}

}  // namespace paceline::cuda_trace
