// The whole of `paceline measure --device cuda`, with a GPU that is not there as its plug-in.
#include "microbench/gpu/measure_gpu.h"

#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "microbench/gpu/fake_gpu.h"

namespace paceline {
namespace {

class MeasureGpu : public testing::Test {
 protected:
  MeasureGpu() {
    options_.file = folder_ / "measurements.json";
    options_.device_name = [](const std::string&) { return "fake-16g"; };
  }
  TemporaryFolder folder_;
  MeasureGpuOptions options_;
  const GpuPlugin plugin_ = fake_gpu_plugin();
};

TEST_F(MeasureGpu, WritesWhatItReturns) {
  const MeasuredGpu got = measure_gpu(options_, plugin_);
  EXPECT_EQ(got.cases, 3u);
  const MeasurementSet read = read_measurements(options_.file);
  EXPECT_EQ(read.results, got.set.results);
  EXPECT_EQ(got.outcome.measured, 3u);
  EXPECT_EQ(read.provenance.libraries.at("gpu"), "Fake GPU 16GB");
  EXPECT_EQ(read.provenance.libraries.at("cuda"), "13");
}

TEST_F(MeasureGpu, ContinuesItsOwnFileAndNoOther) {
  options_.quick = true;
  EXPECT_EQ(measure_gpu(options_, plugin_).cases, 1u);
  options_.quick = false;
  options_.resume = true;
  const MeasuredGpu second = measure_gpu(options_, plugin_);
  EXPECT_EQ(second.outcome.kept, 1u);
  EXPECT_EQ(second.outcome.measured, 2u);
  GpuPlugin newer = plugin_;
  newer.libraries = [] { return std::map<std::string, std::string>{{"cuda", "14"}}; };
  EXPECT_THROW(measure_gpu(options_, newer), InputError);
}

TEST_F(MeasureGpu, SaysWhyThereIsNoGpu) {
  options_.index = 1;
  EXPECT_THROW(measure_gpu(options_, plugin_), MeasurementError);
}

}  // namespace
}  // namespace paceline
