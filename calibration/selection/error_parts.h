// The residuals of a fit in two parts: what a group of similar shapes has in common, which does not
// average out over the kernels of a network, and what is particular to each shape, which does.
//
//   r_gi = bias + b_g + e_gi,   b_g ~ N(0, s_b^2),   e_gi ~ N(0, s_e^2)
//   shared^2 = s_b^2 + bias^2,   own^2 = s_e^2
//
// A residual farther than four robust standard deviations counts as four: one preempted timing must
// not widen every interval. The parts are estimated by one-way analysis of variance with unequal
// group sizes (Searle, Casella and McCulloch, "Variance Components", 1992, section 3.6).
// Derivation: docs/models/uncertainty.md.
#pragma once

#include <string>
#include <vector>

namespace paceline {

struct ErrorParts {
  double shared_sd = 0;
  double own_sd = 0;
  bool estimated = false;  // false: too few groups; split a half to 0.87 by assumption
};

// `groups[i]` names the group of `residuals[i]`. Both of equal length and not empty.
ErrorParts split_errors(const std::vector<double>& residuals,
                        const std::vector<std::string>& groups);

// 1.4826 median |r|: the standard deviation of a normal distribution, unmoved by outliers.
double robust_scale(const std::vector<double>& residuals);

}  // namespace paceline
