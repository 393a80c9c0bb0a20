// Laws of every network of the catalog, and what is refused. Counts: published_counts_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "core/error.h"
#include "model/graph/work.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

using ::testing::HasSubstr;

WorkloadGraph build(const std::string& name, const std::string& variant = "",
                    std::int64_t batch = 1) {
  WorkloadOptions options;
  options.batch = batch;
  if (!variant.empty()) options.choose["variant"] = variant;
  return build_workload(workload_registry(), name, options);
}

// The recorder states the parameter count of each network it trains in its docstring.
TEST(Catalog, AgreesWithTheRecordersDefinitions) {
  std::ifstream file(PACELINE_SOURCE_DIR "/validation/recorders/networks.py");
  ASSERT_TRUE(file);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex count("([0-9]{1,3}(,[0-9]{3})+) parameters");
  std::vector<std::int64_t> stated;
  for (std::sregex_iterator i(text.begin(), text.end(), count), end; i != end; ++i) {
    const std::string digits = std::regex_replace((*i)[1].str(), std::regex(","), "");
    stated.push_back(std::stoll(digits));
  }
  ASSERT_EQ(stated.size(), 7u);
  for (const std::string name :
       {"fcn-r", "fcn-s", "alexnet", "resnet50", "lstm-ptb", "transformer-tiny", "tiny-mlp"}) {
    EXPECT_THAT(stated, testing::Contains(build(name).parameters())) << name;
  }
}

TEST(Catalog, RefusesUnknownNamesOptionsAndVariantsWithTheNearest) {
  const WorkloadRegistry registry = workload_registry();
  const auto message = [&](const std::string& name, WorkloadOptions options) -> std::string {
    try {
      build_workload(registry, name, options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("resnet5", {}), HasSubstr("resnet50"));
  EXPECT_THAT(message("alexnet", {.choose = {{"varant", "x"}}}), HasSubstr("variant"));
  EXPECT_THAT(message("alexnet", {.choose = {{"variant", "tf-same-pading"}}}),
              HasSubstr("tf-same-padding"));
  EXPECT_THAT(message("vgg16", {.choose = {{"variant", "x"}}}), HasSubstr("vgg16"));
  EXPECT_THAT(message("resnet50", {.seq = 128}), HasSubstr("has no sequence"));
  EXPECT_THAT(message("lstm-ptb", {.seq = 0}), HasSubstr("at least 1"));
  EXPECT_THAT(message("resnet50", {.batch = 0}), HasSubstr("at least 1"));
}

// Laws that hold for every network, at two batch sizes.
class EveryWorkload : public testing::TestWithParam<std::string> {};

TEST_P(EveryWorkload, ScalesWithTheBatchAndTrainsEveryParameter) {
  const WorkloadGraph one = build(GetParam());
  const WorkloadGraph four = build(GetParam(), "", 4);
  EXPECT_EQ(one.parameters(), four.parameters());
  EXPECT_GT(one.parameters(), 0);
  EXPECT_NEAR(four.forward_flops().si(), 4 * one.forward_flops().si(),
              1e-9 * four.forward_flops().si());
  // Backward is twice forward except where the network's input needs no gradient.
  EXPECT_LE(one.training_flops(), 3 * one.forward_flops());
  EXPECT_GT(one.training_flops(), 2 * one.forward_flops());
  EXPECT_GT(four.saved_bytes(), one.saved_bytes());
  // The loss comes last and is a scalar.
  EXPECT_EQ(one.shape(one.ops().back().output), TensorShape{});
}

TEST_P(EveryWorkload, ListsItsSourceAndInput) {
  const WorkloadRegistry registry = workload_registry();
  const auto workload = registry.make(GetParam());
  EXPECT_FALSE(workload->source.empty());
  EXPECT_FALSE(workload->input.empty());
  EXPECT_FALSE(registry.find(GetParam())->summary.empty());
}

TEST_P(EveryWorkload, BuildsInEveryVariantAndPrecision) {
  const WorkloadRegistry registry = workload_registry();
  const auto workload = registry.make(GetParam());
  for (const WorkloadVariant& variant : workload->variants) {
    EXPECT_FALSE(variant.summary.empty()) << variant.name;
    build(GetParam(), variant.name);
  }
  const WorkloadGraph fp32 = build(GetParam());
  const WorkloadGraph bf16 = build_workload(registry, GetParam(), {.precision = Precision::kBf16});
  EXPECT_EQ(bf16.forward_flops(), fp32.forward_flops());
  EXPECT_EQ(bf16.parameters(), fp32.parameters());
  EXPECT_NE(bf16.saved_bytes(), fp32.saved_bytes());
}

// What an update of WGAN's critic copies to the device: real images, noise and the ones from which
// the critic's gradient starts. Generated images, the points between and masks are made there.
TEST(Catalog, AnUpdateOfWgansCriticCopiesRealImages) {
  const WorkloadGraph graph = build("wgan-gp", "critic-step", 8);
  Bytes copied;
  for (const TensorId input : graph.inputs()) copied += graph.tensor(input).bytes();
  EXPECT_EQ(copied, 8.0 * Bytes(4 * (3 * 64 * 64 + 128 + 1)));
}

// Its penalty differentiates the critic's gradient, which reads what the pass over the points
// between images computed: every convolution of that pass but those behind the last ReLU gets a
// gradient from it, and nothing that is not read is run.
TEST(Catalog, WgansPenaltyFlowsThroughTheCriticTwice) {
  const WorkloadGraph graph = build("wgan-gp", "critic-step");
  std::vector<std::int64_t> readers(graph.tensors().size(), 0);
  for (const Op& op : graph.ops()) {
    for (const TensorId input : op.inputs) ++readers[static_cast<std::size_t>(input)];
  }
  int convolutions = 0;
  for (const Op& op : graph.ops()) {
    if (&op != &graph.ops().back()) {
      EXPECT_GT(readers[static_cast<std::size_t>(op.output)], 0) << op.name;
    }
    if (!op.name.starts_with("mixed.") || !std::holds_alternative<Conv2d>(op.attributes)) continue;
    ++convolutions;
    EXPECT_TRUE(graph.tensor(op.output).needs_gradient) << op.name;
  }
  EXPECT_EQ(convolutions, 1 + 3 * 3 + 1);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return std::regex_replace(info.param, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryWorkload, testing::ValuesIn(workload_registry().names()),
                         test_name);

}  // namespace
}  // namespace paceline
