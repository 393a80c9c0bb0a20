#include "microbench/gpu/fake_gpu.h"

namespace paceline {
namespace {

class FakeKernel final : public GpuKernel {
 public:
  FakeKernel(const FakeGpuUnderTest& device, std::int64_t size) : device_(device), size_(size) {}
  void launch() override {}
  void check() override {
    if (device_.script.wrong_result_at == device_.current) {
      throw MeasurementError("element 3 is 7, expected 8");
    }
  }
  Axes facts() const override { return {{"algorithm", std::string("fastest")}}; }
  std::int64_t size() const { return size_; }

 private:
  const FakeGpuUnderTest& device_;
  std::int64_t size_;
};

std::unique_ptr<GpuUnderTest> open_fake(int index) {
  if (index != 0) {
    throw MeasurementError("no GPU " + std::to_string(index) + ": this machine has 1");
  }
  return std::make_unique<FakeGpuUnderTest>();
}
void register_fake(GpuBenchmarkRegistry& registry) {
  registry.add("fake.one", "one", std::make_unique<FakeGpuBenchmark>(3));
}

}  // namespace

GpuInfo FakeGpuUnderTest::info() const {
  GpuInfo info;
  info.name = "Fake GPU 16GB";
  info.driver = "1.0";
  info.is_partition = script.is_partition;
  return info;
}

GpuCondition FakeGpuUnderTest::condition() {
  GpuCondition condition;
  if (script.is_partition) return condition;  // the management library tells nothing of a slice
  condition.sm_clock_hz = 1e9;
  ++readings_;
  const bool after = readings_ % 2 == 0;  // of the batch of samples
  const bool drops = script.clock_drops_at == current && readings_of_case_++ == 1;
  const bool drifts = script.clock_drifts_at == current && after;
  if (drops) condition.sm_clock_hz = 0.9e9;
  if (drifts) condition.sm_clock_hz = 0.9e9 + 0.05e9 * readings_;
  if (script.clock_drops_at == current && readings_of_case_ > 1) condition.sm_clock_hz = 0.9e9;
  condition.other_processes = current >= script.busy_from && current < script.busy_to ? 2 : 0;
  condition.ecc_errors = script.ecc_at == current && timed_ ? 1 : 0;
  return condition;
}

Seconds FakeGpuUnderTest::time(GpuKernel& kernel, int calls, bool cold) {
  if (script.lost_at == current) throw GpuLost("device lost: fell off the bus");
  timed_ = true;
  launches += calls;
  const auto size = static_cast<double>(dynamic_cast<FakeKernel&>(kernel).size());
  const Seconds spent = Seconds(1e-6 * size * calls * (cold ? 2 : 1));
  now = now + spent;
  return spent;
}

void FakeGpuUnderTest::start_case(int number) {
  current = number;
  readings_of_case_ = 0;
  timed_ = false;
}

std::vector<Axes> FakeGpuBenchmark::design(GpuDesign size, const GpuInfo&) const {
  std::vector<Axes> out;
  for (int i = 0; i < (size == GpuDesign::kQuick ? 1 : shapes_); ++i) {
    out.push_back({{"size", std::int64_t{100} * (i + 1)}, {"cache", std::string("warm")}});
  }
  return out;
}

std::unique_ptr<GpuKernel> FakeGpuBenchmark::prepare(const Axes& axes, GpuUnderTest& device) const {
  auto& fake = dynamic_cast<FakeGpuUnderTest&>(device);
  if (fake.script.out_of_memory_at == fake.current) {
    throw MeasurementError("out of memory: needs 9 GB of 1 GB free");
  }
  return std::make_unique<FakeKernel>(fake, integer_axis(axes, "size", "fake"));
}

GpuPlugin fake_gpu_plugin() {
  return {register_fake, open_fake, [] {
            return std::map<std::string, std::string>{{"cuda", "13"}};
          }};
}

}  // namespace paceline
