#include "model/cost/shape_quantities.h"

namespace paceline {
namespace {

double extent(std::int64_t value) { return static_cast<double>(value); }

struct Extents {
  std::map<std::string, double>& out;
  void operator()(const GemmShape& s) const {
    out["m"] = extent(s.m);
    out["n"] = extent(s.n);
    out["k"] = extent(s.k);
  }
  void operator()(const ConvShape& s) const {
    out["images"] = extent(s.n);
    out["channels"] = extent(s.c / s.groups);
    out["filters"] = extent(s.k);
    out["taps"] = extent(s.r * s.s);
    out["output_w"] = extent(s.output_w());
  }
  void operator()(const StreamShape& s) const {
    out["elements"] = extent(s.elements);
    if (s.row > 0) out["row"] = extent(s.row);
  }
  void operator()(const RnnShape& s) const {
    out["hidden"] = extent(s.hidden);
    out["batch"] = extent(s.batch);
    out["steps"] = extent(s.steps);
  }
  void operator()(const AttentionShape& s) const {
    out["seq"] = extent(s.seq);
    out["heads"] = extent(s.heads);
    out["head_dim"] = extent(s.head_dim);
  }
};

}  // namespace

std::map<std::string, double> shape_quantities(const Kernel& kernel,
                                               const ExecutionContext& context) {
  std::map<std::string, double> out;
  std::visit(Extents{out}, kernel.shape);
  const double flops = kernel_flops(kernel.shape).si();
  if (flops > 0) out["flops"] = flops;
  out["bytes"] = kernel_bytes(kernel.shape, kernel.precision).si();
  out["threads"] = context.threads;
  return out;
}

std::string outside_domain(const Fit& fit, const Kernel& kernel, const ExecutionContext& context) {
  constexpr double kRounding = 1e-9;
  for (const auto& [quantity, value] : shape_quantities(kernel, context)) {
    const auto range = fit.domain.find(quantity);
    if (range == fit.domain.end()) continue;
    const auto& [low, high] = range->second;
    if (value < low * (1 - kRounding) || value > high * (1 + kRounding)) return quantity;
    if (quantity == "threads" && value != low && value != high) return quantity;
  }
  return "";
}

}  // namespace paceline
