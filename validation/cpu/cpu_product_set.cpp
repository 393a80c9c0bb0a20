#include "validation/cpu/cpu_product_set.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/statistics.h"
#include "simulator/device/training_device.h"

namespace paceline {
namespace {

constexpr std::int64_t kLeastOfLayers = 32;

TimedProduct read_product(JsonObject object) {
  TimedProduct out;
  out.threads = object.count("threads", 1);
  out.m = object.count("m", 1);
  out.n = object.count("n", 1);
  out.k = object.count("k", 1);
  out.measured = Seconds(object.positive("measured_s"));
  object.finish();
  return out;
}

ScoredProduct score(const CpuProductSet& set, const TrainingDevice& device,
                    const TimedProduct& product) {
  const GemmShape shape{.m = product.m, .n = product.n, .k = product.k};
  ExecutionContext context;
  const bool shared = std::min(product.m, product.n) >= set.lines_per_thread * product.threads;
  context.threads = shared ? product.threads : 1;
  const RooflineLimits limits = device.limits(product.threads);
  return {product, device.costs().cost({"openblas.sgemm", shape}, context).time,
          std::max(kernel_flops(shape) / limits.peak.at(Precision::kFp32),
                   kernel_bytes(shape, Precision::kFp32) / limits.bandwidth)};
}

}  // namespace

bool TimedProduct::is_of_layers() const { return std::min({m, n, k}) >= kLeastOfLayers; }

CpuProductSet read_cpu_product_set(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.cpu-product-set/1");
  JsonObject root = document.root();
  CpuProductSet set;
  set.name = root.string("name");
  set.summary = root.string("summary");
  set.source = root.string("source");
  set.device = root.string("device");
  set.sockets = root.count("sockets", 1);
  set.lines_per_thread = root.count("lines_per_thread");
  for (JsonObject& object : root.objects("products")) {
    set.products.push_back(read_product(std::move(object)));
  }
  if (set.products.empty()) root.fail("products", "is empty");
  root.finish();
  return set;
}

std::vector<CpuProductSet> shipped_cpu_product_sets() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(data_directory() / "validation/cpu/sets")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<CpuProductSet> sets;
  for (const std::filesystem::path& file : files) sets.push_back(read_cpu_product_set(file));
  return sets;
}

std::vector<ScoredProduct> score(const CpuProductSet& set) {
  const auto device = read_training_device(set.device, {{"sockets", std::to_string(set.sockets)}});
  std::vector<ScoredProduct> out;
  for (const TimedProduct& product : set.products) out.push_back(score(set, *device, product));
  return out;
}

double transfer_spread(const std::vector<ScoredProduct>& scored) {
  std::map<std::pair<int, int>, std::vector<double>> squares;  // by threads and decade
  for (const ScoredProduct& s : scored) {
    if (!s.product.is_of_layers()) continue;
    const double flops = 2.0 * static_cast<double>(s.product.m * s.product.n * s.product.k);
    const int decade = static_cast<int>(std::floor(std::log10(flops)));
    squares[{s.product.threads, decade}].push_back(
        std::pow(std::log(s.product.measured / s.predicted), 2));
  }
  if (squares.empty()) return 0;
  double sum = 0;
  for (const auto& [group, of_group] : squares) sum += mean(of_group);
  return std::sqrt(sum / static_cast<double>(squares.size()));
}

}  // namespace paceline
