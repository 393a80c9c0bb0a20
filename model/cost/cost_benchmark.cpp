// How long one price of a GPU's kernel takes, with its choice of tile and algorithm, its standard
// deviation and its origin, for every family, where it was measured (T4, H100) and where it is
// expected from others (B200): build/release/model/paceline_cost_benchmark
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/gpu.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

const GpuCostModel& model_of(const std::string& device) {
  static std::map<std::string, GpuCostModel> models;
  const auto found = models.find(device);
  if (found != models.end()) return found->second;
  static const DeviceCatalog catalog = DeviceCatalog::shipped();
  return models.emplace(device, GpuCostModel::for_device(catalog.at(device))).first->second;
}

StreamShape stream(StreamKind kind) {
  return {
      .elements = 1 << 24, .read = Bytes(64e6), .written = Bytes(64e6), .row = 1024, .kind = kind};
}

// One kernel of each family, and those whose choice takes longest: products that may be split.
std::vector<std::pair<std::string, KernelShape>> shapes() {
  std::vector<std::pair<std::string, KernelShape>> out = {
      {"gemm", GemmShape{.m = 4096, .n = 5120, .k = 1024, .trans_a = true}},
      {"gemm-split", GemmShape{.m = 64, .n = 512, .k = 16384}},
      {"gemm-batched", GemmShape{.m = 512, .n = 512, .k = 64, .batch = 384}},
      {"attention-forward",
       AttentionShape{.batch = 8, .seq = 2048, .heads = 16, .kv_heads = 16, .head_dim = 64}},
      {"attention-backward", AttentionShape{.pass = Pass::kDgrad,
                                            .batch = 8,
                                            .seq = 2048,
                                            .heads = 16,
                                            .kv_heads = 16,
                                            .head_dim = 64}}};
  for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
    const std::string name(to_string(pass));
    ConvShape conv{.pass = pass,
                   .n = 64,
                   .c = 128,
                   .h = 28,
                   .w = 28,
                   .k = 128,
                   .r = 3,
                   .s = 3,
                   .pad_h = 1,
                   .pad_w = 1};
    out.emplace_back("conv-" + name, conv);
    conv.h = conv.w = 7;
    conv.n = 4;
    out.emplace_back("conv-small-" + name, conv);
    out.emplace_back("rnn-" + name,
                     RnnShape{.pass = pass, .hidden = 512, .batch = 64, .steps = 32});
  }
  for (const StreamKind kind :
       {StreamKind::kElementwise, StreamKind::kNormalization, StreamKind::kNormalizationBackward,
        StreamKind::kSoftmax, StreamKind::kOptimizer, StreamKind::kGather}) {
    out.emplace_back("stream-" + std::string(to_string(kind)), stream(kind));
  }
  return out;
}

void add(const std::string& device, const std::string& name, const Kernel& kernel) {
  const std::string of = "/" + device + "/" + name + "/" + std::string(to_string(kernel.precision));
  benchmark::RegisterBenchmark(("Price" + of).c_str(), [=](benchmark::State& state) {
    const GpuCostModel& model = model_of(device);
    for (auto _ : state) benchmark::DoNotOptimize(model.cost(kernel, {}).time);
  });
}

void add_all() {
  for (const auto& [name, shape] : shapes()) {
    for (const std::string device : {"t4", "h100-sxm", "b200-sxm"}) {
      std::vector<Precision> precisions = {Precision::kFp32};
      const bool is_stream = std::holds_alternative<StreamShape>(shape);
      if (!is_stream) precisions.push_back(Precision::kFp16);
      if (!is_stream && device != "t4") precisions.push_back(Precision::kFp8);
      for (const Precision precision : precisions) add(device, name, {name, shape, precision});
    }
  }
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  paceline::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
