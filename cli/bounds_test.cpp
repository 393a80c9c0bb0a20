// What bounds an iteration and what bounds its kernels are one label, added up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// "50 % of the iteration is limited by memory traffic, 18 % in X alone": both from the table.
TEST(Bounds, OfTheIterationAreThoseOfItsKernels) {
  const TestFolder folder;
  for (const char* job : {"--batch 64 --precision fp16 --device rtx-3090",
                          "--batch 64 --precision fp32 --device v100-sxm2-16g",
                          "--batch 64 --precision bf16 --device h100-sxm"}) {
    const json explained = json::parse(
        run_program_in(folder, "explain --json --model resnet50 " + std::string(job)).out);
    const std::string resource = explained["bottleneck"]["resource"];
    ASSERT_THAT(resource, testing::AnyOf("gpu memory", "gpu compute")) << job;
    const char* bound = resource == "gpu memory" ? "memory_bound_s" : "compute_bound_s";
    double all = 0, bounded = 0, most = 0;
    std::string top;
    for (const json& part : explained["implementations"]) {
      all += part["time_s"].get<double>();
      const double time = part[bound];
      bounded += time;
      if (time > most) most = time, top = part["implementation"];
    }
    EXPECT_NEAR(explained["bottleneck"]["share"].get<double>(), bounded / all, 0.01) << job;
    const std::string text = explained["bottleneck"]["text"];
    EXPECT_THAT(text, HasSubstr(" in " + top + " alone")) << job;
    const std::size_t at = text.find(", ");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_NEAR(std::stod(text.substr(at + 2)), 100 * most / all, 1) << text;
  }
}

// 528 FLOP for each byte of the operands, and memory bounds it: its transforms are moved as well.
TEST(Bounds, OfAStagedAlgorithmNameWhatElseItMoves) {
  const TestFolder folder;
  const std::string shape =
      "kernel --op conv --pass wgrad --n 64 --c 256 --h 14 --w 14 --k 256 --r 3 --s 3 --pad-h 1 "
      "--pad-w 1 --device v100-sxm2-16g ";
  EXPECT_THAT(run_program_in(folder, shape).out,
              HasSubstr("memory, winograd-staged, which also writes and reads its workspace"));
  EXPECT_THAT(run_program_in(folder, shape + "--workspace 0B").out,
              Not(HasSubstr("reads its workspace")));
}

TEST(Bounds, OfAKernelTableSayWhatItsRatesCount) {
  const TestFolder folder;
  EXPECT_THAT(run_program_in(folder, "explain --all --model resnet50 --batch 64 --device t4").out,
              HasSubstr("rates count direct convolution"));
  EXPECT_THAT(
      run_program_in(folder, "explain --all --model bert-base --batch 8 --seq 128 --device t4").out,
      Not(HasSubstr("rates count direct convolution")));
}

}  // namespace
}  // namespace paceline
