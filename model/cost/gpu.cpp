#include "model/cost/gpu.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
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

}  // namespace

GpuCostModel::GpuCostModel(DeviceSpec device, ParameterSet own, ParameterSet architecture)
    : device_(std::move(device)), own_(std::move(own)), architecture_(std::move(architecture)) {}

GpuCostModel GpuCostModel::for_device(const DeviceSpec& device) {
  const std::filesystem::path folder = data_directory() / "calibration" / "fitted" / "gpu";
  const std::filesystem::path own = folder / (device.name + ".json");
  return {device, std::filesystem::exists(own) ? read_parameters(own) : ParameterSet{},
          read_parameters(folder / ("architecture-" + device.architecture + ".json"))};
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
  if (&model == &architecture_) {
    out.origin = {
        OriginKind::kExtrapolated,
        of_family.implementation + " of " + device_.name + " was not measured; expected " +
            "from measured devices and what is known of architecture " + device_.architecture};
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
