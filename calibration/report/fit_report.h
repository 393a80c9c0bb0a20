// A fit in words and tables, for the person who decides whether to trust it:
//
//   openblas.sgemm (cpu.gemm/1): converged, 8 of 8 starts agree
//   parameter      value           error
//   flop_rate      110 GFLOP/s     1.4 %
//   depth          384             30 %   from the prior
//   fitted on 226 samples, typical error 4.0 %
//   held out 76: mean error 7.1 %, median 3.8 %, 90 % of them below 16 %, bias -2.5 %
//   errors shared by similar shapes 3.0 %, particular to a shape 6.0 %; 90 % interval holds 91 %
//   farthest from the fit: gemm NN 2048x256x10 (1 thread): 284 us, predicted 144 us (-49 %)
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"

namespace paceline {

std::string fit_report(const FitResult& fit, const LeastSquaresResult& solution);

// A table with one line for each fit: its errors on held-out shapes and the verdict.
std::string fit_summary(const std::vector<FitResult>& fits);

}  // namespace paceline
