// collective, transfer and import as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json answer(const TestFolder& folder, const std::string& arguments) {
  const TestOutcome outcome = run_program_in(folder, arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? json::parse(outcome.out) : json::object();
}

TEST(CollectiveCommand, AnswersInTheTermsOfNcclTests) {
  const TestFolder folder;
  const json found =
      answer(folder, "collective --op all-reduce --bytes '1 GiB' --cluster dgx-a100");
  EXPECT_EQ(found["algorithm"], "ring");
  EXPECT_EQ(found["protocol"], "simple");
  EXPECT_EQ(found["channels"], 24);
  const double time = found["time_s"]["median"];
  EXPECT_NEAR(found["algbw_bytes_per_s"].get<double>() * time, 1073741824, 1);
  EXPECT_NEAR(found["busbw_bytes_per_s"].get<double>() / found["algbw_bytes_per_s"].get<double>(),
              1.75, 1e-9);
  EXPECT_LT(found["time_s"]["p05"].get<double>(), time);
  EXPECT_GT(found["time_s"]["p95"].get<double>(), time);
  EXPECT_THAT(found["bottleneck"].get<std::string>(), HasSubstr("nvswitch"));
  EXPECT_EQ(found["origins"][0]["kind"], "fitted");
}

// Every flag that can be set changes the answer.
TEST(CollectiveCommand, EveryChoiceChangesTheTime) {
  const TestFolder folder;
  const std::string base =
      "collective --bytes '64 MiB' --gpus 16 --gpus-per-node 8 "
      "--intra nvlink2-cube-mesh --net 100gbe --device v100-sxm2-16g ";
  const auto time = [&](const std::string& more) {
    return answer(folder, base + more)["time_s"]["median"].get<double>();
  };
  const double usual = time("");
  for (const char* more :
       {"--set transport=rdma", "--set connections=1", "--library mpi", "--algorithm tree",
        "--protocol ll", "--concurrent 8", "--op all-gather"}) {
    EXPECT_GT(std::abs(time(more) / usual - 1), 0.01) << more;
  }
}

// k all-reduces at once take about k times as long.
TEST(CollectiveCommand, ConcurrentCollectivesShareTheLinks) {
  const TestFolder folder;
  const std::string base =
      "collective --bytes '40 MB' --gpus 4 --gpus-per-node 1 --net 1gbe "
      "--device v100-pcie-16g --library mpi ";
  const double one = answer(folder, base)["time_s"]["median"];
  const double four = answer(folder, base + "--concurrent 4")["time_s"]["median"];
  EXPECT_NEAR(four / one, 4, 1);
}

// Every algorithm that `list collectives` names can be timed; those that NCCL does not have are
// simulated message by message, and four at once take longer than one.
TEST(CollectiveCommand, TimesEveryAlgorithmOfTheList) {
  const TestFolder folder;
  const TestOutcome list = run_program_in(folder, "list collectives --json");
  int simulated = 0;
  for (const json& algorithm : json::parse(list.out)) {
    const std::string name = algorithm["name"];
    const std::string base =
        "collective --bytes '64 MB' --algorithm " + name + " --op " +
        algorithm["operations"][0].get<std::string>() +
        (name == "nvls" ? " --cluster dgx-h100" : " --gpus 4 --gpus-per-node 1 --net 100g-ib");
    const json one = answer(folder, base);
    EXPECT_EQ(one["algorithm"], name);
    EXPECT_GT(one["busbw_bytes_per_s"].get<double>(), 0) << name;
    if (one["config"]["library"] != "none") continue;
    ++simulated;
    const double four = answer(folder, base + " --concurrent 4")["time_s"]["median"];
    EXPECT_NEAR(four / one["time_s"]["median"].get<double>(), 4, 0.2) << name;
    EXPECT_THAT(one["origins"][0]["source"].get<std::string>(), HasSubstr("messages simulated"));
  }
  EXPECT_GE(simulated, 7);
}

// A latency typed with a link inside a machine acts on each of the 14 steps of a ring, each over
// two links of the switch.
TEST(CollectiveCommand, LatencyInsideAMachineActs) {
  const TestFolder folder;
  const std::string base =
      "collective --bytes 1MB --gpus 8 --device h100-sxm --algorithm ring --intra ";
  const auto time = [&](const std::string& link) {
    return answer(folder, base + link)["time_s"]["median"].get<double>();
  };
  EXPECT_NEAR(time("'450 GB/s@1ms'") - time("'450 GB/s'"), 14 * 2 * 1e-3, 0.001);
  EXPECT_GT(time("'450 GB/s'"), time("'450 GB/s@100ns'"));
}

// A switch of some rate can be asked for without a device.
TEST(CollectiveCommand, AQuantityInsideAMachineNeedsNoDevice) {
  const TestFolder folder;
  const json found = answer(folder, "collective --bytes 1MB --gpus 4 --intra '16 GB/s'");
  EXPECT_THAT(found["warnings"].dump(), HasSubstr("tables of ampere devices are assumed"));
}

