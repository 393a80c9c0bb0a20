// Predicted against measured: per case the error and whether it may count, per set the summary and
// what simple models would have said.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "model/plan/report.h"
#include "simulator/report/prediction.h"
#include "validation/harness/rank_order.h"
#include "validation/harness/validation_set.h"

namespace paceline {

struct ScoredCase {
  std::string name;  // "resnet50-b8-t1"
  std::string set;
  std::string regime;
  double measured_s = 0;
  double predicted_s = 0;
  double p05_s = 0;
  double p95_s = 0;
  double error = 0;            // predicted / measured - 1
  double measured_spread = 0;  // between rounds of the recording
  PhaseTimes measured_phases;
  PhaseTimes predicted_phases;
  // The parameters have seen one of its matrix or convolution shapes, or the recording itself:
  // shown but not counted.
  bool in_sample = false;
  std::map<std::string, double> null_s;  // what the null models predict
};

struct SkippedCase {
  std::string name;
  std::string set;
  std::string reason;
};

struct ScoredSet {
  std::string name;
  std::string summary;
  std::string regime;
  std::string source{};   // of published figures; empty for recordings
  ErrorSummary errors;    // over the cases that count
  double coverage90 = 0;  // share of them inside the 90 % interval
  std::map<std::string, double> null_mape;
  std::vector<GroupOrder> orders{};  // of the groups that the set ranks
  Thresholds thresholds;
  std::vector<InputFile> inputs;  // the recording and the parameters
  std::vector<std::string> warnings;
  std::vector<std::string> remarks{};  // the set's own
  bool passed() const;                 // no shortfalls (verdict.h)
};

struct Validation {
  std::vector<ScoredCase> cases;
  std::vector<SkippedCase> skipped;
  std::vector<ScoredSet> sets;
  bool passed() const;
};

// Null models, both without host cost:
//   roofline      max(FLOP / peak, bytes / bandwidth) of every kernel, with the fitted limits;
//   constant_mfu  FLOP of the iteration / one rate, the rate chosen in hindsight for this very set
//                 (so that it has no bias): the best that a constant utilization can do.
// For recorded jobs of several workers, in place of the roofline:
//   alpha_beta    one worker by itself, then a ring all-reduce of all gradients at the link's rate.
Validation validate(const std::vector<ValidationSet>& sets);

// The kernels of a plan, as `fitted_shape_text`, that the parameters have been fitted to and that
// make a case count as in-sample.
std::vector<std::string> fitted_kernels(const IterationPlan& plan, const ParameterSet& parameters);

}  // namespace paceline
