// Every network of the catalog against the counts that its authors or its definition give.
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

struct Published {
  std::string name;
  std::string variant;
  std::int64_t parameters;
  double forward_flops;  // per sample; 0: not published
  std::string source;
};

std::ostream& operator<<(std::ostream& out, const Published& network) {
  return out << network.name << (network.variant.empty() ? "" : "/") << network.variant;
}

WorkloadGraph build(const std::string& name, const std::string& variant = "",
                    std::int64_t batch = 1) {
  WorkloadOptions options;
  options.batch = batch;
  if (!variant.empty()) options.choose["variant"] = variant;
  return build_workload(workload_registry(), name, options);
}

class PublishedCounts : public testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, AreReproducedExactly) {
  const Published& network = GetParam();
  const WorkloadGraph graph = build(network.name, network.variant);
  EXPECT_EQ(graph.parameters(), network.parameters) << network.source;
  if (network.forward_flops > 0) {
    EXPECT_DOUBLE_EQ(graph.forward_flops().si(), network.forward_flops) << network.source;
  }
}

const std::string kShi = "Shi et al. 2016, from the definition files of hclhkbu/dlbench";
const std::string kTorchvision = "torchvision 0.14 model definitions";

INSTANTIATE_TEST_SUITE_P(
    Catalog, PublishedCounts,
    testing::Values(
        Published{"fcn-r", "", 14205962, 2.0 * 14198784, kShi},
        Published{"fcn-r", "cntk-swapped-layers", 13714442, 2.0 * 13707264, kShi},
        Published{"fcn-s", "", 117997696, 2.0 * (117997696 - 3 * 2048 - 26752), kShi},
        Published{"fcn-s-8", "", 130586752, 2.0 * (130586752 - 6 * 2048 - 26752), kShi},
        Published{"ffn-5", "", 11492328, 2.0 * (11492328 - 3 * 2048 - 1000), kShi},
        Published{"ffn-8", "", 24081384, 2.0 * (24081384 - 6 * 2048 - 1000), kShi},
        Published{"alexnet", "", 62378344, 0, kShi},
        Published{"alexnet", "caffe-224", 62378344, 0, kShi},
        Published{"alexnet", "tf-same-padding", 76009832, 0, kShi},
        Published{"alexnet", "mxnet-broken-alexnet", 11135720, 0, kShi},
        Published{"resnet50", "", 25557032, 8178368512, kTorchvision},
        Published{"resnet50", "stride-in-1x1", 25557032, 7715946496, "He et al. 2015"},
        Published{"resnet18", "", 11689512, 0, kTorchvision},
        Published{"resnet34", "", 21797672, 0, kTorchvision},
        Published{"resnet101", "", 44549160, 0, kTorchvision},
        Published{"resnet152", "", 60192808, 0, kTorchvision},
        Published{"resnet20", "", 269722, 0, "He et al. 2015: 0.27 M"},
        Published{"resnet56", "", 853018, 0, "He et al. 2015: 0.85 M"},
        Published{"resnet110", "", 1727962, 0, "He et al. 2015: 1.7 M"},
        Published{"alexnet-cifar", "", 85098, 0, kShi},
        Published{"alexnet-cifar", "caffe-ceil", 89578, 0, kShi},
        Published{"vgg11", "", 132863336, 0, kTorchvision},
        Published{"vgg13", "", 133047848, 0, kTorchvision},
        Published{"vgg16", "", 138357544, 0, kTorchvision},
        Published{"vgg19", "", 143667240, 0, kTorchvision},
        Published{"overfeat", "", 145920872, 0, "soumith/convnet-benchmarks: 145 M"},
        Published{"googlenet", "bvlc", 13378280, 0, "BVLC/caffe: 6,998,552 and two classifiers"},
        Published{"googlenet", "batch-norm", 13004888, 0, kTorchvision},
        Published{"inception-v3", "", 27161264, 0, kTorchvision},
        Published{"inception-v4", "", 42679816, 0, "timm inception_v4"},
        Published{"densenet121", "", 7978856, 0, kTorchvision},
        Published{"densenet161", "", 28681000, 0, kTorchvision},
        Published{"densenet169", "", 14149480, 0, kTorchvision},
        Published{"densenet201", "", 20013928, 0, kTorchvision},
        Published{"squeezenet", "1.0", 1248424, 0, kTorchvision},
        Published{"squeezenet", "1.1", 1235496, 0, kTorchvision},
        Published{"mobilenet-v2", "", 3504872, 0, kTorchvision},
        Published{"vit-b-16", "", 86567656, 0, kTorchvision},
        Published{"diffusion-unet", "", 859520964, 0, "Stable Diffusion 1: 859.52 M"},
        Published{"lstm-ptb", "one-bias", 6180624, 0, kShi},
        Published{"lstm-ptb", "", 6182672, 0, "nn.LSTM keeps two bias vectors per gate"}));

// Rounded figures of the same source: within half of the last digit.
TEST(Catalog, AlexNetVariantsDoTheWorkTheirDefinitionsSay) {
  EXPECT_NEAR(build("alexnet", "caffe-224").forward_flops().si(), 2.263e9, 0.0005e9);
  EXPECT_NEAR(build("alexnet", "tf-same-padding").forward_flops().si(), 2.540e9, 0.0005e9);
  EXPECT_NEAR(build("alexnet", "mxnet-broken-alexnet").forward_flops().si(), 1.144e9, 0.0005e9);
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

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return std::regex_replace(info.param, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryWorkload, testing::ValuesIn(workload_registry().names()),
                         test_name);

}  // namespace
}  // namespace paceline
