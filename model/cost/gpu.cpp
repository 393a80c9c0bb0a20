#include "model/cost/gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/gpu_family.h"
#include "model/cost/gpu_limits.h"

namespace paceline {
namespace {

std::string tile_text(const formula::TileChoice& tile) {
  const auto text = [](double x) { return std::to_string(static_cast<int>(x)); };
  std::string out = "tile " + text(tile.m) + "x" + text(tile.n);
  if (tile.split > 1) out += ", K in " + text(tile.split) + " slices";
  return out;
}

// Rows at random places use part of what a memory access brings; how much is not in any public
// timing, so a gather may take this factor (of one standard deviation) more or less.
constexpr double kGatherSd = 0.3;

bool is_gather(const Kernel& kernel) {
  const auto* stream = std::get_if<StreamShape>(&kernel.shape);
  return stream != nullptr && stream->kind == StreamKind::kGather;
}

constexpr std::string_view kMeasured = "measured";
constexpr std::string_view kSameChip = "same chip";
constexpr std::string_view kPooled = "pooled";

// The next wider arithmetic of the device, in which a library may run a kernel of this precision.
std::optional<Precision> wider(const DeviceSpec& device, Precision precision) {
  constexpr std::array<Precision, 5> kFromNarrow = {
      Precision::kFp8, Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp32};
  for (const Precision other : kFromNarrow) {
    const bool is_wider = element_size(other) > element_size(precision) ||
                          (precision == Precision::kTf32 && other == Precision::kFp32);
    if (is_wider && device.matrix_peak.contains(other)) return other;
  }
  return std::nullopt;
}

// Where fp32 products run on matrix units, the device without them.
std::optional<DeviceSpec> without_matrix_units(const DeviceSpec& device) {
  if (!device.uses_matrix_units(Precision::kFp32)) return std::nullopt;
  DeviceSpec out = device;
  out.matrix_peak.at(Precision::kFp32).value = device.vector_peak.value;
  return out;
}

// Kernels of one family move more bytes in a wider type, at no higher rate. Only matrix products
// may gain, where their rows were unaligned.
bool gains_nothing(const Kernel& wider, const Kernel& narrower, const DeviceSpec& device) {
  if (gpu_family_index(wider, device) != gpu_family_index(narrower, device)) return false;
  if (device.peak(wider.precision) > device.peak(narrower.precision)) return false;
  if (std::holds_alternative<ConvShape>(narrower.shape)) {
    return device.uses_matrix_units(narrower.precision);
  }
  if (!std::holds_alternative<GemmShape>(narrower.shape)) return true;
  formula::GpuGemm::Input input;
  read_input(narrower, {.device = &device}, input);
  return formula::GpuGemm::is_aligned(input);
}

// Fused attention is one family for all precisions, whose formula keeps the law.
bool has_families_by_precision(const Kernel& kernel) {
  return !std::holds_alternative<StreamShape>(kernel.shape) &&
         !std::holds_alternative<AttentionShape>(kernel.shape);
}

std::vector<FittedCostModel> models_of(std::vector<ParameterSet> sets) {
  std::vector<FittedCostModel> out;
  for (ParameterSet& set : sets) out.emplace_back(std::move(set));
  return out;
}

ExecutionContext on(const DeviceSpec& device, ExecutionContext context) {
  context.device = &device;
  return context;
}

}  // namespace

GpuCostModel::GpuCostModel(DeviceSpec device, GpuParameterFiles parameters)
    : device_(std::move(device)),
      on_vector_units_(without_matrix_units(device_)),
      own_(std::move(parameters.own)),
      same_chip_(models_of(std::move(parameters.same_chip))),
      same_chip_sd_(parameters.same_chip_sd),
      common_share_(parameters.common_share),
      architecture_(std::move(parameters.architecture)) {
  find_families();
}

GpuCostModel GpuCostModel::for_device(const DeviceSpec& device) {
  return {device, read_gpu_parameters(device)};
}

void GpuCostModel::refine(std::map<std::string, FamilyRefinement> refinements) {
  refinements_ = std::move(refinements);
  find_families();
}

GpuCostModel::Family GpuCostModel::find_family(std::string_view name) const {
  Family out;
  const auto refined = refinements_.find(std::string(name));
  if (refined != refinements_.end()) out.refinement = refined->second;
  if ((out.fit = own_.find(name)) != nullptr) {
    out.origin = kMeasured;
    return out;
  }
  for (const FittedCostModel& model : same_chip_) {
    if ((out.fit = model.find(name)) == nullptr) continue;
    out.origin = kSameChip;
    return out;
  }
  out.fit = architecture_.find(name);
  out.origin = kPooled;
  return out;
}

std::string GpuCostModel::source_of(std::string_view name, const Family& family) const {
  std::string out;
  if (family.refinement) {
    out = std::to_string(family.refinement->timings) + " timings of this device on top of: ";
  }
  if (family.origin != kPooled) return out + family.fit->source();
  return out + std::string(name) + " of " + device_.name + " was not measured; expected " +
         "from measured devices and what is known of architecture " + device_.architecture;
}

void GpuCostModel::find_families() {
  families_.clear();
  for (const GpuFamily& listed : gpu_families()) {
    Family family = find_family(listed.name);
    if (family.fit != nullptr) family.source = source_of(listed.name, family);
    families_.push_back(std::move(family));
  }
}

const GpuCostModel::Family& GpuCostModel::family_at(std::size_t index) const {
  const Family& family = families_[index];
  if (family.fit == nullptr) architecture_.parameters().at(gpu_families()[index].name);  // throws
  return family;
}

GpuCostModel::Path GpuCostModel::path(const Kernel& kernel, const DeviceSpec& device,
                                      const ExecutionContext& context, Seconds limit) const {
  Path out{kernel.precision, &device, gpu_family_index(kernel, device), {}, {}, 0};
  const Family& family = family_at(out.family);
  const double shift = family.refinement ? std::exp(family.refinement->log_shift) : 1.0;
  out.price = family.fit->price(kernel, on(device, context), limit / shift);
  PreparedFit::Price& price = out.price;
  if (family.origin == kPooled) out.common_share = common_share_;
  if (family.origin == kSameChip) {
    price.shared_sd = std::hypot(price.shared_sd, same_chip_sd_);
    if (price.shared_sd > 0) out.common_share = std::pow(same_chip_sd_ / price.shared_sd, 2);
  }
  if (family.refinement) {
    price.time = shift * price.time;
    price.shared_sd = std::min(price.shared_sd, family.refinement->shared_sd);
    out.common_share = 0;  // each family has its own timings
  }
  out.least = least_time(kernel, device);
  price.time = std::max(price.time, out.least);
  return out;
}

GpuCostModel::Path GpuCostModel::fastest_path(const Kernel& kernel,
                                              const ExecutionContext& context) const {
  constexpr Seconds kNoLimit(std::numeric_limits<double>::infinity());
  Path best = path(kernel, device_, context, kNoLimit);
  if (!has_families_by_precision(kernel)) return best;
  // Convolutions of few channels are slower in 16 bits (one in ten of those timed in both): a fit
  // to timings of this chip knows which, an expectation does not.
  const bool timed = families_[best.family].origin != kPooled;
  if (timed && std::holds_alternative<ConvShape>(kernel.shape)) return best;
  Kernel other{{}, kernel.shape, kernel.precision};
  const auto consider = [&](const DeviceSpec& device) {
    if (least_time(other, device) >= best.price.time) return;
    const Path found = path(other, device, context, best.price.time);
    if (found.price.time < best.price.time) best = found;
  };
  for (auto next = wider(device_, kernel.precision); next; next = wider(device_, *next)) {
    const Kernel narrower = other;
    other.precision = *next;
    if (!gains_nothing(other, narrower, device_)) consider(device_);
  }
  if (on_vector_units_) {
    other.precision = Precision::kFp32;
    consider(*on_vector_units_);
  }
  return best;
}

Origin GpuCostModel::origin_of(const Path& path, Precision asked) const {
  const Family& family = families_[path.family];
  Origin out{OriginKind::kFitted, family.source};
  if (family.origin == kPooled) {
    out.kind = OriginKind::kExtrapolated;
  } else if (!path.price.outside.empty()) {
    out.kind = OriginKind::kExtrapolated;
    out.source += "; outside the measured range of ";
    out.source += path.price.outside;
  }
  if (family.origin == kSameChip) out.source += ", which has the same chip";
  if (family.refinement) out.kind = OriginKind::kFitted;
  if (path.precision != asked) {
    out.source += "; with the arithmetic of ";
    out.source += to_string(path.precision);
    out.source += ", whose kernel is faster here";
  }
  return out;
}

KernelCost GpuCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  const Path path = fastest_path(kernel, context);
  KernelCost out;
  out.time = path.price.time;
  out.least = path.least;
  out.bound = path.price.bound;
  out.family = gpu_families()[path.family].name;
  out.shared_sd = path.price.shared_sd;
  out.own_sd = path.price.own_sd;
  out.common_share = path.common_share;
  out.origin = origin_of(path, kernel.precision);
  const auto* rnn = std::get_if<RnnShape>(&kernel.shape);
  if (rnn != nullptr && rnn->persistent) {
    out.origin = {OriginKind::kExtrapolated,
                  "persistent kernels were not measured; what is believed of their steps, and " +
                      out.origin.source};
  }
  if (is_gather(kernel)) {
    const double shared_sd = std::hypot(out.shared_sd, kGatherSd);
    out.common_share *= std::pow(out.shared_sd / shared_sd, 2);  // only gathers have this error
    out.shared_sd = shared_sd;
    out.origin = {OriginKind::kExtrapolated,
                  "gathers were not measured; priced as elementwise kernels: " + out.origin.source};
  }
  return out;
}

