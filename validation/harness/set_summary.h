// What the cases of a set say together; common to recordings and published figures.
#pragma once

#include <vector>

#include "validation/harness/score.h"

namespace paceline {

// The null model of one utilization for a whole set: the geometric mean of the rates that the
// counted cases reach. `flops` are those of an iteration of each case.
void apply_constant_mfu(std::vector<ScoredCase>& cases, const std::vector<double>& flops);

// Errors, coverage and null models of the cases that count; inputs and warnings are left empty.
ScoredSet summarize_set(const ValidationSet& set, const std::vector<ScoredCase>& cases);

// Predicts the published cases of `set` and adds them to `out`. Jobs of several devices are judged
// with the residuals of the other sets. A case that cannot be predicted is
// skipped with the reason.
void score_published(const ValidationSet& set, const Predictor& predictor, Validation& out);

// Predicts the runs of several workers that the set holds and adds them to `out`. A run that cannot
// be predicted is skipped with the reason.
void score_cluster(const ValidationSet& set, const Predictor& predictor, Validation& out);

}  // namespace paceline
