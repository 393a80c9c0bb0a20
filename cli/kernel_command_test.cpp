// paceline kernel over lists of shapes, precisions and devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TestOutcome kernel(const std::string& flags) {
  const TestFolder folder;
  return run_program_in(folder, "kernel --op gemm --n 64 --k 64 " + flags);
}

// Every point of a sweep is what it is alone; the flag that is listed first varies slowest.
TEST(KernelCommand, SweepsShapesPrecisionsAndDevicesInInputOrder) {
  const TestOutcome sweep = kernel("--m 32,64 --precision fp32,fp16 --device t4,p40 --json");
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_THAT(sweep.err, AllOf(HasSubstr("skipped"), HasSubstr("p40"))) << "it has no fp16";
  const json points = json::parse(sweep.out);
  std::vector<json> alone;
  for (const char* point :
       {"--precision fp32 --m 32 --device t4", "--precision fp32 --m 32 --device p40",
        "--precision fp32 --m 64 --device t4", "--precision fp32 --m 64 --device p40",
        "--precision fp16 --m 32 --device t4", "--precision fp16 --m 64 --device t4"}) {
    alone.push_back(json::parse(kernel(std::string(point) + " --json").out));
  }
  EXPECT_EQ(points, json(alone));
}

// No convolution was timed on an RTX 4090: where the price in 16 bits is that of fp32, it says so;
// where images need no conversion, it is not.
TEST(KernelCommand, SaysThatAPriceIsOfWiderArithmetic) {
  const TestFolder folder;
  const auto price = [&](const std::string& flags) {
    const std::string shape =
        "kernel --op conv --pass forward --n 64 --c 64 --h 56 --w 56 --k 64 "
        "--r 3 --s 3 --pad-h 1 --pad-w 1 --device rtx-4090 --json ";
    return json::parse(run_program_in(folder, shape + flags).out);
  };
  const json wide = price("--precision fp32"), narrow = price("--precision fp16");
  EXPECT_EQ(narrow.at("time_s"), wide.at("time_s"));
  ASSERT_EQ(narrow.at("warnings").size(), 1U);
  EXPECT_THAT(narrow.at("warnings").front().get<std::string>(),
              AllOf(HasSubstr("fp32"), HasSubstr("fp16")));
  EXPECT_TRUE(wide.at("warnings").empty());
  const json last = price("--precision fp16 --channels-last");
  EXPECT_TRUE(last.at("warnings").empty());
  EXPECT_LT(last.at("time_s").at("median"), wide.at("time_s").at("median"));
}

// Not the elements of all of them.
TEST(KernelCommand, CountsTheRowsOfAStream) {
  const TestFolder folder;
  const std::string softmax = "kernel --op softmax --rows 4096 --row 1000 --device t4 ";
  EXPECT_THAT(run_program_in(folder, softmax).out, HasSubstr("stream 4096 rows of 1000, fp32"));
  const json point = json::parse(run_program_in(folder, softmax + "--json").out);
  EXPECT_EQ(point.at("kernel"), "stream 4096 rows of 1000");
}

TEST(KernelCommand, PutsASweepInATable) {
  const TestOutcome text = kernel("--m 16-64*2 --device t4");
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 4) << text.out;
  EXPECT_THAT(text.out, AllOf(HasSubstr("gemm NN 16x64x64"), HasSubstr("gemm NN 64x64x64"),
                              HasSubstr("algorithm"), Not(HasSubstr("clock"))));
  const TestOutcome csv = kernel("--m 64 --device t4 --clock 585MHz,1590MHz --csv");
  EXPECT_THAT(csv.out, AllOf(HasSubstr("origin,clock"), HasSubstr("585MHz")));
}

// Rows that differ in nothing else would not say which point they are.
TEST(KernelCommand, NamesInEveryFormatWhatTheShapeDoesNotSay) {
  const TestFolder folder;
  struct Varied {
    std::string flags, flag, first, second;
  };
  for (const auto& [flags, flag, first, second] :
       {Varied{"--op gemm --m 64 --n 64 --k 64 --device t4", "clock", "585MHz", "1590MHz"},
        Varied{"--op gemm --m 64 --n 64 --k 64 --device e5-2630-v3", "threads", "1", "8"},
        Varied{"--op optimizer --elements 4096 --device t4", "optimizer", "adam", "sgd"},
        Varied{"--op softmax --rows 64 --row 64 --device t4", "pass", "forward", "backward"},
        Varied{"--rows 64 --row 64 --device t4", "op", "softmax", "layernorm"}}) {
    const std::string command = "kernel " + flags + " --" + flag + " " + first + "," + second + " ";
    const TestOutcome got = run_program_in(folder, command + "--json");
    ASSERT_EQ(got.code, 0) << command << got.err;
    const json points = json::parse(got.out);
    ASSERT_EQ(points.size(), 2u) << command << got.err;
    EXPECT_EQ(points.at(0).at(flag), first);
    EXPECT_EQ(points.at(1).at(flag), second);
    EXPECT_THAT(run_program_in(folder, command + "--csv").out, HasSubstr("," + flag + "\n"));
  }
}

TEST(KernelCommand, FailsIfEveryPointDoes) {
  const TestOutcome outcome = kernel("--m 64 --precision bf16,fp8 --device t4");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace paceline
