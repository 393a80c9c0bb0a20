#include "model/cost/formulas.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/formula_list.h"
#include "model/formula/dual.h"

namespace paceline {
namespace {

template <typename Formula>
formula::TimeParts<double> evaluate(const Kernel& kernel, const ExecutionContext& context,
                                    const double* values) {
  typename Formula::Input input;
  read_input(kernel, context, input);
  return Formula::time(input, values);
}

template <typename Formula>
formula::TimeParts<double> log_gradient(const Kernel& kernel, const ExecutionContext& context,
                                        const double* values, double* out, double limit) {
  constexpr std::size_t kCount = std::tuple_size_v<decltype(Formula::kParameters)>;
  static_assert(kCount <= kMostFormulaParameters);
  typename Formula::Input input;
  read_input(kernel, context, input);
  std::array<formula::Dual<kCount>, kCount> variables;
  for (std::size_t i = 0; i < kCount; ++i) {
    variables[i] = formula::Dual<kCount>::variable(values[i], i);
  }
  formula::TimeParts<formula::Dual<kCount>> parts;
  if constexpr (requires { Formula::choose(input, values, limit); }) {
    const auto choice = Formula::choose(input, values, limit);
    if (!Formula::is_found(choice)) return {std::numeric_limits<double>::infinity(), 0, 0, 0};
    parts = Formula::choice_time(input, choice, variables.data());
  } else {
    parts = Formula::time(input, variables.data());
  }
  for (std::size_t i = 0; i < kCount; ++i) out[i] = parts.total.v[i] / parts.total.a;
  return {parts.total.a, parts.fixed.a, parts.compute.a, parts.memory.a};
}

template <typename... Formula>
constexpr std::array<FormulaEntry, sizeof...(Formula)> entries(std::tuple<Formula...>*) {
  return {{{Formula::kId, Formula::kParameters, &evaluate<Formula>, &log_gradient<Formula>}...}};
}

constexpr auto kEntries = entries(static_cast<KernelFormulas*>(nullptr));

}  // namespace

std::span<const FormulaEntry> kernel_formulas() { return kEntries; }

const FormulaEntry& kernel_formula(std::string_view id) {
  std::vector<std::string> known;
  for (const FormulaEntry& entry : kEntries) {
    if (entry.id == id) return entry;
    known.emplace_back(entry.id);
  }
  throw InputError(unknown_name_message("formula", id, known));
}

ParameterScale scale_of(formula::Domain domain) {
  if (domain == formula::Domain::kPositive) return ParameterScale::kLog;
  if (domain == formula::Domain::kFraction) return ParameterScale::kLogit;
  return ParameterScale::kLinear;
}

}  // namespace paceline
