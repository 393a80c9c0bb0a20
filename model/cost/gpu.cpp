#include "model/cost/gpu.h"

#include <algorithm>
#include <cmath>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/gpu_family.h"

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

}  // namespace

GpuCostModel::GpuCostModel(DeviceSpec device, ParameterSet own, ParameterSet architecture)
    : device_(std::move(device)), own_(std::move(own)), architecture_(std::move(architecture)) {}

GpuParameterFiles read_gpu_parameters(const DeviceSpec& device) {
  const std::filesystem::path folder = data_directory() / "calibration" / "fitted" / "gpu";
  GpuParameterFiles out;
  const auto read = [&](const std::filesystem::path& file) {
    const std::string text = read_text_file(file);
    out.inputs.push_back({file.filename().string(), sha256_hex(text)});
    return parse_parameters(text, file.string());
  };
  const std::filesystem::path own = folder / (device.name + ".json");
  if (std::filesystem::exists(own)) out.own = read(own);
  out.architecture = read(folder / ("architecture-" + device.architecture + ".json"));
  return out;
}

GpuCostModel GpuCostModel::for_device(const DeviceSpec& device) {
  GpuParameterFiles parameters = read_gpu_parameters(device);
  return {device, std::move(parameters.own), std::move(parameters.architecture)};
}

const FittedCostModel& GpuCostModel::model_of(const std::string& family) const {
  return own_.parameters().find(family) != nullptr ? own_ : architecture_;
}

KernelCost GpuCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  Kernel of_family = kernel;
  of_family.implementation = gpu_family(kernel, device_);
  ExecutionContext here = context;
  here.device = &device_;
  const FittedCostModel& model = model_of(of_family.implementation);
  KernelCost out = model.cost(of_family, here);
  out.family = of_family.implementation;
  if (&model == &architecture_) {
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

KernelChoice GpuCostModel::choice(const Kernel& kernel, const ExecutionContext& context) const {
  const std::string family = gpu_family(kernel, device_);
  const Fit& fit = model_of(family).parameters().at(family);
  ExecutionContext here = context;
  here.device = &device_;
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
            Bytes(formula::workspace_bytes(input, algorithm))};
  }
  if (std::holds_alternative<AttentionShape>(kernel.shape)) return {"flash", Bytes(0)};
  if (std::holds_alternative<RnnShape>(kernel.shape)) return {"fused over steps", Bytes(0)};
  return {"stream", Bytes(0)};
}

std::vector<GpuFamilyOrigin> GpuCostModel::origins() const {
  std::vector<GpuFamilyOrigin> out;
  for (const GpuFamily& family : gpu_families()) {
    const std::string name(family.name);
    const Fit* fit = own_.parameters().find(name);
    const std::string origin = fit != nullptr ? "measured" : "pooled";
    if (fit == nullptr) fit = architecture_.parameters().find(name);
    if (fit == nullptr) continue;
    out.push_back({name, std::string(family.summary), origin, fit->quality});
  }
  return out;
}

}  // namespace paceline
