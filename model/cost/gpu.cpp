#include "model/cost/gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/formulas.h"
#include "model/cost/gpu_family.h"
#include "model/cost/gpu_limits.h"
#include "model/hardware/power_share.h"

namespace paceline {
namespace {

// The parameters of a fit in the order of its formula.
template <typename Formula>
std::vector<double> values_of(const Fit& fit) {
  std::vector<double> out;
  for (const formula::Declaration& declared : Formula::kParameters) {
    out.push_back(fit.value(std::string(declared.name)));
  }
  return out;
}

// What FittedCostModel prices, without how sure it is.
Seconds fitted_time(const Fit& fit, const Kernel& kernel, const ExecutionContext& context) {
  const FormulaEntry& formula = kernel_formula(fit.formula);
  std::vector<double> values;
  for (const formula::Declaration& declared : formula.parameters) {
    values.push_back(fit.value(std::string(declared.name)));
  }
  return Seconds(formula.evaluate(kernel, context, values.data()).total);
}

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

// Fused attention is one family for all precisions, whose formula keeps the law.
bool has_families_by_precision(const Kernel& kernel) {
  return !std::holds_alternative<StreamShape>(kernel.shape) &&
         !std::holds_alternative<AttentionShape>(kernel.shape);
}

// What is expected of an architecture is expected of a board with enough power.
// What was measured needs no expectation, and the other boards of the architecture need not be
// read.
void expect_of_power(const DeviceSpec& device, const ParameterSet& own,
                     ParameterSet& architecture) {
  const bool needed = std::ranges::any_of(architecture.fits, [&](const Fit& fit) {
    return is_limited_by_power(fit.implementation) && own.find(fit.implementation) == nullptr;
  });
  if (!needed) return;
  const double share = power_share(device, DeviceCatalog::shipped());
  for (Fit& fit : architecture.fits) {
    if (!is_limited_by_power(fit.implementation)) continue;
    for (Parameter& p : fit.parameters) {
      if (p.name == "compute_share") p.value *= share;
    }
  }
}

std::vector<FittedCostModel> models_of(std::vector<ParameterSet> sets) {
  std::vector<FittedCostModel> out;
  for (ParameterSet& set : sets) out.emplace_back(std::move(set));
  return out;
}

}  // namespace

GpuCostModel::GpuCostModel(DeviceSpec device, GpuParameterFiles parameters)
    : device_(std::move(device)),
      on_vector_units_(without_matrix_units(device_)),
      own_(std::move(parameters.own)),
      same_chip_(models_of(std::move(parameters.same_chip))),
      same_chip_sd_(parameters.same_chip_sd),
      architecture_(std::move(parameters.architecture)) {}

GpuParameterFiles read_gpu_parameters(const DeviceSpec& device) {
  const std::filesystem::path folder = data_directory() / "calibration" / "fitted" / "gpu";
  GpuParameterFiles out;
  const auto read = [&](const std::filesystem::path& file) {
    const std::string text = read_text_file(file);
    out.inputs.push_back({file.filename().string(), sha256_hex(text)});
    return parse_parameters(text, file.string());
  };
  const auto file_of = [&](const std::string& name) { return folder / (name + ".json"); };
  if (std::filesystem::exists(file_of(device.name))) out.own = read(file_of(device.name));
  if (device.same_chip) {
    for (const std::string& name : device.same_chip->value) {
      if (std::filesystem::exists(file_of(name))) out.same_chip.push_back(read(file_of(name)));
    }
    out.same_chip_sd = read(file_of("same-chip")).at("gpu.same_chip").value("shared_sd");
  }
  out.architecture = read(file_of("architecture-" + device.architecture));
  expect_of_power(device, out.own, out.architecture);
  return out;
}

GpuCostModel GpuCostModel::for_device(const DeviceSpec& device) {
  return {device, read_gpu_parameters(device)};
}

GpuCostModel::Source GpuCostModel::source_of(const std::string& family) const {
  if (own_.parameters().find(family) != nullptr) return {&own_, kMeasured};
  for (const FittedCostModel& model : same_chip_) {
    if (model.parameters().find(family) != nullptr) return {&model, kSameChip};
  }
  return {&architecture_, kPooled};
}

KernelCost GpuCostModel::cost_as_it_is(const Kernel& kernel, const DeviceSpec& device,
                                       const ExecutionContext& context) const {
  Kernel of_family = kernel;
  of_family.implementation = gpu_family(kernel, device);
  ExecutionContext here = context;
  here.device = &device;
  const Source source = source_of(of_family.implementation);
  KernelCost out = source.model->cost(of_family, here);
  out.family = of_family.implementation;
  if (source.origin == kSameChip) {
    out.shared_sd = std::hypot(out.shared_sd, same_chip_sd_);
    out.origin.source += ", which has the same chip";
  }
  if (source.origin == kPooled) {
    out.origin = {
        OriginKind::kExtrapolated,
        of_family.implementation + " of " + device_.name + " was not measured; expected " +
            "from measured devices and what is known of architecture " + device_.architecture};
  }
  const auto refined = refinements_.find(out.family);
  if (refined != refinements_.end()) {
    out.time = std::exp(refined->second.log_shift) * out.time;
    out.shared_sd = std::min(out.shared_sd, refined->second.shared_sd);
    out.origin = {OriginKind::kFitted,
                  std::to_string(refined->second.timings) +
                      " timings of this device on top of: " + out.origin.source};
  }
  out.least = least_time(kernel, device);
  out.time = std::max(out.time, out.least);
  return out;
}

// Convolutions of few channels are slower in 16 bits (one in ten of those timed in both): a fit to
// timings of this chip knows which, an expectation does not.
bool GpuCostModel::runs_as_it_is(const Kernel& kernel) const {
  if (!has_families_by_precision(kernel)) return true;
  return std::holds_alternative<ConvShape>(kernel.shape) &&
         source_of(gpu_family(kernel, device_)).origin != kPooled;
}

// By the times alone: how sure they are costs more to say and decides nothing.
GpuCostModel::Path GpuCostModel::fastest_path(const Kernel& kernel,
                                              const ExecutionContext& context) const {
  Path best{kernel, &device_, {}};
  if (runs_as_it_is(kernel)) return best;
  // The time of cost_as_it_is.
  const auto time_of = [&](const Kernel& other, const DeviceSpec& device) {
    const std::string family = gpu_family(other, device);
    Kernel of_family = other;
    of_family.implementation = family;
    ExecutionContext here = context;
    here.device = &device;
    Seconds time = fitted_time(source_of(family).model->parameters().at(family), of_family, here);
    const auto refined = refinements_.find(family);
    if (refined != refinements_.end()) time = std::exp(refined->second.log_shift) * time;
    return std::max(time, least_time(other, device));
  };
  best.cost.time = time_of(kernel, device_);
  const auto consider = [&](const Kernel& other, const DeviceSpec& device) {
    if (least_time(other, device) >= best.cost.time) return;
    const Seconds time = time_of(other, device);
    if (time >= best.cost.time) return;
    best = {other, &device, {}};
    best.cost.time = time;
  };
  Kernel other = kernel;
  for (auto next = wider(device_, kernel.precision); next; next = wider(device_, *next)) {
    other.precision = *next;
    consider(other, device_);
  }
  if (on_vector_units_) {
    other.precision = Precision::kFp32;
    consider(other, *on_vector_units_);
  }
  return best;
}

KernelCost GpuCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  const Path path = fastest_path(kernel, context);
  KernelCost out = cost_as_it_is(path.kernel, *path.device, context);
  if (path.kernel.precision != kernel.precision) {
    out.origin.source += "; with the arithmetic of " +
                         std::string(to_string(path.kernel.precision)) +
                         ", whose kernel is faster here";
  }
  const auto* rnn = std::get_if<RnnShape>(&kernel.shape);
  if (rnn != nullptr && rnn->persistent) {
    out.origin = {OriginKind::kExtrapolated,
                  "persistent kernels were not measured; what is believed of their steps, and " +
                      out.origin.source};
  }
  if (is_gather(kernel)) {
    out.shared_sd = std::hypot(out.shared_sd, kGatherSd);
    out.origin = {OriginKind::kExtrapolated,
                  "gathers were not measured; priced as elementwise kernels: " + out.origin.source};
  }
  return out;
}

