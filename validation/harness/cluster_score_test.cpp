#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "simulator/report/test_device.h"
#include "validation/harness/score.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

constexpr double kAlone = 0.08;
constexpr std::int64_t kParameters = 14205962;

// A recording of a made-up machine beside a set that holds some of its runs.
class ClusterBench : public testing::Test {
 protected:
  ClusterBench() { add("none", 1, nullptr, kAlone); }

  void add(const std::string& strategy, int workers, const ordered_json& network, double time,
           const ordered_json& options = ordered_json::object()) {
    const std::vector<double> medians(static_cast<std::size_t>(workers), time);
    runs_.push_back({{"experiment",
                      {{"model", "fcn-r"},
                       {"batch", 64},
                       {"threads", 1},
                       {"device", "cpu"},
                       {"framework", "pytorch"},
                       {"precision", "fp32"},
                       {"strategy", strategy},
                       {"options", options},
                       {"workers", workers},
                       {"servers", 0},
                       {"network", network}}},
                     {"parameters", kParameters},
                     {"status", "measured"},
                     {"rounds",
                      {{{"start", "2026-11-30"},
                        {"foreign_cpu", 0},
                        {"page_faults_per_iteration", 0},
                        {"accepted", true},
                        {"samples_s", {time}},
                        {"worker_medians_s", medians}}}}});
  }

  Validation score(const ordered_json& kinds, const std::vector<std::string>& files = {"r.json"}) {
    write_parameters(folder_ / "p.json", made_up_parameters());
    write_json_file(
        folder_ / "r.json",
        {{"schema", "paceline.cluster-recording/1"},
         {"provenance",
          {{"tool", "test"},
           {"date", "2026-11-30"},
           {"host", {{"cpu", ""}, {"cores", 2}, {"memory_bytes", 1e9}, {"kernel", "test"}}},
           {"environment", ordered_json::object()},
           {"libraries", ordered_json::object()},
           {"argv", ordered_json::array()}}},
         {"protocol",
          {{"rounds", 1},
           {"iterations", 3},
           {"warmup", 1},
           {"threads_per_worker", 1},
           {"foreign_cpu_limit", 0.05},
           {"statistic", "test"},
           {"optimizer", "SGD"}}},
         {"runs", runs_}});
    write_json_file(folder_ / "set.json", {{"schema", "paceline.validation-set/1"},
                                           {"name", "lab"},
                                           {"summary", "test"},
                                           {"regime", "test"},
                                           {"cluster_recordings", files},
                                           {"parameters", "p.json"},
                                           {"links", "veth-tbf"},
                                           {"runs", kinds},
                                           {"thresholds", {{"mape", 0.1}}}});
    return validate({read_validation_set(folder_ / "set.json", folder_.path())});
  }

  static ordered_json link(const char* text, double rate) {
    return {{"link", text}, {"rate_bits_per_s", rate}, {"latency_s", 0}};
  }

  TemporaryFolder folder_;
  ordered_json runs_ = ordered_json::array();
};

const ordered_json kBsp = {{{"framework", "pytorch"}, {"strategy", "bsp"}}};

// Two workers on two cores that exchange nothing take as long as one by itself, whatever the device
// is predicted to take.
TEST_F(ClusterBench, AWorkerByItselfSetsTheTimeOfComputing) {
  add("none", 2, nullptr, kAlone);
  const Validation validation = score({{{"framework", "pytorch"}, {"strategy", "none"}}});
  ASSERT_EQ(validation.cases.size(), 1u);  // the one worker itself is no case
  EXPECT_NEAR(validation.cases[0].error, 0, 1e-6);
}

// Two that share one core take turns.
TEST_F(ClusterBench, TheSetSaysHowManyCoresWorkersComputeOn) {
  add("none", 2, nullptr, 2 * kAlone);
  const auto error = [&](int cores) {
    return score({{{"framework", "pytorch"}, {"strategy", "none"}, {"cores", cores}}})
        .cases.at(0)
        .error;
  };
  EXPECT_NEAR(error(1), 0, 1e-6);
  EXPECT_NEAR(error(2), -0.5, 1e-6);
  EXPECT_THROW(error(0), InputError);
}

// 56.8 MB over 25 MB/s take 2.3 s at the very least, and not twice that.
TEST_F(ClusterBench, TheRateOfTheLinkIsThatOfTheRun) {
  add("bsp", 2, link("200 Mb/s", 2e8), 2.4);
  add("bsp", 2, link("1 Gb/s", 1e9), 0.6);
  const Validation validation = score(kBsp);
  ASSERT_EQ(validation.cases.size(), 2u);
  const double sent = 4.0 * kParameters;
  EXPECT_GT(validation.cases[0].predicted_s, sent / 25e6 + kAlone);
  EXPECT_LT(validation.cases[0].predicted_s, 1.2 * sent / 25e6 + kAlone);
  EXPECT_LT(validation.cases[1].predicted_s, 0.3 * validation.cases[0].predicted_s);
  // The null model knows one worker and the rate, so it is near where nothing overlaps.
  EXPECT_NEAR(validation.cases[0].null_s.at("alpha_beta"), kAlone + sent / (25e6 * 0.9416), 0.01);
}

