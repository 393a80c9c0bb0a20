#include "simulator/report/test_device.h"

#include "model/cost/formulas.h"

namespace paceline {
namespace {

// One value per dimension of a parameter: the tests are about structure, not about numbers.
double value_of(const formula::Declaration& declared) {
  const std::string_view unit = declared.unit;
  if (declared.domain == formula::Domain::kReal) return 0;
  if (declared.domain == formula::Domain::kFraction) return 0.1;
  if (unit == "FLOP/s") return 1e11;
  if (unit == "B/s") return 3e10;
  if (unit == "B") return 1e7;
  if (unit == "s") return 1e-7;
  if (unit == "s/B") return 1e-11;
  return 1;
}

Fit kernel_fit(const std::string& implementation, const std::string& formula_id) {
  Fit fit;
  fit.implementation = implementation;
  fit.formula = formula_id;
  for (const formula::Declaration& declared : kernel_formula(formula_id).parameters) {
    Parameter parameter;
    parameter.name = std::string(declared.name);
    parameter.value = value_of(declared);
    // Time of one element of a stream kernel, not of one call.
    if (parameter.name == "element_time" || parameter.name == "row_time") parameter.value = 1e-10;
    if (parameter.name == "window_time") parameter.value = 1e-12;
    parameter.unit = std::string(declared.unit);
    parameter.scale = scale_of(declared.domain);
    fit.parameters.push_back(parameter);
  }
  fit.domain["threads"] = {1, 64};
  fit.quality.samples = 100;
  fit.quality.residual_sd = 0.05;
  fit.quality.shared_sd = 0.03;
  fit.quality.own_sd = 0.04;
  return fit;
}

}  // namespace

ParameterSet made_up_parameters() {
  ParameterSet set;
  set.device = "made-up";
  set.provenance.tool = "test";
  set.provenance.date = "2026-11-30T00:00:00Z";
  set.provenance.host.cores = 2;
  set.provenance.host.memory = Bytes(16e9);
  set.fits.push_back(kernel_fit("openblas.sgemm", "cpu.gemm/1"));
  set.fits.push_back(kernel_fit("onednn.conv", "cpu.convolution/1"));
  for (const char* name : {"onednn.reorder.to_blocked",
                           "onednn.reorder.from_blocked",
                           "onednn.reorder.weights_to_blocked",
                           "onednn.reorder.weights_from_blocked",
                           "aten.add",
                           "aten.add_",
                           "aten.avg_pool",
                           "aten.avg_pool_backward",
                           "aten.batch_norm",
                           "aten.batch_norm_backward",
                           "aten.bernoulli",
                           "aten.cat",
                           "aten.copy",
                           "aten.copy_transposed",
                           "aten.embedding",
                           "aten.embedding_backward",
                           "aten.fill",
                           "aten.layer_norm",
                           "aten.layer_norm_backward",
                           "aten.log_softmax",
                           "aten.log_softmax_backward",
                           "aten.max_pool",
                           "aten.max_pool_backward",
                           "aten.mean",
                           "aten.mean_backward",
                           "aten.mul",
                           "aten.mul_scalar",
                           "aten.relu",
                           "aten.relu_",
                           "aten.relu_backward",
                           "aten.sigmoid",
                           "aten.sigmoid_backward",
                           "aten.softmax",
                           "aten.softmax_backward",
                           "aten.sum",
                           "aten.tanh",
                           "aten.tanh_backward"}) {
    set.fits.push_back(kernel_fit(name, "cpu.stream/1"));
  }
  Fit host;
  host.implementation = "pytorch.host";
  host.formula = "framework.host/1";
  host.parameters.push_back({.name = "call", .value = 1e-6, .std_error = 0.1, .unit = "s"});
  set.fits.push_back(host);
  return set;
}

CpuDevice made_up_device() { return CpuDevice(made_up_parameters(), {"made-up.json", ""}); }

}  // namespace paceline
