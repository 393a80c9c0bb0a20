// Fused attention as a graph of cuDNN, forward or backward; NVIDIA's cudnn-frontend, which knows
// the graph that cuDNN's engines recognise, is included by its source only.
//
// Tensors are those of a transformer: in memory batch x sequence x heads x width, no mask but the
// causal one, no dropout, scores scaled by 1 / sqrt(width).
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <string>

namespace paceline {

struct AttentionLayer {
  std::int64_t batch = 1, seq = 1, heads = 1, kv_heads = 1, width = 64;
  bool causal = false;
  bool bf16 = false;  // else fp16

  double scale() const;
  std::int64_t query_elements() const { return batch * seq * heads * width; }
  std::int64_t key_elements() const { return batch * seq * kv_heads * width; }
  std::int64_t rows() const { return batch * heads * seq; }  // of the softmax
};

// Memory of the GPU, in the layer's type but for `statistics`, which holds one fp32 number a row:
// the logarithm of the sum of its exponentials. Backward reads all but the last three.
struct AttentionTensors {
  void *q = nullptr, *k = nullptr, *v = nullptr, *y = nullptr, *statistics = nullptr;
  void *dy = nullptr, *dq = nullptr, *dk = nullptr, *dv = nullptr;
};

struct DescribedGpu {
  int capability = 0;      // 90: 9.0
  std::string properties;  // as cuDNN serialises them, in JSON
};

class AttentionGraph {
 public:
  // With the plan that cuDNN's heuristic puts first. Throws MeasurementError with cuDNN's reason
  // where this version or GPU has none.
  AttentionGraph(const AttentionLayer& layer, bool backward, cudnnHandle_t handle);
  // For a GPU that is described, not there: which plans there would be. Cannot run.
  AttentionGraph(const AttentionLayer& layer, bool backward, const DescribedGpu& gpu);
  ~AttentionGraph();
  AttentionGraph(const AttentionGraph&) = delete;
  AttentionGraph& operator=(const AttentionGraph&) = delete;

  std::int64_t plans_offered() const;
  std::size_t workspace_bytes() const;
  std::string plan_name() const;
  // What it reads and writes, from now on.
  void bind(const AttentionTensors& tensors);
  // Starts it in the handle's stream.
  void run(cudnnHandle_t handle, void* workspace) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace paceline
