#include "model/cost/fitted.h"

#include <algorithm>

#include "core/error.h"
#include "model/cost/formulas.h"

namespace paceline {
namespace {

std::string_view family(std::string_view formula) { return formula.substr(0, formula.find('.')); }

// "cpu.gemm/1" is of a family of kernel formulas; "framework.host/1" is evaluated elsewhere.
bool is_of_a_kernel(const Fit& fit) {
  const auto entries = kernel_formulas();
  return std::any_of(entries.begin(), entries.end(), [&](const FormulaEntry& entry) {
    return family(entry.id) == family(fit.formula);
  });
}

}  // namespace

FittedCostModel::FittedCostModel(ParameterSet parameters) : parameters_(std::move(parameters)) {
  for (const Fit& fit : parameters_.fits) {
    if (is_of_a_kernel(fit)) fits_.emplace_back(fit, parameters_);
  }
}

const PreparedFit* FittedCostModel::find(std::string_view implementation) const {
  const auto found = std::ranges::find_if(
      fits_, [&](const PreparedFit& fit) { return fit.fit().implementation == implementation; });
  return found == fits_.end() ? nullptr : &*found;
}

const PreparedFit& FittedCostModel::fit_of(const Kernel& kernel) const {
  if (const auto* conv = std::get_if<ConvShape>(&kernel.shape)) {
    const PreparedFit* of_pass =
        find(kernel.implementation + "." + std::string(to_string(conv->pass)));
    if (of_pass != nullptr) return *of_pass;
  }
  if (const PreparedFit* fit = find(kernel.implementation)) return *fit;
  parameters_.at(kernel.implementation);  // throws with the command that makes it
  throw MissingParameter("the fit of " + kernel.implementation + " is not of a kernel");
}

KernelCost FittedCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  const PreparedFit& fit = fit_of(kernel);
  const PreparedFit::Price price = fit.price(kernel, context);
  KernelCost out;
  out.time = price.time;
  out.bound = price.bound;
  out.shared_sd = price.shared_sd;
  out.own_sd = price.own_sd;
  out.origin = {OriginKind::kFitted, fit.source()};
  if (!price.outside.empty()) {
    out.origin.kind = OriginKind::kExtrapolated;
    out.origin.source += "; outside the measured range of ";
    out.origin.source += price.outside;
  }
  return out;
}

}  // namespace paceline
