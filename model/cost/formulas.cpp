#include "model/cost/formulas.h"

#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/formula_list.h"

namespace paceline {
namespace {

template <typename Formula>
formula::TimeParts<double> evaluate(const Kernel& kernel, const ExecutionContext& context,
                                    const double* values) {
  typename Formula::Input input;
  read_input(kernel, context, input);
  return Formula::time(input, values);
}

template <typename... Formula>
constexpr std::array<FormulaEntry, sizeof...(Formula)> entries(std::tuple<Formula...>*) {
  return {{{Formula::kId, Formula::kParameters, &evaluate<Formula>}...}};
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
