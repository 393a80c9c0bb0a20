#include "microbench/harness/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "microbench/harness/workspace.h"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A machine whose kernels take as long as their axis "us" says and whose other processes use
// `foreign` processors all the time.
struct FakeMachine {
  double now = 0;
  double foreign = 0;

  RoundContext context() {
    RoundContext out;
    out.clock = [this] { return Seconds(now); };
    out.cpu_use = [this] {
      return CpuUse{Seconds(now), Seconds(now * (1 + foreign)), Seconds(now)};
    };
    out.set_threads = [](int) {};
    return out;
  }
};

class FakeKernel final : public PreparedKernel {
 public:
  FakeKernel(FakeMachine& machine, double microseconds, bool wrong)
      : machine_(machine), seconds_(1e-6 * microseconds), wrong_(wrong) {}
  void run() override { machine_.now += seconds_; }
  void check() override {
    if (wrong_) throw MeasurementError("wrong result: C[0] is 1, expected 2");
  }

 private:
  FakeMachine& machine_;
  double seconds_;
  bool wrong_;
};

class FakeBenchmark final : public Benchmark {
 public:
  explicit FakeBenchmark(FakeMachine& machine) : machine_(machine) {}
  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    for (std::int64_t us = 1000; us <= (size == DesignSize::kFull ? 8000 : 2000); us += 1000) {
      out.push_back({{"us", us}});
    }
    return out;
  }
  std::string unsupported() const override { return unsupported_reason; }
  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace&) const override {
    return std::make_unique<FakeKernel>(machine_, number_axis(axes, "us", "fake"), wrong);
  }
  std::string unsupported_reason;
  bool wrong = false;

 private:
  FakeMachine& machine_;
};

class Round : public testing::Test {
 protected:
  std::vector<MeasurementCase> cases(DesignSize size = DesignSize::kFull) {
    return measurement_cases("fake.kernel", benchmark_, size, {1, 2});
  }
  std::size_t measure(std::uint64_t number = 0) {
    return measure_round(cases(), number, workspace_, context_, set_);
  }

  FakeMachine machine_;
  FakeBenchmark benchmark_{machine_};
  RoundContext context_ = machine_.context();
  Workspace workspace_{Bytes(4 << 20), Bytes(1 << 20)};
  MeasurementSet set_;
};

TEST_F(Round, MeasuresEveryCaseForEveryThreadCount) {
  EXPECT_EQ(measure(), 16u);
  ASSERT_THAT(set_.results, SizeIs(16));
  for (const Measurement& result : set_.results) {
    EXPECT_NEAR(result.value().si(), 1e-6 * result.number("us"), 1e-12) << to_string(result.axes);
    EXPECT_TRUE(result.result_checked);
  }
  EXPECT_THAT(noise_warnings(set_), IsEmpty());
}

TEST_F(Round, AddsToTheResultsOfEarlierRounds) {
  measure(0);
  measure(1);
  ASSERT_THAT(set_.results, SizeIs(16));
  for (const Measurement& result : set_.results) EXPECT_EQ(result.accepted_rounds(), 2u);
}

// 0.5 processors used by others is above the limit of 0.1: kept, but marked and not counted.
TEST_F(Round, KeepsButRejectsWhatWasTakenBesideOthers) {
  machine_.foreign = 0.5;
  measure();
  for (const Measurement& result : set_.results) {
    ASSERT_THAT(result.rounds, SizeIs(1));
    EXPECT_FALSE(result.rounds[0].accepted);
    EXPECT_NEAR(result.rounds[0].foreign_cpu, 0.5, 1e-4);
  }
  EXPECT_THAT(noise_warnings(set_), ElementsAre(HasSubstr("16 of 16 results")));
}

// Others are busy until 6 of 16 cases are done; with windows of one case each, those are taken
// again.
TEST_F(Round, TakesRejectedCasesOnceMore) {
  context_.window = Seconds(0);
  std::size_t started = 0;
  context_.on_case = [&](std::size_t, const MeasurementCase&) { ++started; };
  Seconds foreign(0);
  context_.cpu_use = [&] {
    if (started > 0 && started <= 6) foreign += Seconds(1);
    return CpuUse{Seconds(machine_.now), Seconds(machine_.now) + foreign, Seconds(machine_.now)};
  };
  EXPECT_EQ(measure(), 16u);
  std::size_t twice = 0;
  for (const Measurement& result : set_.results) {
    EXPECT_EQ(result.accepted_rounds(), 1u);
    if (result.rounds.size() == 2) ++twice;
  }
  EXPECT_EQ(twice, 6u);
}

TEST_F(Round, SaysThatTheMachineChangedSpeed) {
  measure(0);
  for (Measurement& result : set_.results) {
    for (double& sample : result.rounds[0].samples_s) sample *= 1.3;
  }
  measure(1);
  EXPECT_THAT(noise_warnings(set_), ElementsAre(HasSubstr("differ by 30.0 %")));
}

TEST_F(Round, SkipsWithTheReasonWhatIsUnsupported) {
  benchmark_.unsupported_reason = "built without it";
  measure();
  for (const Measurement& result : set_.results) {
    EXPECT_TRUE(result.skipped);
    EXPECT_EQ(result.reason, "built without it");
  }
}

TEST_F(Round, SkipsWhatComputesAWrongResult) {
  benchmark_.wrong = true;
  measure();
  for (const Measurement& result : set_.results)
    EXPECT_THAT(result.reason, HasSubstr("expected 2"));
}

TEST_F(Round, ReplacesASkippedResultOnceItCanBeTaken) {
  benchmark_.wrong = true;
  measure(0);
  benchmark_.wrong = false;
  measure(1);
  ASSERT_THAT(set_.results, SizeIs(16));
  for (const Measurement& result : set_.results) {
    EXPECT_FALSE(result.skipped);
    EXPECT_EQ(result.reason, "");
  }
}

TEST_F(Round, StopsWhenAskedAndKeepsWhatItHas) {
  int left = 5;
  context_.stop = [&] { return left-- == 0; };
  EXPECT_EQ(measure(), 5u);
  EXPECT_THAT(set_.results, SizeIs(5));
}

TEST(ShuffledOrder, IsAPermutationThatDependsOnTheSeedAlone) {
  const std::vector<std::size_t> order = shuffled_order(100, 7);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 100u);
  EXPECT_EQ(order, shuffled_order(100, 7));
  EXPECT_NE(order, shuffled_order(100, 8));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace paceline