KernelChoice GpuCostModel::choice(const Kernel& asked, const ExecutionContext& context) const {
  const Path path = fastest_path(asked, context);
  const Kernel kernel{asked.implementation, asked.shape, path.precision};
  KernelChoice out = algorithm_of(path, kernel, on(*path.device, context));
  if (path.precision != asked.precision) out.wider = path.precision;
  return out;
}

KernelChoice GpuCostModel::algorithm_of(const Path& path, const Kernel& kernel,
                                        const ExecutionContext& here) const {
  const double* values = families_[path.family].fit->values().data();
  if (std::holds_alternative<GemmShape>(kernel.shape)) {
    formula::GpuGemm::Input input;
    read_input(kernel, here, input);
    const auto rates = formula::GpuGemm::rates(input, values);
    const auto product = formula::GpuGemm::product(input);
    return {tile_text(formula::fastest_tile(product, input.device, rates).tile), Bytes(0)};
  }
  if (std::holds_alternative<ConvShape>(kernel.shape)) {
    formula::GpuConvolution::Input input;
    read_input(kernel, here, input);
    const auto algorithm = formula::GpuConvolution::fastest(input, values);
    return {std::string(formula::name_of(algorithm)),
            Bytes(formula::workspace_bytes(input, algorithm)),
            Flops(formula::algorithm_flops(input, algorithm))};
  }
  if (std::holds_alternative<AttentionShape>(kernel.shape)) return {"flash", Bytes(0)};
  if (std::holds_alternative<RnnShape>(kernel.shape)) return {"fused over steps", Bytes(0)};
  return {"stream", Bytes(0)};
}

std::vector<GpuFamilyOrigin> GpuCostModel::origins() const {
  std::vector<GpuFamilyOrigin> out;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    if (family.fit == nullptr) continue;
    const GpuFamily& listed = gpu_families()[i];
    out.push_back({std::string(listed.name), std::string(listed.summary),
                   std::string(family.origin), family.fit->fit().quality});
  }
  return out;
}

}  // namespace paceline
