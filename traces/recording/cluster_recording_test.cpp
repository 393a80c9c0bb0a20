#include "traces/recording/cluster_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/data_directory.h"
#include "core/error.h"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Of a worker by itself, or of worker 0 of two.
std::string round(double median_s, const std::string& more, const std::string& others = ", 9") {
  return R"({"start": "2026-11-30T03:38:24Z", "foreign_cpu": 0.01, "page_faults_per_iteration": 0, "accepted": true,
             "samples_s": [)" +
         std::to_string(median_s) + R"(], "worker_medians_s": [)" + std::to_string(median_s) +
         others + "]" + more + "}";
}

std::string run(const std::string& experiment, const std::string& rounds) {
  return R"({"experiment": {"model": "fcn-r", "batch": 64, "threads": 1, "device": "cpu", "framework": "pytorch",
                            "precision": "fp32", )" +
         experiment + R"(}, "parameters": 10, "status": "measured", "rounds": [)" + rounds + "]}";
}

std::string ddp(const std::string& rounds) {
  return run(
      R"("strategy": "ddp", "options": {"bucket_cap_mib": 25, "no_sync": true, "compression": "fp16"},
                "workers": 2, "servers": 0, "network": {"link": "200 Mb/s@2ms", "rate_bits_per_s": 2e8,
                "latency_s": 0.002})",
      rounds);
}

std::string alone(const std::string& rounds) {
  return run(R"("strategy": "none", "options": {}, "workers": 1, "servers": 0, "network": null)",
             rounds);
}

std::string recording(const std::string& runs) {
  return R"({"schema": "paceline.cluster-recording/1",
    "provenance": {"tool": "test", "date": "2026-11-30", "environment": {}, "libraries": {}, "argv": [],
                   "host": {"cpu": "test", "cores": 2, "memory_bytes": 1e9, "kernel": "test"}},
    "protocol": {"rounds": 1, "iterations": 3, "warmup": 1, "threads_per_worker": 1, "foreign_cpu_limit": 0.05,
                 "statistic": "test", "optimizer": "SGD"},
    "runs": [)" +
         runs + "]}";
}

TEST(ClusterRecording, ReadsWhatWorkersAndLinksWere) {
  const ClusterRecording file = parse_cluster_recording(recording(ddp(round(3, ""))), "r");
  const ClusterExperiment& e = file.runs.at(0).experiment;
  EXPECT_EQ(e.workers, 2);
  EXPECT_EQ(e.network->rate, 2e8);
  EXPECT_EQ(e.network->latency.si(), 0.002);
  EXPECT_EQ(e.options.at("bucket_cap_mib"), "25");
  EXPECT_EQ(e.options.at("no_sync"), "on");
  EXPECT_EQ(file.facts.host.cores, 2);
  EXPECT_EQ(to_string(e),
            "pytorch ddp bucket_cap_mib=25 compression=fp16 no_sync=on fcn-r batch 64, 2 workers, "
            "200 Mb/s@2ms");
}

// Phases are optional, and what only several workers have belongs to the round that counts.
TEST(ClusterRecording, TakesWorkersAndBucketsOfTheFastestAcceptedRound) {
  const std::string slow = round(4, R"(, "bucket_bytes": [1])");
  const std::string fast =
      round(3, R"(, "bucket_bytes": [2, 5], "communication_s": 0.5, "backward_s": 2)");
  const ClusterRecording file = parse_cluster_recording(recording(ddp(slow + "," + fast)), "r");
  const ClusterRun& run = file.runs.at(0);
  EXPECT_EQ(run.worker0.time().si(), 3);
  EXPECT_EQ(run.worker0.best().backward.si(), 2);
  EXPECT_EQ(run.worker0.best().forward.si(), 0);
  EXPECT_EQ(run.communication.si(), 0.5);
  EXPECT_THAT(run.bucket_bytes, ElementsAre(2, 5));
  EXPECT_THAT(run.worker_medians_s, ElementsAre(3, 9));
}

TEST(ClusterRecording, FindsTheWorkerByItselfOfEachRun) {
  const std::string both = alone(round(1, "", "")) + "," + ddp(round(3, ""));
  const ClusterRecording file = parse_cluster_recording(recording(both), "r");
  EXPECT_EQ(file.alone(file.runs.at(1).experiment), &file.runs.at(0));
  const ClusterRecording without = parse_cluster_recording(recording(ddp(round(3, ""))), "r");
  EXPECT_EQ(without.alone(without.runs.at(0).experiment), nullptr);
}

