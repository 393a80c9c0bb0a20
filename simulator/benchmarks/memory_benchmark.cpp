// How long the memory of one batch and the search for the largest take, from names to the answer.
// The bar is 100 ms for the largest batch of ResNet-50.
#include <benchmark/benchmark.h>

#include "simulator/report/prediction.h"

namespace paceline {
namespace {

struct Case {
  Experiment experiment;
  std::unique_ptr<const TrainingDevice> device;
};

Case made(const Predictor& predictor, const std::string& model, std::int64_t batch,
          const std::string& framework) {
  Case c;
  c.experiment.model = model;
  c.experiment.batch = batch;
  c.experiment.device = "v100-sxm2-16g";
  c.experiment.framework = framework;
  c.experiment.threads = 0;
  c.device = read_training_device(c.experiment.device, c.experiment.options);
  c.experiment = predictor.resolve(c.experiment, *c.device);
  return c;
}

void LargestBatch(benchmark::State& state, const std::string& model, std::int64_t batch,
                  const std::string& framework) {
  const Predictor predictor;
  const Case c = made(predictor, model, batch, framework);
  std::int64_t largest = 0;
  for (auto _ : state) largest = predictor.largest_batch(c.experiment, *c.device);
  state.counters["batch"] = static_cast<double>(largest);
}

void Iteration(benchmark::State& state) {
  const Predictor predictor;
  const Case c = made(predictor, "resnet50", 32, "pytorch");
  for (auto _ : state) benchmark::DoNotOptimize(predictor.predict(c.experiment, *c.device));
}

BENCHMARK_CAPTURE(LargestBatch, resnet50_pytorch, "resnet50", 32, "pytorch")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(LargestBatch, resnet50_mxnet, "resnet50", 32, "mxnet")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(LargestBatch, bert_large_pytorch, "bert-large", 8, "pytorch")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Iteration)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
