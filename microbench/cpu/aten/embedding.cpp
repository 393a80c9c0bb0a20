// Looking rows up in a table of embeddings, and adding their gradients to it.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/index_select.h>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

// Rows of the table, width, tokens.
const std::vector<Dims> kLookups = {{600, 192, 40},    {3000, 320, 160},   {12000, 192, 480},
                                    {6000, 640, 960},  {12000, 320, 2400}, {20000, 640, 1900},
                                    {6000, 1280, 4800}};
// Small tables: the kernel also clears the table's gradient, which is counted as a fill.
const std::vector<Dims> kGradients = {{60, 192, 480},   {96, 320, 960},   {120, 192, 2400},
                                      {200, 640, 1900}, {160, 320, 4800}, {300, 640, 4800}};

AtenCall look_up(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> table = input_tensors(sets, 0, {d[0], d[1]});
  std::vector<Tensor> out = output_tensors(sets, 0, {d[2], d[1]});
  const Tensor tokens = random_indices(d[2], d[0]);
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::index_select_out(out[set], table[set], 0, tokens);
  };
  call.check = [=, run = call.run] {
    run(0);
    for (std::int64_t t = 0; t < d[2]; ++t) {
      const std::int64_t row = tokens.data_ptr<std::int64_t>()[t];
      require_close("token " + std::to_string(t), out[0].data_ptr<float>()[t * d[1]],
                    table[0].data_ptr<float>()[row * d[1]], 0, 0);
    }
  };
  return call;
}

AtenCall gradient(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, {d[2], d[1]});
  const Tensor tokens = random_indices(d[2], d[0]);
  AtenCall call;
  call.run = [=, results = std::vector<Tensor>(dy.size())](std::size_t set) mutable {
    results[set] = at::embedding_dense_backward(dy[set], tokens, d[0], -1, false);
  };
  call.check = [=] {
    const Tensor found = at::embedding_dense_backward(dy[0], tokens, d[0], -1, false);
    std::vector<double> expected(static_cast<std::size_t>(d[0]), 0);  // first column of the table
    for (std::int64_t t = 0; t < d[2]; ++t) {
      const auto row = static_cast<std::size_t>(tokens.data_ptr<std::int64_t>()[t]);
      expected[row] += double{dy[0].data_ptr<float>()[t * d[1]]};
    }
    for (std::int64_t row = 0; row < d[0]; ++row) {
      require_close("row " + std::to_string(row), found.data_ptr<float>()[row * d[1]],
                    expected[static_cast<std::size_t>(row)]);
    }
  };
  return call;
}

}  // namespace

void register_embedding(BenchmarkRegistry& registry) {
  AtenOperation op;
  op.name = "aten.embedding";
  op.summary = "rows of a table by index";
  op.axes = {"table", "width", "tokens"};
  op.shapes = kLookups;
  op.traffic = [](const Dims& d) {
    const std::int64_t elements = d[1] * d[2];
    return Traffic{elements, 4 * elements, 4 * elements, d[1]};
  };
  op.operands = [](const Dims& d) { return OperandBytes{{4 * d[0] * d[1]}, {4 * d[1] * d[2]}}; };
  op.prepare = look_up;
  add_aten(registry, std::move(op));

  op = {};
  op.name = "aten.embedding_backward";
  op.summary = "sums of gradients by index";
  op.axes = {"table", "width", "tokens"};
  op.shapes = kGradients;
  op.traffic = [](const Dims& d) {
    const std::int64_t elements = d[1] * d[2];
    return Traffic{elements, 8 * elements, 4 * elements, d[1]};
  };
  op.operands = [](const Dims& d) { return OperandBytes{{4 * d[1] * d[2]}, {}}; };
  op.prepare = gradient;
  add_aten(registry, std::move(op));
}

}  // namespace paceline
