#include "answers/explain/sensitivity.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {

std::vector<Sensitivity> device_sensitivities(const IterationPlan& plan, const PhaseScale& scale,
                                              const Report& report) {
  Seconds compute;
  Seconds memory;
  for (const ImplementationTime& part : time_by_implementation(plan, scale)) {
    compute += part.compute_bound;
    memory += part.memory_bound;
  }
  const Breakdown& parts = report.breakdown;
  // Kernels that communication or the host hide do not shorten the iteration.
  const Seconds kernels = parts.forward + parts.backward + parts.optimizer;
  const Seconds busy = compute + memory;
  const double visible = busy > kernels ? kernels / busy : 1.0;
  const auto gain = [&](Seconds time) { return -0.5 * (time / parts.total()); };
  std::vector<Sensitivity> out = {{"arithmetic twice as fast", gain(visible * compute)},
                                  {"memory bandwidth twice as high", gain(visible * memory)},
                                  {"issuing thread twice as fast", gain(parts.host)}};
  std::erase_if(out, [](const Sensitivity& s) { return s.change == 0; });
  sort_by_gain(out);
  return out;
}

void sort_by_gain(std::vector<Sensitivity>& list) {
  std::ranges::stable_sort(list, {}, &Sensitivity::change);
}

Table sensitivity_table(const std::vector<Sensitivity>& list) {
  Table table({"with", "iteration"});
  for (const Sensitivity& s : list) table.add_row({s.what, percent(s.change)});
  return table;
}

nlohmann::ordered_json to_json(const std::vector<Sensitivity>& list) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Sensitivity& s : list) out.push_back({{"what", s.what}, {"change", s.change}});
  return out;
}

}  // namespace paceline
