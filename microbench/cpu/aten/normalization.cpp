// Batch and layer normalisation in training mode, forward and backward. They return new tensors,
// as in a training loop: the heap finds memory that is resident.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;
using Results = std::vector<std::tuple<Tensor, Tensor, Tensor>>;  // of every set, kept until reused

constexpr double kEpsilon = 1e-5;
constexpr double kMomentum = 0.1;

// Images n x c x h x h; none of a size and channel count that image networks use together.
const std::vector<Dims> kImages = {{1, 48, 9},    {2, 80, 15},   {4, 160, 20}, {8, 320, 9},
                                   {4, 96, 40},   {16, 448, 12}, {8, 80, 60},  {16, 320, 26},
                                   {16, 48, 100}, {8, 224, 62}};
const std::vector<Dims> kRows = {{24, 192},   {60, 320},    {200, 640},  {480, 192},
                                 {1000, 320}, {1200, 1280}, {3000, 640}, {6000, 1280}};

struct Moments {
  double mean, inverse_deviation;
};

// The values of one channel or row, gathered.
Moments moments(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  const double mean = sum / static_cast<double>(values.size());
  for (const double x : values) squares += (x - mean) * (x - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(values.size()) + kEpsilon)};
}

// Gradient of a normalisation without scale and shift at position `i`:
// dx = (dy - mean(dy) - y mean(dy y)) / deviation.
double reference_gradient(const std::vector<double>& x, const std::vector<double>& dy,
                          std::size_t i) {
  const Moments m = moments(x);
  const double count = static_cast<double>(x.size());
  double mean_dy = 0, mean_product = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_dy += dy[k] / count;
    mean_product += dy[k] * (x[k] - m.mean) * m.inverse_deviation / count;
  }
  const double y = (x[i] - m.mean) * m.inverse_deviation;
  return (dy[i] - mean_dy - y * mean_product) * m.inverse_deviation;
}

std::vector<double> channel(const float* data, const Dims& dims, std::int64_t c) {
  const std::int64_t plane = dims[2] * dims[2];
  std::vector<double> out;
  for (std::int64_t n = 0; n < dims[0]; ++n) {
    const float* start = data + (n * dims[1] + c) * plane;
    out.insert(out.end(), start, start + plane);
  }
  return out;
}

std::vector<double> row(const float* data, const Dims& dims, std::int64_t r) {
  return {data + r * dims[1], data + (r + 1) * dims[1]};
}

Dims image_dims(const Dims& d) { return {d[0], d[1], d[2], d[2]}; }

struct BatchNormParameters {
  explicit BatchNormParameters(std::int64_t channels)
      : weight(at::ones({channels})),
        bias(at::zeros({channels})),
        running_mean(at::zeros({channels})),
        running_variance(at::ones({channels})) {}
  Tensor weight, bias, running_mean, running_variance;
};

AtenCall batch_norm(const Dims& dims, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, image_dims(dims));
  const BatchNormParameters p(dims[1]);
  AtenCall call;
  const auto forward = [=](std::size_t set) {
    return at::native_batch_norm(x[set], p.weight, p.bias, p.running_mean, p.running_variance, true,
                                 kMomentum, kEpsilon);
  };
  call.run = [=, results = Results(x.size())](std::size_t set) mutable {
    results[set] = forward(set);
  };
  call.check = [=] {
    const Tensor y = std::get<0>(forward(0));
    const std::int64_t plane = dims[2] * dims[2];
    for (const std::size_t c : spread_indices(static_cast<std::size_t>(dims[1]), 5)) {
      const auto index = static_cast<std::int64_t>(c);
      const std::vector<double> values = channel(x[0].data_ptr<float>(), dims, index);
      const Moments m = moments(values);
      require_close("first value of channel " + std::to_string(c),
                    y.data_ptr<float>()[index * plane], (values[0] - m.mean) * m.inverse_deviation);
    }
  };
  return call;
}

AtenCall batch_norm_backward(const Dims& dims, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, image_dims(dims));
  const std::vector<Tensor> x = input_tensors(sets, 1, image_dims(dims));
  const BatchNormParameters p(dims[1]);
  // Statistics of the first set serve all: they do not change the work.
  const auto [y, mean, deviation] = at::native_batch_norm(
      x[0], p.weight, p.bias, p.running_mean, p.running_variance, true, kMomentum, kEpsilon);
  const Tensor saved_mean = mean, saved_deviation = deviation;
  const auto backward = [=](std::size_t set) {
    return at::native_batch_norm_backward(dy[set], x[set], p.weight, p.running_mean,
                                          p.running_variance, saved_mean, saved_deviation, true,
                                          kEpsilon, {true, true, true});
  };
  AtenCall call;
  call.run = [=, results = Results(x.size())](std::size_t set) mutable {
    results[set] = backward(set);
  };
  call.check = [=] {
    const Tensor dx = std::get<0>(backward(0));
    const std::int64_t plane = dims[2] * dims[2];
    for (const std::size_t c : spread_indices(static_cast<std::size_t>(dims[1]), 5)) {
      const auto index = static_cast<std::int64_t>(c);
      require_close("gradient of channel " + std::to_string(c), dx.data_ptr<float>()[index * plane],
                    reference_gradient(channel(x[0].data_ptr<float>(), dims, index),
                                       channel(dy[0].data_ptr<float>(), dims, index), 0));
    }
  };
  return call;
}

