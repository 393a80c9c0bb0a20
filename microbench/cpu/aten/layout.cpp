// Copies that change how a tensor lies in memory, concatenation and column sums.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sum.h>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

// How aten.copy's source lies: as its destination; one row for all (a bias); rows in another order
// (the heads of attention).
enum Source : std::int64_t { kContiguous = 0, kOneRow = 1, kPermutedRows = 2 };

const std::vector<Dims> kCopies = {
    {kContiguous, 1, 64 * 29}, {kOneRow, 21, 192},           {kContiguous, 1, 64 * 389},
    {kOneRow, 63, 448},        {kPermutedRows, 192, 80},     {kContiguous, 1, 64 * 1543},
    {kOneRow, 483, 352},       {kPermutedRows, 3840, 48},    {kContiguous, 1, 64 * 6143},
    {kOneRow, 963, 2496},      {kPermutedRows, 9600, 80},    {kContiguous, 1, 64 * 24571},
    {kOneRow, 1197, 3648},     {kContiguous, 1, 64 * 98299}, {kContiguous, 1, 64 * 196613}};
// Batch, rows and columns of matrices that are copied transposed.
const std::vector<Dims> kTransposed = {{1, 48, 96},   {8, 96, 48},    {16, 160, 80}, {48, 96, 80},
                                       {65, 160, 48}, {96, 176, 112}, {80, 336, 144}};
// Pieces, rows of a piece, columns of a piece; joined along columns (the gates of a step) or, with
// one row block each, along rows (the steps of a sequence).
const std::vector<Dims> kPieces = {{4, 21, 176, 1},       {20, 1, 64 * 29, 0}, {4, 49, 304, 1},
                                   {3, 481, 176, 1},      {40, 1, 64 * 97, 0}, {2, 961, 656, 1},
                                   {24, 1, 64 * 1543, 0}, {4, 1201, 608, 1}};
const std::vector<Dims> kSums = {{20, 192},  {48, 736},   {60, 1280},  {24, 5000},  {480, 320},
                                 {96, 3584}, {1000, 640}, {960, 2304}, {600, 12000}};

// Rows in groups of twelve are read as twelve interleaved sequences.
constexpr std::int64_t kHeads = 12;

Dims source_dims(const Dims& d) {
  if (d[0] == kOneRow) return {1, d[2]};
  if (d[0] == kPermutedRows) return {d[1] / kHeads, kHeads, d[2]};
  return {d[1], d[2]};
}

AtenCall copy(const Dims& d, OperandSets& sets) {
  std::vector<Tensor> source, out;
  for (Tensor& x : input_tensors(sets, 0, source_dims(d))) {
    if (d[0] == kOneRow) x = x.expand({d[1], d[2]});
    if (d[0] == kPermutedRows) x = x.transpose(0, 1);
    source.push_back(x);
  }
  for (Tensor& y : output_tensors(sets, 0, {d[1], d[2]})) out.push_back(y.view(source[0].sizes()));
  AtenCall call;
  call.run = [=](std::size_t set) mutable { out[set].copy_(source[set]); };
  call.check = [=, run = call.run] {
    run(0);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(d[1] * d[2]), 64)) {
      const auto index = static_cast<std::int64_t>(i);
      const std::int64_t row = index / d[2], column = index % d[2];
      const std::int64_t sequence = d[1] / kHeads;  // destination row = head x sequence + place
      std::int64_t from = index;
      if (d[0] == kOneRow) from = column;
      if (d[0] == kPermutedRows) from = (row % sequence * kHeads + row / sequence) * d[2] + column;
      require_close("element " + std::to_string(i), out[0].data_ptr<float>()[i],
                    sets.input(0, 0)[from], 0, 0);
    }
  };
  return call;
}

AtenCall copy_transposed(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, d);
  std::vector<Tensor> out = output_tensors(sets, 0, {d[0], d[2], d[1]});
  AtenCall call;
  call.run = [=](std::size_t set) mutable { out[set].copy_(x[set].transpose(1, 2)); };
  call.check = [=, run = call.run] {
    run(0);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(product(d)), 64)) {
      const auto index = static_cast<std::int64_t>(i);
      const std::int64_t matrix = index / (d[1] * d[2]), place = index % (d[1] * d[2]);
      const std::int64_t from = matrix * d[1] * d[2] + place % d[1] * d[2] + place / d[1];
      require_close("element " + std::to_string(i), out[0].data_ptr<float>()[i],
                    x[0].data_ptr<float>()[from], 0, 0);
    }
  };
  return call;
}

