// Collectives of a job whose other processes are not there.
#include "microbench/gpu/process_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::SizeIs;

// Rank 0 of eight on two machines; the others are a little slower and may have a reason.
class FakeGroup final : public ProcessGroup {
 public:
  std::string reason_of_others;
  int rank() const override { return 0; }
  int ranks() const override { return 8; }
  int machines() const override { return 2; }
  void barrier() override {}
  double largest(double own) override { return own; }
  std::string first_text(const std::string& own) override {
    return own.empty() ? reason_of_others : own;
  }
};

// Takes 10 us and a nanosecond for each byte.
class FakeCollective final : public CollectiveOfProcess {
 public:
  Seconds now{0};
  std::int64_t most_bytes = 1 << 30;
  std::string wrong;  // operation
  int prepared = 0;

  void prepare(const std::string& operation, std::int64_t bytes) override {
    ++prepared;
    if (bytes > most_bytes) throw MeasurementError("out of memory");
    operation_ = operation;
    bytes_ = bytes;
  }
  void run(int calls) override {
    now = now + Seconds(calls * (1e-5 + 1e-9 * static_cast<double>(bytes_)));
  }
  void check() override {
    if (operation_ == wrong) throw MeasurementError("wrong result");
  }
  Axes facts() override { return {{"sm_clock_hz", 1e9}}; }

 private:
  std::string operation_;
  std::int64_t bytes_ = 0;
};

class ProcessCollectives : public testing::Test {
 protected:
  ProcessCollectives() {
    options_.quick = true;
    options_.file = folder_ / "collectives.json";
    provenance_ = make_provenance("test", {});
    provenance_.libraries["nccl"] = "2.28.9";
  }
  MeasurementSet run() {
    return measure_process_collectives(
        options_, provenance_, [this] { return collective_.now; }, group_, collective_);
  }
  TemporaryFolder folder_;
  ProcessCollectiveOptions options_;
  Provenance provenance_;
  FakeGroup group_;
  FakeCollective collective_;
};

TEST_F(ProcessCollectives, AreMeasuredCheckedAndWritten) {
  const MeasurementSet set = run();
  ASSERT_THAT(set.results, SizeIs(plan_process_collectives(true).size()));
  const Measurement& first = set.results.front();
  EXPECT_EQ(first.benchmark, "nccl.all-reduce");
  EXPECT_EQ(first.integer("ranks"), 8);
  EXPECT_EQ(first.integer("machines"), 2);
  EXPECT_NEAR(first.value().si(), 1e-5 + 1e-9 * static_cast<double>(64 << 20), 1e-6);
  EXPECT_TRUE(first.result_checked);
  EXPECT_DOUBLE_EQ(number_axis(first.facts, "sm_clock_hz", ""), 1e9);
  EXPECT_EQ(read_measurements(options_.file).results, set.results);
}

TEST_F(ProcessCollectives, ThatOneProcessCannotDoAreSkippedByAll) {
  collective_.most_bytes = 1 << 20;
  collective_.wrong = "broadcast";
  for (const Measurement& result : run().results) {
    const bool large = result.integer("bytes") > 1 << 20;
    const bool wrong = result.benchmark == "nccl.broadcast";
    EXPECT_EQ(result.skipped, large || wrong) << result.benchmark << to_string(result.axes);
    EXPECT_EQ(result.reason, large ? "out of memory" : wrong ? "wrong result" : "");
  }
  group_.reason_of_others = "GPU of another machine is lost";
  options_.file = folder_ / "other.json";
  EXPECT_THROW(run(), InputError) << "no process goes on alone";
}

TEST_F(ProcessCollectives, LeftByTheBudgetAreSkippedAndContinuedLater) {
  options_.budget = Seconds(1);
  const MeasurementSet first = run();
  const int before = collective_.prepared;
  EXPECT_GT(before, 0);
  EXPECT_EQ(first.results.back().reason, "not reached: time budget spent");
  options_.budget.reset();
  options_.append = true;
  const MeasurementSet second = run();
  ASSERT_THAT(second.results, SizeIs(first.results.size()));
  EXPECT_THAT(collective_.prepared, static_cast<int>(first.results.size()));
  EXPECT_EQ(second.results.front(), first.results.front());
  for (const Measurement& result : second.results) EXPECT_FALSE(result.skipped);
}

TEST_F(ProcessCollectives, OfOtherLibrariesAreNotContinued) {
  run();
  options_.append = true;
  provenance_.libraries["nccl"] = "2.29.0";
  EXPECT_THROW(run(), InputError);
}

TEST(ProcessCollectivePlan, HasEveryOperationAndEachCaseOnce) {
  for (const bool quick : {false, true}) {
    std::set<std::string> operations, seen;
    for (const CollectiveCase& c : plan_process_collectives(quick)) {
      operations.insert(c.operation);
      EXPECT_TRUE(seen.insert(c.operation + std::to_string(c.bytes)).second);
      EXPECT_EQ(c.bytes % 4, 0) << "whole numbers of four bytes";
    }
    EXPECT_THAT(operations, SizeIs(7));
  }
  EXPECT_LT(plan_process_collectives(true).size(), plan_process_collectives(false).size());
}

TEST(ProcessCollectiveArguments, AreReadOrRefusedWithTheUsage) {
  const auto options =
      parse_process_collectives({"out.json", "--quick", "--budget", "30 s", "--append"});
  EXPECT_EQ(options.file, "out.json");
  EXPECT_TRUE(options.quick && options.append);
  EXPECT_EQ(options.budget, Seconds(30));
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{}, Words{"--quick"}, Words{"a", "b"}, Words{"a", "--fast"}, Words{"a", "--budget"},
        Words{"a", "--budget", "soon"}, Words{"a", "--budget", "0 s"}, Words{"a", ""}}) {
    EXPECT_THROW(parse_process_collectives(words), UsageError) << testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace paceline
