// Fused attention of cuDNN, forward and backward: what PyTorch's own kernels, measured by
// validation/recorders/gpu/measure_pytorch.py in the same shapes, can be compared with.
#include <array>
#include <cmath>

#include "microbench/cuda/cudnn/attention_graph.h"
#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/gpu/attention_reference.h"

namespace paceline {
namespace {

constexpr char kName[] = "cudnn.attention";

class CudnnAttentionKernel final : public GpuKernel {
 public:
  CudnnAttentionKernel(const AttentionLayer& layer, bool backward)
      : l_(layer),
        backward_(backward),
        type_(layer.bf16 ? ElementType::kBf16 : ElementType::kFp16),
        forward_graph_(layer, false, handle_.get()),
        q_(random_tensor(l_.query_elements(), type_, kQ)),
        k_(random_tensor(l_.key_elements(), type_, kK)),
        v_(random_tensor(l_.key_elements(), type_, kV)),
        y_(q_.bytes()),
        statistics_(static_cast<std::size_t>(l_.rows()) * sizeof(float)) {
    std::size_t workspace = forward_graph_.workspace_bytes();
    if (backward) {
      backward_graph_ = std::make_unique<AttentionGraph>(layer, true, handle_.get());
      workspace = std::max(workspace, backward_graph_->workspace_bytes());
      dy_ = random_tensor(l_.query_elements(), type_, kDy);
      dq_ = DeviceBuffer(q_.bytes());
      dk_ = DeviceBuffer(k_.bytes());
      dv_ = DeviceBuffer(v_.bytes());
    }
    workspace_ = DeviceBuffer(workspace);
    forward_graph_.bind(tensors());
    if (!backward) return;
    backward_graph_->bind(tensors());
    forward_graph_.run(handle_.get(), workspace_.data());
  }

  void launch() override { graph().run(handle_.get(), workspace_.data()); }

  void check() override {
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    backward_ ? check_gradients() : check_output();
  }

  Axes facts() const override {
    return {{"plan", graph().plan_name()},
            {"plans_offered", graph().plans_offered()},
            {"workspace_bytes", static_cast<std::int64_t>(graph().workspace_bytes())}};
  }

 private:
  static constexpr std::uint32_t kQ = 1, kK = 2, kV = 3, kDy = 4;

  const AttentionGraph& graph() const { return backward_ ? *backward_graph_ : forward_graph_; }
  AttentionTensors tensors() const {
    return {.q = q_.data(),
            .k = k_.data(),
            .v = v_.data(),
            .y = y_.data(),
            .statistics = statistics_.data(),
            .dy = dy_.data(),
            .dq = dq_.data(),
            .dk = dk_.data(),
            .dv = dv_.data()};
  }

  // Batch x sequence x heads x width.
  std::int64_t at(std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t heads,
                  std::int64_t column) const {
    return ((batch * l_.seq + row) * heads + head) * l_.width + column;
  }
  std::int64_t key_head(std::int64_t head) const { return head / (l_.heads / l_.kv_heads); }
  // Of the last batch entry, as it was filled.
  AttentionMatrix operand(std::uint32_t seed, std::int64_t head, std::int64_t heads) const {
    return [=, this](std::int64_t row, std::int64_t column) {
      return random_element(at(l_.batch - 1, row, head, heads, column), type_, seed);
    };
  }
  AttentionRow row(std::int64_t number) const {
    return {.row = number,
            .keys = l_.causal ? number + 1 : l_.seq,
            .width = l_.width,
            .scale = l_.scale()};
  }
  std::vector<double> read_row(const DeviceBuffer& tensor, std::int64_t number) const {
    std::vector<std::int64_t> places;
    for (std::int64_t c = 0; c < l_.width; ++c) {
      places.push_back(at(l_.batch - 1, number, l_.heads - 1, l_.heads, c));
    }
    return read_elements(tensor.data(), type_, places);
  }
  double tolerance() const { return l_.bf16 ? 4e-2 : 1e-2; }

