// The harness with a GPU that is not there: its clock, its failures and its kernels are numbers.
#include "microbench/gpu/gpu_rounds.h"
#include "core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "microbench/gpu/measure_gpu.h"

namespace paceline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// What the fake GPU does in the case with this number, counted from 0.
struct Script {
  static constexpr int kNever = -2;
  int out_of_memory_at = kNever;
  int wrong_result_at = kNever;
  int lost_at = kNever;
  int ecc_at = kNever;
  int busy_from = 1 << 30, busy_to = 0;
  int clock_drops_at = kNever;   // once: the repetition is steady
  int clock_drifts_at = kNever;  // in every repetition
  bool is_partition = false;
};

class FakeDevice;

class FakeKernel final : public GpuKernel {
 public:
  FakeKernel(const FakeDevice& device, std::int64_t size) : device_(device), size_(size) {}
  void launch() override {}
  void check() override;
  Axes facts() const override { return {{"algorithm", std::string("fastest")}}; }
  std::int64_t size() const { return size_; }

 private:
  const FakeDevice& device_;
  std::int64_t size_;
};

// Launches of size n take n microseconds, cold ones twice that.
class FakeDevice final : public GpuUnderTest {
 public:
  Script script;
  int current = -1;  // case
  Seconds now{0};
  int launches = 0;

  GpuInfo info() const override {
    GpuInfo info;
    info.name = "Fake GPU 16GB";
    info.driver = "1.0";
    info.is_partition = script.is_partition;
    return info;
  }
  GpuCondition condition() override {
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
  Seconds time(GpuKernel& kernel, int calls, bool cold) override {
    if (script.lost_at == current) throw GpuLost("device lost: fell off the bus");
    timed_ = true;
    launches += calls;
    const auto size = static_cast<double>(dynamic_cast<FakeKernel&>(kernel).size());
    const Seconds spent = Seconds(1e-6 * size * calls * (cold ? 2 : 1));
    now = now + spent;
    return spent;
  }
  void start_case(int number) {
    current = number;
    readings_of_case_ = 0;
    timed_ = false;
  }

 private:
  int readings_ = 0, readings_of_case_ = 0;
  bool timed_ = false;
};

void FakeKernel::check() {
  if (device_.script.wrong_result_at == device_.current) {
    throw MeasurementError("element 3 is 7, expected 8");
  }
}

class FakeBenchmark final : public GpuBenchmark {
 public:
  explicit FakeBenchmark(int shapes, std::string unsupported = "")
      : shapes_(shapes), unsupported_(std::move(unsupported)) {}
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    std::vector<Axes> out;
    for (int i = 0; i < (size == GpuDesign::kQuick ? 1 : shapes_); ++i) {
      out.push_back({{"size", std::int64_t{100} * (i + 1)}, {"cache", std::string("warm")}});
    }
    return out;
  }
  std::string unsupported(const GpuInfo&) const override { return unsupported_; }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest& device) const override {
    auto& fake = dynamic_cast<FakeDevice&>(device);
    if (fake.script.out_of_memory_at == fake.current) {
      throw MeasurementError("out of memory: needs 9 GB of 1 GB free");
    }
    return std::make_unique<FakeKernel>(fake, integer_axis(axes, "size", "fake"));
  }

 private:
  int shapes_;
  std::string unsupported_;
};

class GpuRounds : public testing::Test {
 protected:
  GpuRounds() {
    registry_.add("fake.one", "one", std::make_unique<FakeBenchmark>(3));
    registry_.add("fake.two", "two", std::make_unique<FakeBenchmark>(2));
    context_.clock = [this] { return device_.now; };
    context_.limits.min_sample = Seconds(1e-3);
    context_.on_case = [this](std::size_t number, const GpuCase&) {
      device_.start_case(static_cast<int>(number));
    };
  }
  std::vector<GpuCase> cases() {
    return plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "fake-16g", {});
  }
  GpuRunOutcome run() { return measure_gpu_cases(cases(), device_, context_, set_); }
  std::string reason(std::size_t result) const {
    return set_.results.at(result).skipped ? set_.results.at(result).reason : "measured";
  }

  GpuBenchmarkRegistry registry_;
  FakeDevice device_;
  GpuRunContext context_;
  MeasurementSet set_;
};

// A run that is cut short has something of each benchmark.
TEST_F(GpuRounds, AreOrderedByTurns) {
  std::vector<std::string> order;
  for (const GpuCase& entry : cases()) order.push_back(entry.benchmark);
  EXPECT_THAT(order, ElementsAre("fake.one", "fake.two", "fake.one", "fake.two", "fake.one"));
  EXPECT_EQ(text_axis(cases().front().axes, "device", ""), "fake-16g");
}

