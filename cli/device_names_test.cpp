// A device of a file wherever a device of the catalog may stand, and one name for it everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/test_program.h"
#include "core/text_file.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class DeviceByItsFile : public testing::Test {
 protected:
  json result(const std::string& command) {
    const TestOutcome outcome = run_program_in(folder_, command + " --json");
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  void write(const std::string& name, const std::string& text) {
    write_text_file(folder_.path() / name, text);
  }
  TestFolder folder_;
};

// Predictions say what they are made for as kernels do: by the name that the file states.
TEST_F(DeviceByItsFile, HasOneNameInEveryCommand) {
  const std::string kernel = "kernel --op gemm --m 64 --n 64 --k 64 --device ";
  const std::string job = "--model fcn-r --batch 8 --device ";
  for (const char* file : {"good.json", "my-device.json"}) {
    const auto name = result(kernel + file)["device"].get<std::string>();
    EXPECT_FALSE(name.ends_with(".json")) << name;
    for (const char* command : {"predict ", "memory ", "explain "}) {
      const json config = result(command + job + file)["config"];
      EXPECT_EQ(config["device"], name) << command;
      EXPECT_EQ(config["device_given"], file) << command;
    }
    EXPECT_THAT(run_program_in(folder_, "predict " + job + file).out,
                HasSubstr(" on " + name + ","));
  }
  EXPECT_FALSE(result("predict " + job + "t4")["config"].contains("device_given"));
}

// Two files of one device are two rows that can be told apart, each with its own times.
TEST_F(DeviceByItsFile, IsToldFromAnotherFileOfThatName) {
  const std::string text = TestFolder::read(folder_.path() / "my-device.json");
  std::string slow = text;
  slow.replace(slow.find("320 GB/s"), 8, "100 GB/s");
  write("slow.json", slow);
  const std::string compare = "compare --model fcn-r --batch 8 --device my-device.json,slow.json";
  const json points = result(compare);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NE(points[0]["iteration_time_s"]["median"], points[1]["iteration_time_s"]["median"]);
  EXPECT_THAT(run_program_in(folder_, compare).out,
              AllOf(HasSubstr("device_given"), HasSubstr("slow.json")));
}

TEST_F(DeviceByItsFile, MayHaveAPrice) {
  std::filesystem::create_directory(folder_.path() / "offers");
  write("offers/own.json",
        R"({"schema": "paceline.prices/1", "date": "2026-11-30", "source": "test",
      "devices": {"../my-device.json": "2 USD/h", "../good.json": "1 USD/h", "t4": "4 USD/h"}})");
  const json points = result(
      "compare --model fcn-r --batch 8 --device my-device.json,good.json,t4 --prices "
      "offers/own.json --by price");
  ASSERT_EQ(points.size(), 3u);
  for (const json& point : points) {
    EXPECT_GT(point["comparison"]["samples_per_money"]["median"].get<double>(), 0);
  }
  write("bad.json", R"({"schema": "paceline.prices/1", "date": "2026-11-30", "source": "test",
      "devices": {"none.json": "2 USD/h"}})");
  const TestOutcome missing =
      run_program_in(folder_, "compare --model fcn-r --batch 8 --device t4 --prices bad.json");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("bad.json:/devices/none.json"));
}

TEST_F(DeviceByItsFile, MayBeOfAClusterFile) {
  const std::string catalog = TestFolder::read(std::filesystem::path(PACELINE_SOURCE_DIR) /
                                               "model/catalog/clusters/k80-board.json");
  std::string mine = catalog;
  for (std::size_t at; (at = mine.find("\"k80\"")) != std::string::npos;) {
    mine.replace(at, 5, "\"my-device.json\"");
  }
  ASSERT_NE(mine, catalog);
  write("mine-cluster.json", mine);
  const json point =
      result("predict --model alexnet --batch 8 --strategy ddp --cluster mine-cluster.json");
  EXPECT_EQ(point["config"]["device"], "mine");
  EXPECT_EQ(point["config"]["gpus"], 2);
  result("collective --op all-reduce --bytes 1MB --cluster mine-cluster.json");
  std::string wrong = mine;
  wrong.replace(wrong.find("my-device.json"), 14, "no-device.json");
  write("wrong-cluster.json", wrong);
  const TestOutcome missing = run_program_in(
      folder_, "collective --op all-reduce --bytes 1MB --cluster wrong-cluster.json");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr("wrong-cluster.json: node "), HasSubstr("no-device.json")));
}

TEST_F(DeviceByItsFile, RunsCollectivesAsTheSameDeviceOfTheCatalog) {
  const std::string command = "collective --op all-reduce --bytes 1MB --gpus 4 --intra pcie3-x16 ";
  EXPECT_EQ(result(command + "--device my-device.json")["time_s"],
            result(command + "--device t4")["time_s"]);
  const TestOutcome cpu = run_program_in(folder_, command + "--device good.json");
  EXPECT_EQ(cpu.code, 3);
  EXPECT_THAT(cpu.err, HasSubstr("good.json: parameters of"));
}

TEST_F(DeviceByItsFile, IsCheckedAgainstItsPeak) {
  const std::string check = "check --precision fp16 --peak '65 TFLOP/s' --mfu 33% --device ";
  EXPECT_EQ(result(check + "my-device.json")["verdict"], result(check + "t4")["verdict"]);
  const TestOutcome claimed =
      run_program_in(folder_, "check --mfu 133% --precision fp16 --device my-device.json");
  EXPECT_EQ(claimed.code, 4);
  EXPECT_THAT(claimed.out, HasSubstr("for mine"));
  const TestOutcome cpu = run_program_in(folder_, "check --mfu 33% --device good.json");
  EXPECT_EQ(cpu.code, 2);
  EXPECT_THAT(cpu.err, HasSubstr("a device file"));
}

// As any other flag: each with the devices that it has.
TEST(CompareCommand, TakesAListOfClusters) {
  const TestFolder folder;
  const std::string compare =
      "compare --model alexnet --batch 32 --strategy ddp --cluster dgx-1-p100,k80-board";
  const TestOutcome list = run_program_in(folder, compare + " --json");
  ASSERT_EQ(list.code, 0) << list.err;
  const json points = json::parse(list.out);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0]["config"]["device"], "p100-sxm2");
  EXPECT_EQ(points[0]["config"]["gpus"], 8);
  EXPECT_EQ(points[1]["config"]["device"], "k80");
  EXPECT_EQ(points[1]["config"]["gpus"], 2);
  EXPECT_THAT(run_program_in(folder, compare).out,
              AllOf(HasSubstr("cluster"), HasSubstr("dgx-1-p100"), HasSubstr("k80-board")));
  // A point that cannot be is left out, not the others.
  const TestOutcome two = run_program_in(folder, compare + " --gpus 2,8 --json");
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(json::parse(two.out).size(), 3u);
  EXPECT_THAT(two.err, HasSubstr("skipped: "));
}

}  // namespace
}  // namespace paceline