AtenCall layer_norm(const Dims& dims, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, dims);
  const Tensor weight = at::ones({dims[1]}), bias = at::zeros({dims[1]});
  const auto forward = [=](std::size_t set) {
    return at::native_layer_norm(x[set], {dims[1]}, weight, bias, kEpsilon);
  };
  AtenCall call;
  call.run = [=, results = Results(x.size())](std::size_t set) mutable {
    results[set] = forward(set);
  };
  call.check = [=] {
    const Tensor y = std::get<0>(forward(0));
    for (const std::size_t r : spread_indices(static_cast<std::size_t>(dims[0]), 9)) {
      const auto index = static_cast<std::int64_t>(r);
      const std::vector<double> values = row(x[0].data_ptr<float>(), dims, index);
      const Moments m = moments(values);
      require_close("first value of row " + std::to_string(r), y.data_ptr<float>()[index * dims[1]],
                    (values[0] - m.mean) * m.inverse_deviation);
    }
  };
  return call;
}

AtenCall layer_norm_backward(const Dims& dims, OperandSets& sets) {
  const std::vector<Tensor> dy = input_tensors(sets, 0, dims);
  const std::vector<Tensor> x = input_tensors(sets, 1, dims);
  const Tensor weight = at::ones({dims[1]}), bias = at::zeros({dims[1]});
  const auto [y, mean, deviation] = at::native_layer_norm(x[0], {dims[1]}, weight, bias, kEpsilon);
  const Tensor saved_mean = mean, saved_deviation = deviation;
  const auto backward = [=](std::size_t set) {
    return at::native_layer_norm_backward(dy[set], x[set], {dims[1]}, saved_mean, saved_deviation,
                                          weight, bias, {true, true, true});
  };
  AtenCall call;
  call.run = [=, results = Results(x.size())](std::size_t set) mutable {
    results[set] = backward(set);
  };
  call.check = [=] {
    const Tensor dx = std::get<0>(backward(0));
    for (const std::size_t r : spread_indices(static_cast<std::size_t>(dims[0]), 9)) {
      const auto index = static_cast<std::int64_t>(r);
      require_close("gradient of row " + std::to_string(r), dx.data_ptr<float>()[index * dims[1]],
                    reference_gradient(row(x[0].data_ptr<float>(), dims, index),
                                       row(dy[0].data_ptr<float>(), dims, index), 0));
    }
  };
  return call;
}

using Prepare = std::function<AtenCall(const Dims&, OperandSets&)>;

// `inputs` tensors are read and one is written; `row_of` is what the statistics run along.
AtenOperation operation(const std::string& name, const std::string& summary, std::int64_t inputs,
                        Prepare prepare, std::function<Dims(const Dims&)> tensor,
                        std::function<std::int64_t(const Dims&)> row_of) {
  AtenOperation out;
  out.name = name;
  out.summary = summary;
  out.traffic = [=](const Dims& dims) {
    const std::int64_t elements = product(tensor(dims));
    return Traffic{elements, 4 * elements * inputs, 4 * elements, row_of(dims)};
  };
  out.operands = [=](const Dims& dims) {
    const std::int64_t bytes = 4 * product(tensor(dims));
    return OperandBytes{std::vector<std::int64_t>(static_cast<std::size_t>(inputs), bytes), {}};
  };
  out.prepare = std::move(prepare);
  return out;
}

void add_batch(BenchmarkRegistry& registry, const std::string& name, const std::string& summary,
               std::int64_t inputs, Prepare prepare) {
  AtenOperation out = operation(name, summary, inputs, std::move(prepare), image_dims,
                                [](const Dims& dims) { return dims[2] * dims[2]; });
  out.axes = {"n", "c", "h"};
  out.shapes = kImages;
  add_aten(registry, std::move(out));
}

void add_layer(BenchmarkRegistry& registry, const std::string& name, const std::string& summary,
               std::int64_t inputs, Prepare prepare) {
  AtenOperation out = operation(
      name, summary, inputs, std::move(prepare), [](const Dims& dims) { return dims; },
      [](const Dims& dims) { return dims[1]; });
  out.axes = {"rows", "columns"};
  out.shapes = kRows;
  add_aten(registry, std::move(out));
}

}  // namespace

void register_normalization(BenchmarkRegistry& registry) {
  add_batch(registry, "aten.batch_norm", "batch normalisation, training", 1, batch_norm);
  add_batch(registry, "aten.batch_norm_backward", "its gradients", 2, batch_norm_backward);
  add_layer(registry, "aten.layer_norm", "layer normalisation", 1, layer_norm);
  add_layer(registry, "aten.layer_norm_backward", "its gradients", 2, layer_norm_backward);
}

}  // namespace paceline
