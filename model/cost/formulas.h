// The kernel formulas by name, evaluated with plain numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/cost/cost_model.h"
#include "model/formula/time_parts.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct FormulaEntry {
  std::string_view id;  // "cpu.gemm/1"
  std::span<const formula::Declaration> parameters;
  // `values` in the order of `parameters`.
  formula::TimeParts<double> (*evaluate)(const Kernel&, const ExecutionContext&,
                                         const double* values);
  // The same parts, with the derivatives of ln(total) in each of `values` in `out`, where the
  // choices of the formula (tile, algorithm) stay: that of a minimum is that of the smallest. A
  // total that is not below `limit` may be returned as infinity, without a look at choices that
  // cannot be below.
  formula::TimeParts<double> (*log_gradient)(const Kernel&, const ExecutionContext&,
                                             const double* values, double* out, double limit);
};

// No formula has more parameters.
inline constexpr std::size_t kMostFormulaParameters = 32;

std::span<const FormulaEntry> kernel_formulas();
// Throws InputError with the known ids.
const FormulaEntry& kernel_formula(std::string_view id);

// Which scale a parameter of this domain is fitted on.
ParameterScale scale_of(formula::Domain domain);

}  // namespace paceline
