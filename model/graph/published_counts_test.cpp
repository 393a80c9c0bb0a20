// Every network of the catalog against the counts that its authors publish, or where nobody does,
// against its definition added up by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/graph/work.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

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

WorkloadGraph build(const std::string& name, const std::string& variant = "") {
  WorkloadOptions options;
  if (!variant.empty()) options.choose["variant"] = variant;
  return build_workload(workload_registry(), name, options);
}

const std::string kShi = "Shi et al. 2016, from the definition files of hclhkbu/dlbench";
const std::string kTorchvision = "torchvision 0.14 model definitions";
const std::string kHuggingFace = "num_parameters() of the Hugging Face model";
const std::string kMosaicMl = "NumParams of the rows of llm-foundry's tables at sequence 2048";

const std::vector<Published>& published() {
  static const std::vector<Published> table = {
      {"fcn-r", "", 14205962, 2.0 * 14198784, kShi},
      {"fcn-r", "cntk-swapped-layers", 13714442, 2.0 * 13707264, kShi},
      {"fcn-s", "", 117997696, 2.0 * (117997696 - 3 * 2048 - 26752), kShi},
      {"fcn-s-8", "", 130586752, 2.0 * (130586752 - 6 * 2048 - 26752), kShi},
      {"ffn-5", "", 11492328, 2.0 * (11492328 - 3 * 2048 - 1000), kShi},
      {"ffn-8", "", 24081384, 2.0 * (24081384 - 6 * 2048 - 1000), kShi},
      {"alexnet", "", 62378344, 0, kShi},
      {"alexnet", "caffe-224", 62378344, 0, kShi},
      {"alexnet", "tf-same-padding", 76009832, 0, kShi},
      {"alexnet", "mxnet-broken-alexnet", 11135720, 0, kShi},
      {"alexnet-cifar", "", 85098, 0, kShi},
      {"alexnet-cifar", "caffe-ceil", 89578, 0, kShi},
      {"lstm-ptb", "one-bias", 6180624, 0, kShi},
      {"lstm-ptb", "", 6182672, 0, "nn.LSTM keeps two bias vectors per gate"},
      {"resnet18", "", 11689512, 0, kTorchvision},
      {"resnet34", "", 21797672, 0, kTorchvision},
      {"resnet50", "", 25557032, 8178368512, kTorchvision},
      {"resnet50", "stride-in-1x1", 25557032, 7715946496, "He et al. 2015"},
      {"resnet101", "", 44549160, 0, kTorchvision},
      {"resnet152", "", 60192808, 0, kTorchvision},
      {"resnet20", "", 269722, 0, "He et al. 2015: 0.27 M"},
      {"resnet56", "", 853018, 0, "He et al. 2015: 0.85 M"},
      {"resnet110", "", 1727962, 0, "He et al. 2015: 1.7 M"},
      {"vgg11", "", 132863336, 0, kTorchvision},
      {"vgg13", "", 133047848, 0, kTorchvision},
      {"vgg16", "", 138357544, 0, kTorchvision},
      {"vgg19", "", 143667240, 0, kTorchvision},
      {"overfeat", "", 145920872, 0, "soumith/convnet-benchmarks: 145 M"},
      {"googlenet", "bvlc", 13378280, 0, "BVLC/caffe: 6,998,552 and two classifiers"},
      {"googlenet", "batch-norm", 13004888, 0, kTorchvision},
      {"inception-v3", "", 27161264, 0, kTorchvision},
      {"inception-v4", "", 42679816, 0, "timm inception_v4"},
      {"densenet121", "", 7978856, 0, kTorchvision},
      {"densenet161", "", 28681000, 0, kTorchvision},
      {"densenet169", "", 14149480, 0, kTorchvision},
      {"densenet201", "", 20013928, 0, kTorchvision},
      {"squeezenet", "1.0", 1248424, 0, kTorchvision},
      {"squeezenet", "1.1", 1235496, 0, kTorchvision},
      {"mobilenet-v2", "", 3504872, 0, kTorchvision},
      {"vit-b-16", "", 86567656, 0, kTorchvision},
      {"diffusion-unet", "", 859520964, 0, "Stable Diffusion 1: 859.52 M"},
      {"bert-base", "", 110106428, 0, kHuggingFace},
      {"bert-large", "", 336226108, 0, kHuggingFace},
      {"gpt2", "", 124439808, 0, kHuggingFace},
      {"gpt2-medium", "", 354823168, 0, kHuggingFace},
      {"gpt2-large", "", 774030080, 0, kHuggingFace},
      {"gpt2-xl", "", 1557611200, 0, kHuggingFace},
      {"opt-125m", "", 125239296, 0, kHuggingFace},
      {"opt-350m", "", 331196416, 0, kHuggingFace},
      {"opt-1.3b", "", 1315758080, 0, kHuggingFace},
      {"opt-6.7b", "", 6658473984, 0, kHuggingFace},
      {"opt-13b", "", 12853473280, 0, kHuggingFace},
      {"llama2-7b", "", 6738415616, 0, kHuggingFace},
      {"llama2-13b", "", 13015864320, 0, kHuggingFace},
      {"llama2-70b", "", 68976648192, 0, kHuggingFace},
      {"llama3-8b", "", 8030261248, 0, kHuggingFace},
      {"llama3-70b", "", 70553706496, 0, kHuggingFace},
      {"llama3-405b", "", 405853388800, 0, kHuggingFace},
      {"mistral-7b", "", 7241732096, 0, kHuggingFace},
      {"mixtral-8x7b", "", 46702792704, 0, kHuggingFace},
      {"mpt-125m", "", 125311488, 0, kMosaicMl},
      {"mpt-350m", "", 355985408, 0, kMosaicMl},
      {"mpt-760m", "", 760470528, 0, kMosaicMl},
      {"mpt-1b", "", 1315950592, 0, kMosaicMl},
      {"mpt-3b", "", 2651837440, 0, kMosaicMl},
      {"mpt-7b", "", 6658859008, 0, kMosaicMl},
      {"mpt-7b", "released", 6649286656, 0, kHuggingFace},
      {"mpt-13b", "", 12853954560, 0, kMosaicMl},
      {"mpt-30b", "", 29975214080, 0, kMosaicMl},
      {"mpt-70b", "", 64862437376, 0, kMosaicMl},
      {"t5-small", "", 60506624, 0, kHuggingFace},
      {"t5-base", "", 222903552, 0, kHuggingFace},
      {"t5-large", "", 737668096, 0, kHuggingFace}};
  return table;
}

