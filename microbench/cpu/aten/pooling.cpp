// Pooling of images, forward and backward. ATen's cost follows the outputs times the window.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool2d_backward.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/div.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <ATen/ops/mean.h>

#include <algorithm>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

// Images n x c x h x h, windows kernel x kernel, stride 2 unless the window is the whole image.
const std::vector<Dims> kWindows = {
    {1, 48, 15, 3},  {2, 80, 20, 2},  {4, 96, 31, 3},  {8, 160, 20, 3}, {4, 80, 60, 2},
    {16, 48, 48, 3}, {8, 224, 31, 2}, {16, 80, 64, 3}, {8, 48, 120, 3}, {16, 160, 62, 2}};
const std::vector<Dims> kWhole = {{2, 160, 9, 9},    {8, 320, 9, 9},  {4, 640, 12, 12},
                                  {16, 448, 15, 15}, {16, 960, 9, 9}, {16, 1280, 12, 12}};

std::int64_t out_size(const Dims& d) { return (d[2] - d[3]) / 2 + 1; }
Dims image(const Dims& d) { return {d[0], d[1], d[2], d[2]}; }
Dims pooled(const Dims& d) { return {d[0], d[1], out_size(d), out_size(d)}; }

// The window of output `index`, as values of the image.
std::vector<double> window(const float* x, const Dims& d, std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  const std::int64_t out = out_size(d);
  const std::int64_t plane = i / (out * out), row = 2 * (i / out % out), column = 2 * (i % out);
  std::vector<double> values;
  for (std::int64_t r = 0; r < d[3]; ++r) {
    for (std::int64_t c = 0; c < d[3]; ++c) {
      values.push_back(double{x[(plane * d[2] + row + r) * d[2] + column + c]});
    }
  }
  return values;
}

double total(const Tensor& t) {
  return sum(Row{t.data_ptr<float>(), static_cast<std::size_t>(t.numel())});
}

AtenCall max_pool(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, image(d));
  std::vector<Tensor> y = output_tensors(sets, 0, pooled(d));
  std::vector<Tensor> indices = index_output_tensors(sets, 1, pooled(d));
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::max_pool2d_with_indices_out(y[set], indices[set], x[set], {d[3], d[3]}, {2, 2});
  };
  call.check = [=, run = call.run] {
    run(0);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(product(pooled(d))), 32)) {
      const std::vector<double> values = window(x[0].data_ptr<float>(), d, i);
      require_close("output " + std::to_string(i), y[0].data_ptr<float>()[i],
                    *std::max_element(values.begin(), values.end()), 0, 0);
    }
  };
  return call;
}

// Every gradient goes to exactly one input: the sums agree.
AtenCall max_pool_backward(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, pooled(d));
  const std::vector<Tensor> x = input_tensors(sets, 1, image(d));
  std::vector<Tensor> dx = output_tensors(sets, 0, image(d));
  // The places of the maxima of one set serve all: pooling them all would take longer than timing.
  const Tensor places = std::get<1>(at::max_pool2d_with_indices(x[0], {d[3], d[3]}, {2, 2}));
  std::vector<Tensor> indices;
  for (std::size_t set = 0; set < sets.count(); ++set) indices.push_back(places.clone());
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::max_pool2d_with_indices_backward_out(dx[set], dy[set], x[set], {d[3], d[3]}, {2, 2}, {0, 0},
                                             {1, 1}, false, indices[set]);
  };
  call.check = [=, run = call.run] {
    run(0);
    require_close("sum of the gradients", total(dx[0]), total(dy[0]),
                  static_cast<double>(product(pooled(d))), 1e-6);
  };
  return call;
}

AtenCall avg_pool(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, image(d));
  std::vector<Tensor> y = output_tensors(sets, 0, pooled(d));
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::avg_pool2d_out(y[set], x[set], {d[3], d[3]}, {2, 2});
  };
  call.check = [=, run = call.run] {
    run(0);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(product(pooled(d))), 32)) {
      double mean = 0;
      for (const double value : window(x[0].data_ptr<float>(), d, i)) {
        mean += value / static_cast<double>(d[3] * d[3]);
      }
      require_close("output " + std::to_string(i), y[0].data_ptr<float>()[i], mean);
    }
  };
  return call;
}

