// Shares of the iteration in what the program prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kJob[] =
    "--model alexnet --batch 32 --device t4 --gpus 4 --gpus-per-node 2 --intra pcie3-x16 "
    "--net 10gbe --strategy ";

json run(const std::string& command) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, command + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return json::parse(outcome.out);
}

// Whatever an iteration does or waits for has an origin.
TEST(Origins, SumToTheIteration) {
  const std::string job = std::string("predict ") + kJob;
  const std::string alone =
      "predict --model alexnet --batch 32 --device t4 --gpus 4 --intra pcie3-x16 --strategy ";
  for (const std::string& command :
       {job + "ddp", job + "fsdp", job + "horovod", job + "wfbp --set negotiation=full",
        job + "wfbp --set compression=power-sgd --set rank=4 --set compression_time=50ms",
        alone + "parameter-server --set staged_vars=on", job + "dist-sync --framework mxnet",
        job + "ddp --set loader_ms_per_batch=900 --grad-accum 2",
        std::string("predict --model alexnet --batch 32 --device t4 --set "
                    "loader_ms_per_batch=900")}) {
    double sum = 0;
    const json report = run(command);
    for (const json& line : report["origins"]) sum += line["share"].get<double>();
    EXPECT_NEAR(sum, 1, 1e-6) << command;
  }
}

// Selecting elements takes the device far longer than the network needs for what is left of them.
TEST(Bottleneck, IsTheCompressorWhereItsKernelsTakeTheTime) {
  for (const char* name : {"top-k", "gtop-k"}) {
    const json report = run(std::string("predict ") + kJob + "horovod --set compression=" + name);
    const json& bottleneck = report["bottleneck"];
    const double share = bottleneck["share"].get<double>();
    EXPECT_EQ(bottleneck["resource"], "compression on the device") << name;
    EXPECT_GT(share, 0.5) << name;
    EXPECT_THAT(bottleneck["text"].get<std::string>(), HasSubstr("a faster link would not"));
    const json& first = report["origins"][0];
    EXPECT_EQ(first["what"], "compression") << name;
    EXPECT_EQ(first["kind"], "extrapolated") << name;
    EXPECT_THAT(first["source"].get<std::string>(), HasSubstr("V100")) << name;
    EXPECT_NEAR(first["share"].get<double>(), share, 1e-6) << name;
  }
}

// Servers that add all the time are no links: what is said of their cable is not said of them.
TEST(Bottleneck, DoesNotAskForAFasterLinkWhereServersAdd) {
  const json adding =
      run("predict --model alexnet --batch 1 --device t4 --gpus 32 --gpus-per-node 1 "
          "--strategy async-parameter-server --net 400g-ib")["bottleneck"];
  EXPECT_THAT(adding["resource"].get<std::string>(), HasSubstr("updates"));
  EXPECT_THAT(adding["text"].get<std::string>(), HasSubstr("a faster link would not"));
  const json moving =
      run("predict --model alexnet --batch 32 --device t4 --gpus 4 --gpus-per-node 2 "
          "--intra pcie3-x16 --net 1gbe --strategy ddp")["bottleneck"];
  EXPECT_THAT(moving["text"].get<std::string>(), HasSubstr("only a faster link"));
}

// Time in kernels of an implementation, in an iteration.
double seconds_in(const json& explained, const std::string& part) {
  double sum = 0;
  for (const json& line : explained["implementations"]) {
    const std::string name = line["implementation"];
    if (part.empty() ? name != "host" : name.find(part) != std::string::npos) {
      sum += line["time_s"].get<double>();
    }
  }
  return sum;
}

// Of four devices each updates a quarter of the weights, and the kernels of the table are no more
// than what the iteration spends on computing.
TEST(ExplainCommand, ShowsTheKernelsOfTheShardThatADeviceUpdates) {
  const std::string job = std::string("explain ") + kJob;
  const json whole = run(job + "ddp"), sharded = run(job + "fsdp");
  EXPECT_NEAR(seconds_in(sharded, "sgd") / seconds_in(whole, "sgd"), 0.25, 0.01);
  for (const json& explained : {whole, sharded}) {
    const json& parts = explained["breakdown_s"];
    const double computing = parts["forward"].get<double>() + parts["backward"].get<double>() +
                             parts["optimizer"].get<double>();
    EXPECT_LE(seconds_in(explained, ""), 1.001 * computing);
    EXPECT_GE(seconds_in(explained, ""), 0.8 * computing) << "the rest is waiting for the host";
  }
}

// Origins say of the optimizer what the table of kernels says of a quarter of it, but for gaps
// between kernels, which only origins share out among them.
TEST(Origins, AreOfTheShardThatADeviceUpdates) {
  const json sharded = run(std::string("explain ") + kJob + "fsdp");
  const double iteration = sharded["iteration_time_s"]["median"];
  double share = 0;
  for (const json& line : sharded["origins"]) {
    if (line["what"].get<std::string>().find("sgd") != std::string::npos) {
      share += line["share"].get<double>();
    }
  }
  EXPECT_GT(share, 0);
  EXPECT_NEAR(share * iteration / seconds_in(sharded, "sgd"), 1, 0.25);
}

// A measured rate of half the predicted one makes every kernel take twice as long.
TEST(ExplainCommand, ScalesKernelsToTheMeasuredRate) {
  const std::string device = "--model alexnet --batch 32 --device t4 ";
  const json alone = run("explain " + device);
  const double twice = 2 * alone["iteration_time_s"]["median"].get<double>();
  const json slow = run("explain " + device + "--calibrate '" + std::to_string(twice) + " s'");
  EXPECT_NEAR(seconds_in(slow, "") / seconds_in(alone, ""), 2, 1e-3);
  EXPECT_NEAR(slow["kernels"][0]["scale"].get<double>(), 2, 1e-3);
}

// Samples of all devices and of all micro-batches of an update.
TEST(GlobalBatch, CountsDevicesAndMicroBatches) {
  const std::string job =
      "predict --model alexnet --device t4 --gpus 4 --intra pcie3-x16 --grad-accum 2 ";
  const json global = run(job + "--global-batch 256");
  EXPECT_EQ(global["config"]["batch"], 32);
  EXPECT_EQ(global["config"]["global_batch"], 256);
  const json each = run(job + "--batch 32");
  EXPECT_EQ(global["iteration_time_s"], each["iteration_time_s"]);
  EXPECT_NEAR(global["throughput_samples_per_s"]["median"].get<double>() *
                  global["iteration_time_s"]["median"].get<double>(),
              256, 1e-6);
}

// A trace of AlexNet in TensorFlow on a GTX 980 (validation/sets/dlbench-nvprof.json): 54.9 ms of
// GPU operations and 5.53 ms of them the update; without it 45.5 ms. TensorFlow launches more
// operations (223) than its record knows, all of them short.
TEST(ExplainedKernels, AreAsBusyAsATracedIteration) {
  const std::string job =
      "explain --framework tensorflow --model alexnet --batch 16 --device gtx-980 "
      "--set variant=tf-same-padding";
  const json whole = run(job);
  EXPECT_NEAR(seconds_in(whole, "") / 54.9e-3, 1, 0.15);
  EXPECT_NEAR(seconds_in(whole, "sgd") / 5.53e-3, 1, 0.1);
  EXPECT_NEAR(seconds_in(run(job + " --set phases=forward-backward"), "") / 45.5e-3, 1, 0.15);
}

}  // namespace
}  // namespace paceline
