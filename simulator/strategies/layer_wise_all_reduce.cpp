// Caffe with NCCL (src/caffe/parallel.cpp since 3ba20549b): after each layer's backward pass its
// gradients are all-reduced as one message while the next layer runs; the thread that launches
// kernels waits for each layer. layer_wise_reduce=off: one message after the whole pass.
#include "simulator/strategies/parts/message_reducer.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job), reducer_(job, options), by_layer_(options.on("layer_wise_reduce")) {
    missing_.assign(job.spec().profile.layers.size(), 0);
    size_.resize(missing_.size());
    for (const GradientTensor& gradient : job.gradients()) {
      ++missing_[gradient.layer];
      size_[gradient.layer] += gradient.bytes;
    }
    count_ = missing_;
  }

  void gradient_ready(std::uint32_t gradient) override {
    const std::uint32_t layer = job().gradients()[gradient].layer;
    if (!by_layer_ || --missing_[layer] > 0) return;
    send(size_[layer]);
  }
  void end_backward() override {
    if (!by_layer_) send(job().spec().profile.gradient_bytes());
    missing_ = count_;
  }

 private:
  void send(Bytes bytes) {
    const TaskId after[] = {job().latest(0)};
    arrives(reducer_.reduce(bytes, after));
  }

  MessageReducer reducer_;
  bool by_layer_;
  std::vector<int> missing_, count_;
  std::vector<Bytes> size_;
};

class LayerWise : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = reducer_options();
    options.push_back({.name = "layer_wise_reduce",
                       .kind = OptionKind::kSwitch,
                       .fallback = "on",
                       .choices = {},
                       .summary = "a message per layer during backward, or one after it",
                       .example = "off"});
    return options;
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_reducer(job, options);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    return reducer_bytes_sent(job, options, job.profile.gradient_bytes());
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return reducer_buffers(job, options);
  }
};

}  // namespace

void register_layer_wise_all_reduce(StrategyRegistry& registry) {
  registry.add("layer-wise-all-reduce", "Caffe with NCCL: an all-reduce per layer during backward",
               [] { return std::make_unique<const LayerWise>(); });
}

}  // namespace paceline
