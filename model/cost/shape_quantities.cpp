#include "model/cost/shape_quantities.h"

namespace paceline {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

struct Extents {
  std::map<std::string, double>& out;
  void operator()(const GemmShape& s) const {
    out["m"] = number(s.m);
    out["n"] = number(s.n);
    out["k"] = number(s.k);
  }
  void operator()(const ConvShape& s) const {
    out["images"] = number(s.n);
    out["channels"] = number(s.c / s.groups);
    out["filters"] = number(s.k);
    out["taps"] = number(s.r * s.s);
    out["output_w"] = number(s.output_w());
  }
  void operator()(const StreamShape& s) const {
    out["elements"] = number(s.elements);
    if (s.row > 0) out["row"] = number(s.row);
  }
  void operator()(const RnnShape& s) const {
    out["hidden"] = number(s.hidden);
    out["batch"] = number(s.batch);
    out["steps"] = number(s.steps);
  }
  void operator()(const AttentionShape& s) const {
    out["seq"] = number(s.seq);
    out["heads"] = number(s.heads);
    out["head_dim"] = number(s.head_dim);
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