TEST_F(GpuRounds, CanBeNarrowedToBenchmarksThatExist) {
  EXPECT_THAT(plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "x", {"fake.two"}),
              SizeIs(2));
  EXPECT_THAT(plan_gpu_cases(registry_, GpuDesign::kQuick, device_.info(), "x", {"fake"}),
              SizeIs(2));
  EXPECT_THROW(plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "x", {"fake.to"}),
               UsageError);
}

TEST_F(GpuRounds, KeepSamplesFactsAndClock) {
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 5u);
  EXPECT_EQ(outcome.ended_early, "");
  ASSERT_THAT(set_.results, SizeIs(5));
  const Measurement& first = set_.results.front();
  EXPECT_DOUBLE_EQ(first.value().si(), 100e-6);
  EXPECT_TRUE(first.result_checked);
  EXPECT_EQ(text_axis(first.facts, "algorithm", ""), "fastest");
  EXPECT_EQ(text_axis(first.facts, "stopped_by", ""), "precision");
  EXPECT_DOUBLE_EQ(number_axis(first.facts, "sm_clock_hz", ""), 1e9);
  EXPECT_THAT(gpu_warnings(set_, device_.info()), IsEmpty());
}

TEST_F(GpuRounds, SkipWhatDoesNotFitAndGoOn) {
  device_.script.out_of_memory_at = 1;
  device_.script.wrong_result_at = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 3u);
  EXPECT_EQ(outcome.skipped, 2u);
  EXPECT_EQ(reason(1), "out of memory: needs 9 GB of 1 GB free");
  EXPECT_EQ(reason(2), "element 3 is 7, expected 8");
  EXPECT_EQ(reason(3), "measured");
}

TEST_F(GpuRounds, SkipWhatIsUnsupportedWithTheReason) {
  registry_.add("fake.three", "three", std::make_unique<FakeBenchmark>(1, "needs 2 GPUs, found 1"));
  run();
  EXPECT_EQ(reason(2), "needs 2 GPUs, found 1");
}

TEST_F(GpuRounds, SkipWhileOthersComputeAndGoOnAfterwards) {
  device_.script.busy_from = 0;
  device_.script.busy_to = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 3u);
  EXPECT_THAT(reason(0), HasSubstr("busy: 2 other processes"));
}

TEST_F(GpuRounds, EndWithTheDeviceAndNameWhatWasNotReached) {
  device_.script.lost_at = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 2u);
  EXPECT_THAT(outcome.ended_early, HasSubstr("device lost"));
  EXPECT_EQ(reason(2), "device lost: fell off the bus");
  EXPECT_EQ(reason(4), "not reached: device lost: fell off the bus");
}

TEST_F(GpuRounds, RefuseAResultWithAMemoryError) {
  device_.script.ecc_at = 3;
  run();
  EXPECT_THAT(reason(3), HasSubstr("ECC"));
  EXPECT_EQ(reason(4), "measured");
}

TEST_F(GpuRounds, TakeAResultAgainWhenTheClockChanged) {
  device_.script.clock_drops_at = 1;
  run();
  EXPECT_EQ(set_.results.at(1).accepted_rounds(), 1u);
  EXPECT_DOUBLE_EQ(number_axis(set_.results.at(1).facts, "sm_clock_hz", ""), 0.9e9);
}

TEST_F(GpuRounds, DoNotAcceptAResultWhoseClockNeverSettles) {
  device_.script.clock_drifts_at = 1;
  run();
  EXPECT_EQ(set_.results.at(1).accepted_rounds(), 0u);
  EXPECT_THAT(gpu_warnings(set_, device_.info()), Contains(HasSubstr("1 of 5 results were taken")));
}

TEST_F(GpuRounds, OfAPartitionAreMeasuredWithoutAClockAndSaySo) {
  device_.script.is_partition = true;
  run();
  for (const Measurement& result : set_.results) {
    EXPECT_FALSE(result.skipped);
    EXPECT_EQ(result.accepted_rounds(), 1u);
    EXPECT_FALSE(result.facts.contains("sm_clock_hz"));
  }
  EXPECT_THAT(gpu_warnings(set_, device_.info()),
              ElementsAre(HasSubstr("5 of 5 results have no clock on record"),
                          HasSubstr("a partition (MIG) of a larger one")));
}

