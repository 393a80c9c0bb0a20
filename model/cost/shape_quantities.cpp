#include "model/cost/shape_quantities.h"

#include <bit>

namespace paceline {
namespace {

// In the order of their names.
enum ShapeQuantity : std::uint8_t {
  kBatch,
  kBytes,
  kChannels,
  kElements,
  kFilters,
  kFlops,
  kHeadDim,
  kHeads,
  kHidden,
  kImages,
  kK,
  kM,
  kN,
  kOutputW,
  kRow,
  kSeq,
  kSteps,
  kTaps,
  kThreads,
  kCount
};
constexpr std::array<std::string_view, kCount> kQuantityNames = {
    "batch", "bytes",  "channels", "elements", "filters", "flops", "head_dim",
    "heads", "hidden", "images",   "k",        "m",       "n",     "output_w",
    "row",   "seq",    "steps",    "taps",     "threads"};

struct Quantities {
  std::array<double, kCount> value{};  // of those in `present`
  std::uint32_t present = 0;

  void set(ShapeQuantity quantity, double of_kernel) {
    value[quantity] = of_kernel;
    present |= 1U << quantity;
  }
  void set(ShapeQuantity quantity, std::int64_t of_kernel) {
    set(quantity, static_cast<double>(of_kernel));
  }
};

struct Extents {
  Quantities& out;
  void operator()(const GemmShape& s) const {
    out.set(kM, s.m);
    out.set(kN, s.n);
    out.set(kK, s.k);
  }
  void operator()(const ConvShape& s) const {
    out.set(kImages, s.n);
    out.set(kChannels, s.c / s.groups);
    out.set(kFilters, s.k);
    out.set(kTaps, s.r * s.s);
    out.set(kOutputW, s.output_w());
  }
  void operator()(const StreamShape& s) const {
    out.set(kElements, s.elements);
    if (s.row > 0) out.set(kRow, s.row);
  }
  void operator()(const RnnShape& s) const {
    out.set(kHidden, s.hidden);
    out.set(kBatch, s.batch);
    out.set(kSteps, s.steps);
  }
  void operator()(const AttentionShape& s) const {
    out.set(kSeq, s.seq);
    out.set(kHeads, s.heads);
    out.set(kHeadDim, s.head_dim);
  }
};

Quantities quantities_of(const Kernel& kernel, const ExecutionContext& context) {
  Quantities out;
  std::visit(Extents{out}, kernel.shape);
  const double flops = kernel_flops(kernel.shape).si();
  if (flops > 0) out.set(kFlops, flops);
  out.set(kBytes, kernel_bytes(kernel.shape, kernel.precision).si());
  out.set(kThreads, static_cast<double>(context.threads));
  return out;
}

// Calls `visit` with the position of every bit of `mask`, lowest first.
template <typename Visit>
void for_each_bit(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
}

}  // namespace

std::map<std::string, double> shape_quantities(const Kernel& kernel,
                                               const ExecutionContext& context) {
  const Quantities quantities = quantities_of(kernel, context);
  std::map<std::string, double> out;
  for_each_bit(quantities.present,
               [&](std::size_t i) { out[std::string(kQuantityNames[i])] = quantities.value[i]; });
  return out;
}

FitDomain::FitDomain(const Fit& fit) {
  static_assert(kCount <= kMost);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto range = fit.domain.find(std::string(kQuantityNames[i]));
    if (range == fit.domain.end()) continue;
    range_[i] = range->second;
    limited_ |= 1U << i;
  }
}

std::string_view FitDomain::first_outside(const Kernel& kernel,
                                          const ExecutionContext& context) const {
  constexpr double kRounding = 1e-9;
  const Quantities quantities = quantities_of(kernel, context);
  std::string_view out;
  for_each_bit(quantities.present & limited_, [&](std::size_t i) {
    if (!out.empty()) return;
    const auto& [low, high] = range_[i];
    const double value = quantities.value[i];
    const bool between_threads = i == kThreads && value != low && value != high;
    const bool beyond = value < low * (1 - kRounding) || value > high * (1 + kRounding);
    if (beyond || between_threads) out = kQuantityNames[i];
  });
  return out;
}

}  // namespace paceline
