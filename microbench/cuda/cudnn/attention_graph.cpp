#include "microbench/cuda/cudnn/attention_graph.h"

#include <cudnn_frontend.h>

#include <cmath>
#include <unordered_map>
#include <vector>

#include "core/error.h"

namespace paceline {
namespace {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

enum Id : std::int64_t { kQ = 1, kK, kV, kY, kStatistics, kDy, kDq, kDk, kDv };

void require(fe::error_t status, const char* step) {
  if (status.is_good()) return;
  throw MeasurementError("cuDNN has no such attention here: " + status.get_message() + " (" + step +
                         ")");
}

// cuDNN counts dimensions as batch, heads, sequence, width, whatever their order in memory.
void place(const Tensor& tensor, const AttentionLayer& l, std::int64_t heads, Id id) {
  tensor->set_uid(id)
      .set_dim({l.batch, heads, l.seq, l.width})
      .set_stride({l.seq * heads * l.width, l.width, heads * l.width, 1});
}
void place_statistics(const Tensor& tensor, const AttentionLayer& l) {
  tensor->set_uid(kStatistics)
      .set_dim({l.batch, l.heads, l.seq, 1})
      .set_stride({l.heads * l.seq, l.seq, 1, 1})
      .set_data_type(fe::DataType_t::FLOAT);
}

Tensor input(fe::graph::Graph& graph, const AttentionLayer& l, std::int64_t heads, Id id) {
  Tensor tensor = graph.tensor(fe::graph::Tensor_attributes().set_name("input"));
  place(tensor, l, heads, id);
  return tensor;
}
void output(const Tensor& tensor, const AttentionLayer& l, std::int64_t heads, Id id) {
  tensor->set_output(true);
  place(tensor, l, heads, id);
}

void describe_forward(fe::graph::Graph& graph, const AttentionLayer& l) {
  const Tensor q = input(graph, l, l.heads, kQ), k = input(graph, l, l.kv_heads, kK),
               v = input(graph, l, l.kv_heads, kV);
  auto options = fe::graph::SDPA_attributes()
                     .set_name("attention")
                     .set_generate_stats(true)
                     .set_attn_scale(static_cast<float>(l.scale()));
  options.set_causal_mask(l.causal);
  const auto [y, statistics] = graph.sdpa(q, k, v, options);
  output(y, l, l.heads, kY);
  statistics->set_output(true);
  place_statistics(statistics, l);
}

void describe_backward(fe::graph::Graph& graph, const AttentionLayer& l) {
  const Tensor q = input(graph, l, l.heads, kQ), k = input(graph, l, l.kv_heads, kK),
               v = input(graph, l, l.kv_heads, kV), y = input(graph, l, l.heads, kY),
               dy = input(graph, l, l.heads, kDy);
  const Tensor statistics = graph.tensor(fe::graph::Tensor_attributes().set_name("statistics"));
  place_statistics(statistics, l);
  auto options = fe::graph::SDPA_backward_attributes()
                     .set_name("attention_backward")
                     .set_attn_scale(static_cast<float>(l.scale()));
  options.set_causal_mask(l.causal);
  const auto [dq, dk, dv] = graph.sdpa_backward(q, k, v, y, dy, statistics, options);
  output(dq, l, l.heads, kDq);
  output(dk, l, l.kv_heads, kDk);
  output(dv, l, l.kv_heads, kDv);
}

}  // namespace

double AttentionLayer::scale() const { return 1 / std::sqrt(static_cast<double>(width)); }

struct AttentionGraph::Graph {
  fe::graph::Graph graph;
  bool backward;
  std::unordered_map<std::int64_t, void*> memory;

  // `capability` of a GPU that is described; 0: the current one.
  Graph(const AttentionLayer& layer, bool is_backward, int capability) : backward(is_backward) {
    if (capability > 0) graph.set_sm_version(capability);
    graph.set_io_data_type(layer.bf16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    backward ? describe_backward(graph, layer) : describe_forward(graph, layer);
  }
  // After the operation graph is built.
  void ask() {
    require(graph.create_execution_plans({fe::HeurMode_t::A}), "asking the heuristic");
    require(graph.check_support(), "checking support");
  }
};

AttentionGraph::AttentionGraph(const AttentionLayer& layer, bool backward, cudnnHandle_t handle)
    : graph_(std::make_unique<Graph>(layer, backward, 0)) {
  require(graph_->graph.validate(), "checking the layer");
  require(graph_->graph.build_operation_graph(handle), "describing the layer");
  graph_->ask();
  require(graph_->graph.build_plans(fe::BuildPlanPolicy_t::HEURISTICS_CHOICE), "building the plan");
}

AttentionGraph::AttentionGraph(const AttentionLayer& layer, bool backward, const DescribedGpu& gpu)
    : graph_(std::make_unique<Graph>(layer, backward, gpu.capability)) {
  auto device = std::make_shared<fe::DeviceProperties>();
  require(device->deserialize({gpu.properties.begin(), gpu.properties.end()}),
          "reading the description of the GPU");
  graph_->graph.set_device_properties(device);
  require(graph_->graph.validate(), "checking the layer");
  require(graph_->graph.build_operation_graph(), "describing the layer");
  graph_->ask();
}

AttentionGraph::~AttentionGraph() = default;

std::int64_t AttentionGraph::plans_offered() const {
  return graph_->graph.get_execution_plan_count();
}

std::size_t AttentionGraph::workspace_bytes() const {
  std::int64_t bytes = 0;
  require(graph_->graph.get_workspace_size(bytes), "size of the workspace");
  return static_cast<std::size_t>(bytes);
}

std::string AttentionGraph::plan_name() const {
  std::string name;
  require(graph_->graph.get_plan_name(name), "name of the plan");
  return name;
}

void AttentionGraph::bind(const AttentionTensors& t) {
  graph_->memory = {{kQ, t.q}, {kK, t.k}, {kV, t.v}, {kY, t.y}, {kStatistics, t.statistics}};
  if (!graph_->backward) return;
  graph_->memory.insert({{kDy, t.dy}, {kDq, t.dq}, {kDk, t.dk}, {kDv, t.dv}});
}

void AttentionGraph::run(cudnnHandle_t handle, void* workspace) const {
  require(graph_->graph.execute(handle, graph_->memory, workspace), "running it");
}

}  // namespace paceline
