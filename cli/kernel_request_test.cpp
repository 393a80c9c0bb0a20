#include "cli/kernel_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

namespace paceline {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;

KernelRequest read(Values values) {
  return read_kernel_request(Arguments({}, std::move(values), std::cout));
}

std::string refusal(Values values) {
  try {
    read(std::move(values));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KernelRequest, ReadsAProductInBlasConvention) {
  const KernelRequest request = read({{"op", {"gemm"}},
                                      {"m", {"2"}},
                                      {"n", {"3"}},
                                      {"k", {"5"}},
                                      {"trans-a", {"T"}},
                                      {"precision", {"bf16"}}});
  ASSERT_EQ(request.kernels.size(), 1u);
  EXPECT_EQ(to_string(request.kernels[0].shape), "gemm TN 2x3x5");
  EXPECT_EQ(request.kernels[0].precision, Precision::kBf16);
}

// The backward pass of a recurrent layer is two calls: gradients of the data, then of the weights.
TEST(KernelRequest, MakesTwoKernelsOfARecurrentBackwardPass) {
  const Values flags = {{"op", {"lstm"}}, {"pass", {"backward"}}, {"hidden", {"16"}},
                        {"batch", {"2"}}, {"steps", {"3"}},       {"skip-input", {}}};
  const KernelRequest request = read(flags);
  ASSERT_EQ(request.kernels.size(), 2u);
  EXPECT_EQ(to_string(request.kernels[1].shape), "rnn wgrad g4 i0 h16 b2 t3 l1");
}

// "64 MB" of an elementwise operation in fp32 are 8 million values, read once and written once.
TEST(KernelRequest, SharesBytesBetweenReadingAndWriting) {
  const KernelRequest request = read({{"op", {"elementwise"}}, {"bytes", {"64 MB"}}});
  const auto& shape = std::get<StreamShape>(request.kernels[0].shape);
  EXPECT_EQ(shape.elements, 8000000);
  EXPECT_DOUBLE_EQ(shape.read.si(), 32e6);
}

// Each extent is possible alone; their product fits no memory, and some not even 64 bits.
TEST(KernelRequest, RefusesOperandsBeyondAnyMemory) {
  const std::string most = "1099511627776";
  const std::vector<Values> too_large = {
      {{"op", {"conv"}},
       {"n", {"1000000000"}},
       {"c", {"1000000"}},
       {"h", {"56000"}},
       {"w", {"56000"}},
       {"k", {"640000"}},
       {"r", {"3"}},
       {"s", {"3"}}},
      {{"op", {"conv"}},
       {"n", {"1"}},
       {"c", {"1"}},
       {"h", {"8"}},
       {"w", {"8"}},
       {"k", {"1"}},
       {"r", {"3"}},
       {"s", {"3"}},
       {"pad-h", {most}},
       {"pad-w", {most}}},
      {{"op", {"gemm"}}, {"m", {most}}, {"n", {most}}, {"k", {"1"}}},
      {{"op", {"attention"}},
       {"batch", {most}},
       {"seq", {most}},
       {"heads", {most}},
       {"head-dim", {"64"}}},
      {{"op", {"lstm"}}, {"hidden", {most}}, {"batch", {most}}, {"steps", {most}}},
      {{"op", {"layernorm"}}, {"rows", {most}}, {"row", {most}}}};
  for (const Values& values : too_large) {
    EXPECT_THAT(refusal(values), testing::HasSubstr("at most 1.00 PB are possible"))
        << values.at("op")[0];
  }
}

TEST(KernelRequest, SaysWhatIsWrong) {
  EXPECT_EQ(refusal({{"op", {"gem"}}}), "unknown --op \"gem\"; did you mean gemm?");
  EXPECT_EQ(refusal({{"op", {"gemm"}}}), "--m is required");
  EXPECT_EQ(refusal({{"op", {"gemm"}}, {"m", {"0"}}, {"n", {"1"}}, {"k", {"1"}}}),
            "--m \"0\" is not a whole number from 1 to 1099511627776");
  EXPECT_EQ(refusal({{"op", {"gemm"}}, {"heads", {"4"}}}), "--heads has no meaning for --op gemm");
  EXPECT_EQ(refusal({{"op", {"softmax"}}, {"bytes", {"1 MB"}}, {"pass", {"dgrad"}}}),
            "unknown --pass \"dgrad\"; known: forward, backward");
  EXPECT_EQ(refusal({{"op", {"conv"}},
                     {"n", {"1"}},
                     {"c", {"3"}},
                     {"h", {"2"}},
                     {"w", {"2"}},
                     {"k", {"1"}},
                     {"r", {"3"}},
                     {"s", {"3"}}}),
            "the filter is larger than the padded input");
}

}  // namespace
}  // namespace paceline