TEST_F(GpuRounds, EndWhenTheTimeIsSpentWithAPartialResult) {
  context_.time_budget = Seconds(5e-3);
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.ended_early, "time budget spent");
  EXPECT_GT(outcome.measured, 0u);
  EXPECT_LT(outcome.measured, 5u);
  EXPECT_THAT(set_.results, SizeIs(5));
  EXPECT_EQ(reason(4), "not reached: time budget spent");
}

TEST_F(GpuRounds, ResumeWhereTheyEnded) {
  context_.time_budget = Seconds(5e-3);
  const std::size_t before = run().measured;
  context_.time_budget.reset();
  context_.resume = true;
  const std::vector<Measurement> kept(set_.results.begin(),
                                      set_.results.begin() + static_cast<std::ptrdiff_t>(before));
  const GpuRunOutcome second = run();
  EXPECT_EQ(second.kept, before);
  EXPECT_EQ(second.measured, 5 - before);
  for (std::size_t i = 0; i < before; ++i) EXPECT_EQ(set_.results.at(i), kept.at(i));
  EXPECT_EQ(reason(4), "measured");
}

TEST_F(GpuRounds, EndWhenInterrupted) {
  int asked = 0;
  context_.interrupted = [&] { return ++asked > 2; };
  EXPECT_EQ(run().ended_early, "interrupted");
  EXPECT_EQ(reason(1), "measured");
  EXPECT_EQ(reason(2), "not reached: interrupted");
}

TEST_F(GpuRounds, TimeColdOperandsCold) {
  registry_.add("fake.cold", "cold", std::make_unique<FakeBenchmark>(1));
  std::vector<GpuCase> all = cases();
  all.resize(1);
  all.front().axes["cache"] = std::string("cold");
  measure_gpu_cases(all, device_, context_, set_);
  EXPECT_DOUBLE_EQ(set_.results.front().value().si(), 200e-6);
}

TEST_F(GpuRounds, AreSavedWholeEvenWhenTheyEndEarly) {
  int saved = 0;
  context_.save = [&] { ++saved; };
  context_.save_every = Seconds(0);
  device_.script.lost_at = 2;
  run();
  EXPECT_EQ(saved, 3);  // after two cases, and at the end
}

// The whole of `paceline measure --device cuda`, with the fake GPU as its plug-in.
std::unique_ptr<GpuUnderTest> open_fake(int index) {
  if (index != 0) throw MeasurementError("no GPU 1: this machine has 1");
  return std::make_unique<FakeDevice>();
}
void register_fake(GpuBenchmarkRegistry& registry) {
  registry.add("fake.one", "one", std::make_unique<FakeBenchmark>(3));
}
constexpr GpuPlugin kFakePlugin = {register_fake, open_fake, [] {
                                     return std::map<std::string, std::string>{{"cuda", "13"}};
                                   }};

class MeasureGpu : public testing::Test {
 protected:
  MeasureGpu() {
    options_.file = folder_ / "measurements.json";
    options_.device_name = [](const std::string&) { return "fake-16g"; };
  }
  TemporaryFolder folder_;
  MeasureGpuOptions options_;
};

TEST_F(MeasureGpu, WritesWhatItReturns) {
  const MeasuredGpu got = measure_gpu(options_, kFakePlugin);
  EXPECT_EQ(got.cases, 3u);
  const MeasurementSet read = read_measurements(options_.file);
  EXPECT_EQ(read.results, got.set.results);
  EXPECT_EQ(got.outcome.measured, 3u);
  EXPECT_EQ(read.provenance.libraries.at("gpu"), "Fake GPU 16GB");
  EXPECT_EQ(read.provenance.libraries.at("cuda"), "13");
}

TEST_F(MeasureGpu, ContinuesItsOwnFileAndNoOther) {
  options_.quick = true;
  EXPECT_EQ(measure_gpu(options_, kFakePlugin).cases, 1u);
  options_.quick = false;
  options_.resume = true;
  const MeasuredGpu second = measure_gpu(options_, kFakePlugin);
  EXPECT_EQ(second.outcome.kept, 1u);
  EXPECT_EQ(second.outcome.measured, 2u);
  GpuPlugin newer = kFakePlugin;
  newer.libraries = [] { return std::map<std::string, std::string>{{"cuda", "14"}}; };
  EXPECT_THROW(measure_gpu(options_, newer), InputError);
}

TEST_F(MeasureGpu, SaysWhyThereIsNoGpu) {
  options_.index = 1;
  EXPECT_THROW(measure_gpu(options_, kFakePlugin), MeasurementError);
}

}  // namespace
}  // namespace paceline