KernelChoice GpuCostModel::choice(const Kernel& asked, const ExecutionContext& context) const {
  const Path path = fastest_path(asked, context);
  const Kernel& kernel = path.kernel;
  const std::string family = gpu_family(kernel, *path.device);
  const Fit& fit = source_of(family).model->parameters().at(family);
  ExecutionContext here = context;
  here.device = path.device;
  if (std::holds_alternative<GemmShape>(kernel.shape)) {
    formula::GpuGemm::Input input;
    read_input(kernel, here, input);
    const auto rates = formula::GpuGemm::rates(input, values_of<formula::GpuGemm>(fit).data());
    const auto product = formula::GpuGemm::product(input);
    return {tile_text(formula::fastest_tile(product, input.device, rates)), Bytes(0)};
  }
  if (std::holds_alternative<ConvShape>(kernel.shape)) {
    formula::GpuConvolution::Input input;
    read_input(kernel, here, input);
    const auto algorithm =
        formula::GpuConvolution::fastest(input, values_of<formula::GpuConvolution>(fit).data());
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
  for (const GpuFamily& family : gpu_families()) {
    const std::string name(family.name);
    const Source source = source_of(name);
    const Fit* fit = source.model->parameters().find(name);
    if (fit == nullptr) continue;
    out.push_back({name, std::string(family.summary), std::string(source.origin), fit->quality});
  }
  return out;
}

}  // namespace paceline