  // Two rows of the last head, of which one attends to few keys where causal.
  void check_rows(const DeviceBuffer& tensor, const char* what) const {
    const std::int64_t head = l_.heads - 1;
    const AttentionMatrix q = operand(kQ, head, l_.heads), dy = operand(kDy, head, l_.heads),
                          k = operand(kK, key_head(head), l_.kv_heads),
                          v = operand(kV, key_head(head), l_.kv_heads);
    for (const std::int64_t number : {l_.seq / 7, l_.seq - 1}) {
      const std::vector<double> expected = backward_
                                               ? attention_query_gradient(row(number), q, k, v, dy)
                                               : attention_output(row(number), q, k, v);
      const std::vector<double> found = read_row(tensor, number);
      for (std::size_t c = 0; c < expected.size(); ++c) {
        require_near(found[c], expected[c], tolerance() * (1 + std::abs(expected[c])), what);
      }
    }
  }
  void check_output() const { check_rows(y_, "an output"); }

  // As the probabilities of a row add up to one, so over all keys the gradients of the values add
  // up to those of the outputs of their heads; those of the keys add up to nothing.
  void check_gradients() const {
    check_rows(dq_, "a gradient of a query");
    const std::int64_t group = l_.heads / l_.kv_heads, head = l_.kv_heads - 1;
    double of_outputs = 0;
    for (std::int64_t h = head * group; h < l_.heads; ++h) {
      const AttentionMatrix dy = operand(kDy, h, l_.heads);
      for (std::int64_t i = 0; i < l_.seq; ++i) of_outputs += dy(i, 0);
    }
    // Rounding errors of that many terms, which add up like their square root.
    const double tolerated =
        tolerance() * std::sqrt(static_cast<double>(l_.seq * group)) + tolerance();
    require_near(column_sum(dv_, head), of_outputs, tolerated, "the sum of the values' gradients");
    require_near(column_sum(dk_, head), 0, tolerated, "the sum of the keys' gradients");
  }
  double column_sum(const DeviceBuffer& tensor, std::int64_t head) const {
    std::vector<std::int64_t> places;
    for (std::int64_t j = 0; j < l_.seq; ++j) {
      places.push_back(at(l_.batch - 1, j, head, l_.kv_heads, 0));
    }
    double sum = 0;
    for (const double value : read_elements(tensor.data(), type_, places)) sum += value;
    return sum;
  }

  AttentionLayer l_;
  bool backward_;
  ElementType type_;
  CudnnHandle handle_;
  AttentionGraph forward_graph_;
  std::unique_ptr<AttentionGraph> backward_graph_;
  DeviceBuffer q_, k_, v_, y_, statistics_, dy_, dq_, dk_, dv_, workspace_;
};

struct Shape {
  std::int64_t batch, seq, heads, kv_heads, width;
};
// As in measure_pytorch.py, and one whose heads share keys.
constexpr std::array<Shape, 5> kShapes = {{{8, 640, 20, 20, 64},
                                           {2, 2560, 20, 20, 64},
                                           {16, 320, 10, 10, 128},
                                           {1, 5120, 10, 10, 128},
                                           {2, 1280, 20, 5, 128}}};

class CudnnAttention final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    const bool quick = size == GpuDesign::kQuick;
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (quick ? 1 : kShapes.size()); ++i) {
      for (const char* precision : {"fp16", "bf16"}) {
        if (std::string(precision) == "bf16" && (quick || i > 0)) continue;
        for (const std::int64_t causal : {0, 1}) {
          for (const char* which : {"forward", "backward"}) {
            out.push_back(axes(kShapes[i], precision, causal, which));
          }
        }
      }
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override {
    return gpu.capability_major < 8 ? "fused attention of cuDNN needs compute capability 8.0" : "";
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, kName); };
    return std::make_unique<CudnnAttentionKernel>(
        AttentionLayer{.batch = number("batch"),
                       .seq = number("seq"),
                       .heads = number("heads"),
                       .kv_heads = number("kv_heads"),
                       .width = number("head_dim"),
                       .causal = number("causal") != 0,
                       .bf16 = text_axis(axes, "precision", kName) == "bf16"},
        text_axis(axes, "attention", kName) == "backward");
  }

 private:
  static Axes axes(const Shape& s, const char* precision, std::int64_t causal, const char* which) {
    Axes out = integer_axes({{"batch", s.batch},
                             {"seq", s.seq},
                             {"heads", s.heads},
                             {"kv_heads", s.kv_heads},
                             {"head_dim", s.width},
                             {"causal", causal}});
    out["attention"] = std::string(which);
    out["precision"] = std::string(precision);
    return out;
  }
};

}  // namespace

void register_cudnn_attention(GpuBenchmarkRegistry& registry) {
  registry.add(kName, "fused attention of cuDNN, forward and backward",
               std::make_unique<CudnnAttention>());
}

}  // namespace paceline
