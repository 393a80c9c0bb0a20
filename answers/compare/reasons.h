// Why a configuration of a comparison is slower than the best of its kind: what of the iteration it
// spends more on. Only for the same work done by other frameworks or strategies.
#pragma once

#include <string>
#include <vector>

#include "answers/compare/ranking.h"

namespace paceline {

// One line for each framework and strategy that is slower than the best of the same network, batch
// and devices, at most `most`, largest differences first. For example:
//   mxnet takes 55 ms longer than cntk for lstm-ptb: host +42 ms, backward +8.9 ms; kernels: gemm
//   +8.1 ms; framework host: 40 % of the iteration ...
//   kvstore-local takes 40 ms longer than kvstore-device for ...: exposed communication +40 ms;
//   MXNet kvstore=local: keys are added and updated in host memory; memory0: busy 97 % ...
// Each ends with the mechanism: the kernels that differ, what another strategy does, what binds.
std::vector<std::string> reasons(const std::vector<Report>& reports,
                                 const std::vector<RankedPoint>& ranking, std::size_t most);

}  // namespace paceline