// LSTM and GRU parameters: input and recurrent weights, and `biases` vectors, of every gate.
constexpr std::int64_t recurrent(std::int64_t gates, std::int64_t input, std::int64_t hidden,
                                 std::int64_t biases) {
  return gates * hidden * (input + hidden + biases);
}
constexpr std::int64_t linear(std::int64_t in, std::int64_t out) { return in * out + out; }

constexpr std::int64_t gpt3(std::int64_t layers, std::int64_t width) {
  return layers * (12 * width * width + 13 * width) + (50257 + 2048) * width + 2 * width;
}
constexpr std::int64_t kSeq2SeqWords = (17191 + 7709) * 512 + 512 * 7709;
constexpr std::int64_t kBahdanau = 2 * 512 * 512 + 512;
// One residual block of the critic or generator, without the normalisations' parameters.
constexpr std::int64_t residual(std::int64_t in, std::int64_t out, std::int64_t middle) {
  return linear(in, out) + 9 * in * middle + 9 * middle * out + out;
}
constexpr std::int64_t bottleneck(std::int64_t in, std::int64_t width) {
  return in * width + 9 * width * width + 4 * width * width;
}

// Exact counts of these are not published: the definition in the source, added up.
const std::vector<Published>& by_definition() {
  static const std::vector<Published> table = {
      {"tiny-mlp", "", 64 * linear(8, 8), 0, "validation/recorders/networks.py"},
      {"transformer-tiny", "", 3704808, 0, "validation/recorders/networks.py states 3,704,808"},
      {"gpt3-175b", "", gpt3(96, 12288), 0, "Brown et al. 2020, table 2.1: 175.0 B"},
      // One embedding of 37000 pieces; attention without biases.
      {"transformer-base", "",
       37000 * 512 + 6 * (4 * 512 * 512 + linear(512, 2048) + linear(2048, 512) + 2 * 1024) +
           6 * (8 * 512 * 512 + linear(512, 2048) + linear(2048, 512) + 3 * 1024),
       0, "Vaswani et al. 2017, table 3: 65 M"},
      {"gnmt", "",
       32320 * 1024 + 2 * recurrent(4, 1024, 1024, 2) + recurrent(4, 2048, 1024, 2) +
           2 * recurrent(4, 1024, 1024, 2) + recurrent(4, 1024, 1024, 2) +
           3 * recurrent(4, 2048, 1024, 2) + 2 * 1024 * 1024 + 2 * 1024 + 1 + linear(1024, 32320),
       0, "NVIDIA DeepLearningExamples GNMT v2, vocabulary of 32320"},
      {"seq2seq-nmt", "",
       kSeq2SeqWords + 3 * recurrent(4, 512, 512, 1) + recurrent(4, 1024, 512, 1) + kBahdanau +
           1024 * 512,
       0, "TensorFlow nmt 1.2 with TBD's settings"},
      // Two bias vectors per LSTM, as the memory profile of the TBD group shows: see below.
      {"sockeye-nmt", "",
       kSeq2SeqWords + 3 * 512 + 7710 + 2 * recurrent(4, 512, 256, 2) +
           2 * recurrent(4, 512, 512, 2) + recurrent(4, 1024, 512, 2) + kBahdanau +
           linear(1024, 512) + 4 * linear(512, 512),
       0, "Sockeye 1.5 with TBD's settings, a word for padding in each vocabulary"},
      {"sockeye-groundhog", "",
       (17192 + 7710) * 620 + linear(1000, 7710) + 2 * recurrent(4, 620, 500, 2) +
           recurrent(4, 1620, 1000, 2) + 2 * 1000 * 1000 + 1000 + linear(2000, 1000) +
           2 * linear(1000, 1000),
       0, "the same with the widths of Bahdanau et al. 2015"},
      {"deep-speech-2", "",
       linear(11 * 41, 32) + linear(32 * 11 * 21, 32) + 2 * 64 + 2 * 672 +
           2 * recurrent(3, 672, 1760, 2) + 6 * (2 * 3520 + 2 * recurrent(3, 3520, 1760, 2)) +
           2 * 3520 + linear(3520, 1760) + linear(1760, 29),
       0, "tbd-ai/tbd-suite deepspeech.cfg"},
      // Stages 2 to 4 of ResNet-101 without normalisation, proposals, two heads.
      {"faster-rcnn", "",
       bottleneck(256, 128) + 256 * 512 + 3 * bottleneck(512, 128) + bottleneck(512, 256) +
           512 * 1024 + 22 * bottleneck(1024, 256) + bottleneck(1024, 512) + 1024 * 2048 +
           2 * bottleneck(2048, 512) + linear(9 * 1024, 512) + linear(512, 18) + linear(512, 36) +
           linear(2048, 21) + linear(2048, 84),
       0, "Ren et al. 2015 with ResNet-101, first stage and normalisation frozen"},
      {"a3c", "",
       linear(4 * 8 * 8, 16) + linear(16 * 4 * 4, 32) + linear(9 * 9 * 32, 256) + linear(256, 4) +
           linear(256, 1),
       0, "Mnih et al. 2016, section 8"},
      {"wgan-gp", "critic-step",
       linear(27, 64) + residual(64, 128, 64) + residual(128, 256, 128) + residual(256, 512, 256) +
           residual(512, 512, 512) + 4 * (64 + 128 + 256 + 512) + linear(16 * 512, 1),
       0, "Gulrajani et al. 2017, GoodDiscriminator of 64"},
      {"wgan-gp", "generator-step",
       linear(128, 16 * 512) + residual(512, 512, 512) + residual(512, 256, 256) +
           residual(256, 128, 128) + residual(128, 64, 64) + 2 * (512 + 512 + 256 + 128) +
           2 * (512 + 256 + 128 + 64) + 2 * 64 + linear(9 * 64, 3),
       0, "Gulrajani et al. 2017, GoodGenerator of 64"},
      {"ncf", "",
       (138493 + 26744) * (64 + 128) + linear(256, 256) + linear(256, 128) + linear(128, 64) +
           linear(128, 1),
       0, "He et al. 2017 with MLPerf's sizes of MovieLens-20M"},
      // 187,767,399 rows in tables of at most 40 million.
      {"dlrm", "terabyte",
       std::int64_t{187767399} * 128 + linear(13, 512) + linear(512, 256) + linear(256, 128) +
           linear(479, 1024) + linear(1024, 1024) + linear(1024, 512) + linear(512, 256) +
           linear(256, 1),
       0, "MLPerf training DLRM: 24 B"}};
  return table;
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

INSTANTIATE_TEST_SUITE_P(Catalog, PublishedCounts, testing::ValuesIn(published()));
INSTANTIATE_TEST_SUITE_P(ByDefinition, PublishedCounts, testing::ValuesIn(by_definition()));

// A network cannot enter the catalog without a count that comes from somewhere else.
TEST(Catalog, EveryNetworkHasACountWithASource) {
  std::set<std::string> counted;
  for (const auto* table : {&published(), &by_definition()}) {
    for (const Published& network : *table) counted.insert(network.name);
  }
  for (const std::string& name : workload_registry().names()) {
    EXPECT_TRUE(counted.contains(name)) << name;
  }
}

// The table of torchvision's models gives GFLOP in multiply-adds with two or three digits behind
// the point (two FLOP here).
TEST(Catalog, ForwardFlopAreThoseOfTorchvisionsTable) {
  const std::vector<std::pair<std::string, double>> giga_multiply_adds = {
      {"resnet18", 1.814},    {"resnet34", 3.664},    {"resnet50", 4.089},
      {"resnet101", 7.801},   {"resnet152", 11.514},  {"vgg11", 7.609},
      {"vgg13", 11.308},      {"vgg16", 15.470},      {"vgg19", 19.632},
      {"densenet121", 2.834}, {"densenet161", 7.728}, {"densenet169", 3.360},
      {"densenet201", 4.291}, {"squeezenet", 0.819},  {"mobilenet-v2", 0.301},
      {"vit-b-16", 17.564}};
  for (const auto& [name, published] : giga_multiply_adds) {
    EXPECT_NEAR(build(name).forward_flops().si() / 2e9, published, 0.00075) << name;
  }
}

// UofT-EcoSystem/sockeye, branch bojian/EcoNMT-ISCA19, profile/memory of iwslt15-vi_en-tbd:
// 110,939,416 bytes of weights in 37 allocations, each of which MXNet 0.12 makes 32 bytes larger.
TEST(Catalog, SockeyeHasTheTensorsOfTheMeasuredProfile) {
  const WorkloadGraph sockeye = build("sockeye-nmt");
  EXPECT_EQ(sockeye.parameter_tensors(), 37);
  EXPECT_EQ(4 * sockeye.parameters() + 32 * 37, 110'939'416);
  EXPECT_EQ(build("sockeye-groundhog").parameter_tensors(), 25);
}

// Rounded figures of the same source: within half of the last digit.
TEST(Catalog, AlexNetVariantsDoTheWorkTheirDefinitionsSay) {
  EXPECT_NEAR(build("alexnet", "caffe-224").forward_flops().si(), 2.263e9, 0.0005e9);
  EXPECT_NEAR(build("alexnet", "tf-same-padding").forward_flops().si(), 2.540e9, 0.0005e9);
  EXPECT_NEAR(build("alexnet", "mxnet-broken-alexnet").forward_flops().si(), 1.144e9, 0.0005e9);
}

}  // namespace
}  // namespace paceline
