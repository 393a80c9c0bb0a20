// PowerSGD (Vogels, Karimireddy, Jaggi, NeurIPS 2019) as PyTorch's communication hook runs it
// (torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py): a gradient of n x m elements,
// with what was lost before added to it, becomes P Q' with P of n x r and Q of m x r. P and Q are
// summed over the ranks, each by an all-reduce of all of a message; between them P is made
// orthogonal. Tensors that would not shrink to half are sent whole, by an all-reduce of their own.
#pragma once

#include "simulator/strategies/strategy.h"

namespace paceline {

// What a byte of gradients becomes, over all tensors of the job: a message has its part of each.
struct PowerSgdShares {
  double whole = 0;     // bytes sent as they are
  double p = 0;         // bytes of P
  double q = 0;         // bytes of Q
  double matrices = 0;  // tensors that are compressed, per byte
};
PowerSgdShares power_sgd_shares(const std::vector<GradientTensor>& gradients, int rank);

}  // namespace paceline