TEST_F(ClusterBench, RunsAreChosenByTheirOptionsAndSeenInTheSimulatorsWords) {
  add("mine", 2, link("1 Gb/s", 1e9), 0.6, {{"way", "ring"}, {"grad_accum", 2}, {"no_sync", true}});
  add("mine", 2, link("1 Gb/s", 1e9), 0.6, {{"way", "other"}});
  const Validation validation = score({{{"framework", "pytorch"},
                                        {"strategy", "mine"},
                                        {"with", {{"way", "ring"}}},
                                        {"as", "ddp"},
                                        {"options", {{"bucket_cap_mib", "1024"}}},
                                        {"ignore", {"way"}}},
                                       {{"framework", "pytorch"},
                                        {"strategy", "mine"},
                                        {"without", {"grad_accum"}},
                                        {"excluded", "cannot be told"}}});
  ASSERT_EQ(validation.cases.size(), 1u);
  EXPECT_GT(validation.cases[0].predicted_s, 2 * kAlone);  // two micro-batches
  ASSERT_EQ(validation.skipped.size(), 1u);
  EXPECT_EQ(validation.skipped[0].reason, "cannot be told");
}

// What a compressor costs is told by one worker with it and one without; where they were not
// recorded, nothing is guessed.
TEST_F(ClusterBench, ACompressorTakesWhatItTakesAWorkerByItself) {
  const ordered_json halves = {{"compression", "fp16"}, {"bucket_cap_mib", 25}};
  add("ddp", 2, link("1 Gb/s", 1e9), 0.4, halves);
  const ordered_json kind = {{{"framework", "pytorch"},
                              {"strategy", "ddp"},
                              {"with", {{"compression", "fp16"}}},
                              {"compressor", {"compression"}}}};
  EXPECT_THAT(score(kind).skipped.at(0).reason, HasSubstr("was not measured"));
  const auto predicted_with = [&](double time) {
    add("ddp", 1, nullptr, time, halves);
    const double out = score(kind).cases.at(0).predicted_s;
    runs_.erase(runs_.end() - 1);
    return out;
  };
  add("ddp", 1, nullptr, kAlone, {{"bucket_cap_mib", 25}});
  const double longer = predicted_with(kAlone + 0.1) - predicted_with(kAlone + 0.05);
  EXPECT_GT(longer, 0.01);
  EXPECT_LT(longer, 2.1 * 0.05);  // two workers stream through one memory: in turns at worst
}

TEST_F(ClusterBench, SaysWhyARunIsNotPredicted) {
  add("bsp", 2, {{"link", "unlimited"}, {"rate_bits_per_s", nullptr}, {"latency_s", 0}}, 0.6);
  EXPECT_THAT(score(kBsp).skipped.at(0).reason, HasSubstr("no limit"));
  runs_.erase(0);  // the worker by itself
  EXPECT_THAT(score(kBsp).skipped.at(0).reason, HasSubstr("by itself"));
}

TEST_F(ClusterBench, RefusesANetworkOfAnotherSizeAndASetThatSaysNothing) {
  add("bsp", 2, link("1 Gb/s", 1e9), 0.6);
  EXPECT_THROW(score(ordered_json::array()), InputError);
  runs_[1]["parameters"] = 5;
  EXPECT_THROW(score(kBsp), InputError);
}

TEST_F(ClusterBench, AFrameworksNetworkMayLackWhatTheSetSays) {
  add("bsp", 2, link("1 Gb/s", 1e9), 0.6);
  runs_[1]["parameters"] = kParameters - 10;
  ordered_json kind = kBsp;
  kind[0]["fewer_parameters"] = {{"fcn-r", 10}};
  EXPECT_EQ(score(kind).cases.size(), 1u);
  kind[0]["fewer_parameters"] = {{"fcn-r", 9}};
  EXPECT_THROW(score(kind), InputError);
}

TEST_F(ClusterBench, RunsOfEveryRecordingCountAndAreToldApart) {
  add("bsp", 2, link("1 Gb/s", 1e9), 0.6);
  const Validation twice = score(kBsp, {"r.json", "r.json"});
  ASSERT_EQ(twice.cases.size(), 2u);
  EXPECT_THAT(twice.cases[1].name, HasSubstr("recorded 2026-11-30"));
  EXPECT_THAT(score(kBsp).cases.at(0).name, testing::Not(HasSubstr("recorded")));
  EXPECT_THROW(score(kBsp, {}), InputError);
}

}  // namespace
}  // namespace paceline