TEST(CollectiveCommand, CountsTheStepsOfItsAlgorithm) {
  const TestFolder folder;
  const json found = answer(folder,
                            "collective --op all-gather --bytes 1kB --gpus 16 "
                            "--gpus-per-node 1 --net 100g-ib --algorithm pat");
  EXPECT_THAT(found["bottleneck"].get<std::string>(), HasSubstr("latency of 4 steps"));
}

TEST(CollectiveCommand, PrintsAnAnswerForPeople) {
  const TestFolder folder;
  const TestOutcome outcome =
      run_program_in(folder, "collective --bytes '1 GiB' --cluster dgx-h100 --concurrent 2");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"2 at once", "busbw", "nvls", "limit", "origin"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST(TransferCommand, PinnedCopiesAreFasterAndNeighboursShareTheirUplink) {
  const TestFolder folder;
  const auto time = [&](const std::string& arguments) {
    return answer(folder, "transfer --bytes '256 MiB' " + arguments)["time_s"]["median"]
        .get<double>();
  };
  const double pinned = time("--direction h2d --link pcie3-x16");
  EXPECT_GT(time("--direction h2d --link pcie3-x16 --memory pageable"), 1.1 * pinned);
  const double one = time("--direction h2d --cluster dgx-1-v100 --from 0");
  EXPECT_NEAR(time("--direction h2d --cluster dgx-1-v100 --from 0,1") / one, 2, 0.1);
  EXPECT_NEAR(time("--direction h2d --cluster dgx-1-v100 --from 0,7") / one, 1, 0.01);
  EXPECT_GT(time("--direction d2d --cluster dgx-1-v100 --from 0 --to 5"),
            1.5 * time("--direction d2d --cluster dgx-1-v100 --from 0 --to 3"));
}

// A link typed as a quantity is the link: a tenth of the rate takes ten times as long, but for the
// share of it that links of that speed achieve.
TEST(TransferCommand, TakesTheRateOfALink) {
  const TestFolder folder;
  const auto time = [&](const std::string& link) {
    return answer(folder, "transfer --direction h2d --bytes '1 GB' --link '" + link +
                              "'")["time_s"]["median"]
        .get<double>();
  };
  EXPECT_NEAR(time("25 Gb/s") / time("250 Gb/s"), 10, 1);
}

// NVSwitch of DGX-2 carries 150 GB/s, that of DGX A100 300 GB/s and its cards 25 GB/s each, PCIe 3
// 15.75 GB/s: the fast end of an interval promises no more, whatever the spread of the fit.
TEST(CollectiveCommand, NoIntervalExceedsTheLinks) {
  const TestFolder folder;
  const auto fastest = [&](const std::string& arguments, double bytes) {
    const json found = answer(folder, arguments + " --bytes " + std::to_string(bytes) + "B");
    return bytes / found["time_s"]["p05"].get<double>();
  };
  for (const double bytes : {2e7, 1e9, 8e9}) {
    const std::string reduce = "collective --op all-reduce --cluster ";
    EXPECT_LE(fastest(reduce + "dgx-2", bytes) * 2 * 15 / 16, 150e9 * 1.0001);
    EXPECT_LE(fastest(reduce + "dgx-a100 --nodes 4", bytes) * 2 * 31 / 32, 200e9 * 1.0001);
    EXPECT_LE(fastest("collective --op broadcast --cluster dgx-a100", bytes), 300e9 * 1.0001);
    EXPECT_LE(fastest("transfer --direction h2d --link pcie3-x16", bytes), 15.76e9);
    EXPECT_LE(2 * fastest(reduce + "dgx-2 --concurrent 2", bytes) * 2 * 15 / 16, 150e9 * 1.0001);
    EXPECT_LE(fastest(reduce + "dgx-2 --algorithm halving-doubling", bytes) * 2 * 15 / 16,
              150e9 * 1.0001);
  }
}

// Over TCP two connections, not the cards, limit a 400 Gb/s network; RDMA has no such limit.
TEST(CollectiveCommand, NamesTheConnectionsWhereTheyLimit) {
  const TestFolder folder;
  const std::string job =
      "collective --op all-reduce --bytes 1GB --gpus 16 --gpus-per-node 8 "
      "--intra nvswitch3 --net 400gbe --set transport=";
  EXPECT_THAT(answer(folder, job + "tcp")["bottleneck"].get<std::string>(),
              HasSubstr("tcp connections"));
  const std::string remedy = answer(folder, job + "tcp")["warnings"].dump();
  EXPECT_THAT(remedy, HasSubstr("--set connections="));
  EXPECT_THAT(remedy, HasSubstr("--set transport=rdma"));
  EXPECT_THAT(answer(folder, job + "rdma")["bottleneck"].get<std::string>(),
              HasSubstr("network cards"));
}

// As many people write it, and what to write instead of what nobody can read.
TEST(CollectiveCommand, ReadsRatesInGbpsAndNamesTheUnitsOfOthers) {
  const TestFolder folder;
  const std::string job =
      "collective --bytes 1GB --gpus 16 --gpus-per-node 8 --intra nvswitch3 --net ";
  EXPECT_EQ(answer(folder, job + "'25 Gbps'")["time_s"],
            answer(folder, job + "'25 Gb/s'")["time_s"]);
  for (const char* rate : {"'25 gbps'", "'25 Gb'", "'25G'"}) {
    const TestOutcome outcome = run_program_in(folder, job + rate);
    EXPECT_EQ(outcome.code, 2) << rate;
    EXPECT_THAT(outcome.err, HasSubstr("Gb/s")) << rate;
  }
}

TEST(TransferCommand, SaysWhereItsFiguresComeFrom) {
  const TestFolder folder;
  const std::string copy = "transfer --direction h2d --bytes '1 GB' --cluster dgx-1-v100";
  EXPECT_THAT(answer(folder, copy)["origins"][0]["source"].get<std::string>(),
              HasSubstr("copy.pinned"));
  EXPECT_THAT(run_program_in(folder, copy).out, HasSubstr("rate of pcie3-x16, "));
}

TEST(TransferCommand, NamesTheLinkThatLimits) {
  const TestFolder folder;
  const json found =
      answer(folder, "transfer --direction d2h --bytes '1 GB' --cluster dgx-1-v100 --from 0,1");
  EXPECT_THAT(found["bottleneck"].get<std::string>(), HasSubstr("pcie3"));
  EXPECT_THAT(found["bottleneck"].get<std::string>(), HasSubstr("shared"));
  EXPECT_EQ(found["config"]["copies"], 2);
}

// A log of nccl-tests, with or without a launcher's prefixes, becomes constants of the machine's
// links, and those a prediction: within a few per cent of the log.
TEST(ImportCommand, MeasurementsOfAMachinePredictItsCollectives) {
  const TestFolder folder;
  for (const char* log : {"nccl.log", "nccl-prefixed.log"}) {
    const TestOutcome imported = run_program_in(
        folder, "import nccl-tests " + std::string(log) + " --op all-reduce -o m.json");
    EXPECT_EQ(imported.code, 0) << imported.err;
    const TestOutcome fitted =
        run_program_in(folder, "calibrate m.json --cluster dgx-a100 -o links.json --report");
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    EXPECT_THAT(fitted.out, HasSubstr("held-out"));
    const json found = answer(folder,
                              "collective --bytes 16777216 --cluster dgx-a100 --gpus 2 "
                              "--parameters links.json");
    EXPECT_NEAR(found["time_s"]["median"].get<double>() / 123.8e-6, 1, 0.1);
  }
}

// What nvbandwidth measured of copies becomes a link of that rate, which other commands take.
TEST(CalibrateCommand, CopiesOfNvbandwidthBecomeALink) {
  const TestFolder folder;
  EXPECT_EQ(run_program_in(folder, "import nvbandwidth nvbandwidth-good.json -o m.json").code, 0);
  const TestOutcome fitted =
      run_program_in(folder, "calibrate m.json --link pcie4-x16 -o own.json --report");
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("achieves 20.0 GB/s (19.6 GB/s to 20.4 GB/s in 4 cells)"));
  const auto rate = [&](const std::string& link) {
    return answer(folder,
                  "transfer --direction h2d --bytes '4 GB' --link " + link)["rate_bytes_per_s"]
        .get<double>();
  };
  EXPECT_NEAR(rate("own.json") / rate("pcie4-x16"), 20 / 26.1, 0.01);
  EXPECT_THAT(
      answer(folder, "collective --bytes 1GB --gpus 4 --device a30 --intra own.json").dump(),
      HasSubstr("pcie4"));
  const std::pair<const char*, const char*> refused[] = {
      {"calibrate m.json --report", "--link"},
      {"calibrate m.json --link pcie3-x16 --report", "data sheet"},
      {"calibrate m.json --link nvswitch2 --report", "device_to_device"},
      {"calibrate m.json --link nvlink2-cube-mesh --report", "which pairs"},
      {"calibrate m.json --link pcie4-x16 --cluster dgx-a100 --report", "--cluster"},
      {"calibrate m.json --link pcie4-x16 --install", "--install"}};
  for (const auto& [command, says] : refused) {
    const TestOutcome outcome = run_program_in(folder, command);
    EXPECT_GE(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << command;
  }
}

TEST(CalibrateCommand, TellsKernelsFromCollectives) {
  const TestFolder folder;
  EXPECT_EQ(run_program_in(folder, "import nccl-tests nccl.log --op all-reduce -o m.json").code, 0);
  const TestOutcome without = run_program_in(folder, "calibrate m.json -o links.json");
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("--cluster"));
  EXPECT_EQ(run_program_in(folder, "calibrate m.json --cluster dgx-a100 --install").code, 2);
}

}  // namespace
}  // namespace paceline