std::string message(const std::string& from, const std::string& to) {
  std::string text = recording(ddp(round(3, "")));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    parse_cluster_recording(text, "cluster.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClusterRecording, NamesFileAndPlaceOfWhatItCannotUse) {
  EXPECT_THAT(message("\"workers\": 2", "\"workers\": 0"),
              HasSubstr("cluster.json:/runs/0/experiment/workers"));
  EXPECT_THAT(message("\"workers\": 2, ", ""), HasSubstr("/runs/0/experiment"));
  EXPECT_THAT(message("2e8", "-1"), HasSubstr("/network/rate_bits_per_s"));
  EXPECT_THAT(message("0.002", "-1"), HasSubstr("/network/latency_s"));
  EXPECT_THAT(message("\"link\"", "\"lnk\""), HasSubstr("/network"));
  EXPECT_THAT(message("25", "[25]"), HasSubstr("/options/bucket_cap_mib"));
  EXPECT_THAT(message("\"measured\"", "\"skipped\""), HasSubstr("/runs/0/status"));
  EXPECT_THAT(message("\"threads_per_worker\": 1, ", ""), HasSubstr("/protocol"));
  EXPECT_THAT(message("\"worker_medians_s\"", "\"worker_median_s\""),
              HasSubstr("/runs/0/rounds/0"));
  EXPECT_THAT(message("cluster-recording/1", "recording/1"), HasSubstr("paceline.recording/1"));
}

// Slips of a unit, and rounds that are not what they say.
TEST(ClusterRecording, RefusesWhatNoRoundCanBe) {
  EXPECT_THAT(message("2e8", "2e15"), HasSubstr("/network/rate_bits_per_s: found "));
  EXPECT_THAT(message("0.002", "10.5"),
              HasSubstr("/network/latency_s: found 10.5000; expected 0 to 10 seconds"));
  EXPECT_THAT(message(", 9]", "]"),
              HasSubstr("/runs/0/rounds/0/worker_medians_s: found 1 numbers; expected one of each "
                        "of the 2 workers"));
  EXPECT_THAT(message(", 9]", ", -9]"), HasSubstr("/runs/0/rounds/0/worker_medians_s/1: found -9"));
  EXPECT_THAT(message("\"foreign_cpu\": 0.01", "\"foreign_cpu\": 0.06"),
              HasSubstr("/runs/0/rounds/0/foreign_cpu: found 0.0600 in an accepted round; "
                        "expected at most 0.0500"));
  for (const char* phase : {"forward_s", "backward_s", "optimizer_s", "communication_s"}) {
    const std::string key(phase);
    EXPECT_THAT(message(", 9]", ", 9], \"" + key + "\": 31"),
                HasSubstr("/runs/0/rounds/0/" + key + ": found 31.0 s"));
    EXPECT_THAT(message(", 9]", ", 9], \"" + key + "\": -1"),
                HasSubstr("/runs/0/rounds/0/" + key + ": is negative"));
    EXPECT_EQ(message(", 9]", ", 9], \"" + key + "\": 3"), "no error");
  }
}

// Workers that exchange gradients do so over a link, unless they are devices of one process.
TEST(ClusterRecording, WithoutANetworkNothingIsSent) {
  const auto error_of = [](const std::string& strategy, const std::string& others) {
    const std::string experiment = "\"strategy\": \"" + strategy +
                                   "\", \"options\": {}, \"workers\": 2, \"servers\": 0, "
                                   "\"network\": null";
    try {
      parse_cluster_recording(recording(run(experiment, round(3, "", others))), "cluster.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of("none", ", 9"), "no error");
  EXPECT_EQ(error_of("kvstore-local", ""), "no error");
  EXPECT_EQ(error_of("kvstore-device", ""), "no error");
  EXPECT_THAT(error_of("ddp", ", 9"),
              HasSubstr("cluster.json:/runs/0/experiment/network: found null for 2 workers"));
}

TEST(ClusterRecording, HoldsEveryExperimentOnceAndAtLeastOne) {
  const std::string one = ddp(round(3, ""));
  EXPECT_THAT(message(one, one + ", " + one), HasSubstr("/runs/1/experiment"));
  EXPECT_THAT(message(one, ""), HasSubstr("/runs: holds no run"));
}

// The shipped recording: every run was measured, and each has its single worker beside it.
// A run of which every round was disturbed says so; all others have what they are predicted from.
TEST(ClusterRecording, ShippedRecordingHasASingleWorkerForEveryRun) {
  const ClusterRecording file = read_cluster_recording(
      data_directory() / "traces/recorded/epyc-2core/2026-11-30-cluster.json");
  ASSERT_FALSE(file.runs.empty());
  for (const ClusterRun& run : file.runs) {
    const bool disturbed = run.worker0.reason.find("other processes") != std::string::npos;
    EXPECT_NE(run.worker0.measured(), disturbed) << to_string(run.experiment);
    EXPECT_NE(file.alone(run.experiment), nullptr) << to_string(run.experiment);
  }
}

}  // namespace
}  // namespace paceline