AtenCall avg_pool_backward(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, pooled(d));
  const Tensor x = input_tensors(sets, 1, image(d))[0];  // only its shape matters
  std::vector<Tensor> dx = output_tensors(sets, 0, image(d));
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::avg_pool2d_backward_out(dx[set], dy[set], x, {d[3], d[3]}, {2, 2}, {0, 0}, false, true,
                                c10::nullopt);
  };
  call.check = [=, run = call.run] {
    run(0);
    require_close("sum of the gradients", total(dx[0]), total(dy[0]),
                  static_cast<double>(product(pooled(d))), 1e-6);
  };
  return call;
}

AtenCall mean(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, image(d));
  std::vector<Tensor> y = output_tensors(sets, 0, {d[0], d[1], 1, 1});
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::mean_out(y[set], x[set], at::IntArrayRef{-1, -2}, true);
  };
  call.check = [=, run = call.run] {
    run(0);
    const auto plane = static_cast<std::size_t>(d[2] * d[2]);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(d[0] * d[1]), 16)) {
      require_close(
          "output " + std::to_string(i), y[0].data_ptr<float>()[i],
          sum(Row{x[0].data_ptr<float>() + i * plane, plane}) / static_cast<double>(plane));
    }
  };
  return call;
}

AtenCall mean_backward(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, {d[0], d[1], 1, 1});
  std::vector<Tensor> dx = output_tensors(sets, 0, image(d));
  const Dims shape = image(d);
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::div_out(dx[set], dy[set].expand(shape), at::Scalar(d[2] * d[2]));
  };
  call.check = [=, run = call.run] {
    run(0);
    require_close("sum of the gradients", total(dx[0]), total(dy[0]),
                  static_cast<double>(d[0] * d[1]), 1e-6);
  };
  return call;
}

// Traffic in elements of the image and of the output.
struct Counts {
  std::int64_t image_read, image_written, out_read_bytes, out_written_bytes;
};

void add(BenchmarkRegistry& registry, const std::string& name, const std::string& summary,
         const Counts& counts, OperandBytes (*operands)(const Dims&),
         AtenCall (*prepare)(const Dims&, OperandSets&), const std::vector<Dims>& shapes) {
  AtenOperation operation;
  operation.name = name;
  operation.summary = summary;
  operation.axes = {"n", "c", "h", "kernel"};
  operation.shapes = shapes;
  const bool whole = &shapes == &kWhole;
  operation.traffic = [=](const Dims& d) {
    const std::int64_t in = product(image(d)), out = whole ? d[0] * d[1] : product(pooled(d));
    // Forward windows are counted by outputs, everything else by the image.
    const bool by_output = !whole && counts.image_written == 0;
    return Traffic{by_output ? out : in, 4 * in * counts.image_read + out * counts.out_read_bytes,
                   4 * in * counts.image_written + out * counts.out_written_bytes, d[3] * d[3]};
  };
  operation.operands = operands;
  operation.prepare = prepare;
  add_aten(registry, std::move(operation));
}

std::int64_t image_bytes(const Dims& d) { return 4 * product(image(d)); }
std::int64_t out_bytes(const Dims& d) { return 4 * product(pooled(d)); }

}  // namespace

void register_pooling(BenchmarkRegistry& registry) {
  add(
      registry, "aten.max_pool", "max-pooling with the indices of the maxima", {1, 0, 0, 12},
      [](const Dims& d) {
        return OperandBytes{{image_bytes(d)}, {out_bytes(d), 2 * out_bytes(d)}};
      },
      max_pool, kWindows);
  add(
      registry, "aten.max_pool_backward", "its gradient", {0, 1, 12, 0},
      [](const Dims& d) {
        return OperandBytes{{out_bytes(d), image_bytes(d)}, {image_bytes(d)}};
      },
      max_pool_backward, kWindows);
  add(
      registry, "aten.avg_pool", "average pooling", {1, 0, 0, 4},
      [](const Dims& d) {
        return OperandBytes{{image_bytes(d)}, {out_bytes(d)}};
      },
      avg_pool, kWindows);
  add(
      registry, "aten.avg_pool_backward", "its gradient", {0, 1, 4, 0},
      [](const Dims& d) {
        return OperandBytes{{out_bytes(d), image_bytes(d)}, {image_bytes(d)}};
      },
      avg_pool_backward, kWindows);
  add(
      registry, "aten.mean", "average over each whole image", {1, 0, 0, 0},
      [](const Dims& d) {
        return OperandBytes{{image_bytes(d)}, {4 * d[0] * d[1]}};
      },
      mean, kWhole);
  add(
      registry, "aten.mean_backward", "its gradient", {0, 1, 0, 0},
      [](const Dims& d) {
        return OperandBytes{{4 * d[0] * d[1]}, {image_bytes(d)}};
      },
      mean_backward, kWhole);
}

}  // namespace paceline