AtenCall cat(const Dims& d, OperandSets& sets) {
  const bool columns = d[3] == 1;
  std::vector<Tensor> out =
      output_tensors(sets, 0, columns ? Dims{d[1], d[0] * d[2]} : Dims{d[0] * d[1], d[2]});
  std::vector<std::vector<Tensor>> pieces;
  for (const Tensor& x : input_tensors(sets, 0, {d[0], d[1], d[2]})) pieces.push_back(x.unbind(0));
  AtenCall call;
  call.run = [=](std::size_t set) mutable { at::cat_out(out[set], pieces[set], columns ? 1 : 0); };
  call.check = [=, run = call.run] {
    run(0);
    const auto size = static_cast<std::size_t>(d[0] * d[1] * d[2]);
    for (const std::size_t i : spread_indices(size, 64)) {
      const auto index = static_cast<std::int64_t>(i);
      const std::int64_t width = d[0] * d[2];
      const std::int64_t piece = index % width / d[2];
      const std::int64_t from =
          columns ? (piece * d[1] + index / width) * d[2] + index % d[2] : index;
      require_close("element " + std::to_string(i), out[0].data_ptr<float>()[i],
                    sets.input(0, 0)[from], 0, 0);
    }
  };
  return call;
}

AtenCall column_sum(const Dims& d, OperandSets& sets) {
  const std::vector<Tensor> x = input_tensors(sets, 0, d);
  std::vector<Tensor> out = output_tensors(sets, 0, {1, d[1]});
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    at::sum_out(out[set], x[set], at::IntArrayRef{0}, true);
  };
  call.check = [=, run = call.run] {
    run(0);
    const auto rows = static_cast<std::size_t>(d[0]), columns = static_cast<std::size_t>(d[1]);
    for (const std::size_t c : spread_indices(columns, 16)) {
      require_close("column " + std::to_string(c), out[0].data_ptr<float>()[c],
                    sum(Row{x[0].data_ptr<float>() + c, rows, columns}), static_cast<double>(rows),
                    1e-5);
    }
  };
  return call;
}

AtenOperation operation(const std::string& name, const std::string& summary,
                        std::vector<std::string> axes, const std::vector<Dims>& shapes,
                        AtenCall (*prepare)(const Dims&, OperandSets&)) {
  AtenOperation out;
  out.name = name;
  out.summary = summary;
  out.axes = std::move(axes);
  out.shapes = shapes;
  out.prepare = prepare;
  return out;
}

}  // namespace

void register_layout(BenchmarkRegistry& registry) {
  AtenOperation op =
      operation("aten.copy", "copy of a contiguous, a broadcast or a permuted tensor",
                {"source", "rows", "columns"}, kCopies, copy);
  op.warm_bytes = kBeyondLastLevelCache;
  op.traffic = [](const Dims& d) {
    const std::int64_t bytes = 4 * d[1] * d[2];
    return Traffic{d[1] * d[2], d[0] == kOneRow ? 0 : bytes, bytes, 0};
  };
  op.operands = [](const Dims& d) {
    return OperandBytes{{4 * product(source_dims(d))}, {4 * d[1] * d[2]}};
  };
  add_aten(registry, std::move(op));

  op = operation("aten.copy_transposed", "copy of transposed matrices",
                 {"matrices", "rows", "columns"}, kTransposed, copy_transposed);
  op.traffic = [](const Dims& d) { return Traffic{product(d), 4 * product(d), 4 * product(d), 0}; };
  op.operands = [](const Dims& d) { return OperandBytes{{4 * product(d)}, {4 * product(d)}}; };
  add_aten(registry, std::move(op));

  op = operation("aten.cat", "concatenation", {"pieces", "rows", "columns", "dimension"}, kPieces,
                 cat);
  op.traffic = [](const Dims& d) {
    const std::int64_t elements = d[0] * d[1] * d[2];
    return Traffic{elements, 4 * elements, 4 * elements, 0};
  };
  op.operands = [](const Dims& d) {
    const std::int64_t bytes = 4 * d[0] * d[1] * d[2];
    return OperandBytes{{bytes}, {bytes}};
  };
  add_aten(registry, std::move(op));

  op = operation("aten.sum", "column sums: the gradient of a bias", {"rows", "columns"}, kSums,
                 column_sum);
  op.traffic = [](const Dims& d) { return Traffic{product(d), 4 * product(d), 0, d[1]}; };
  op.operands = [](const Dims& d) { return OperandBytes{{4 * product(d)}, {4 * d[1]}}; };
  add_aten(registry, std::move(op));
}

}  // namespace paceline
