#include "microbench/cuda/nccl/communicators.h"

#include "microbench/cuda/nccl/operation.h"
#include "microbench/cuda/support/on_device.h"

namespace paceline {

NcclCommunicators::~NcclCommunicators() {
  for (const auto& [ranks, communicators] : made_) {
    for (const ncclComm_t communicator : communicators) ncclCommDestroy(communicator);
  }
}

const std::vector<ncclComm_t>& NcclCommunicators::of(int ranks) {
  const auto found = made_.find(ranks);
  if (found != made_.end()) return found->second;
  int current = 0;
  PACELINE_CUDA(cudaGetDevice(&current));
  const OnDevice restored(current);  // whatever the library leaves as the current GPU
  std::vector<ncclComm_t> communicators(static_cast<std::size_t>(ranks));
  check_nccl(ncclCommInitAll(communicators.data(), ranks, nullptr), "ncclCommInitAll");
  return made_[ranks] = communicators;
}

void NcclCommunicators::give_up(int ranks) {
  const auto found = made_.find(ranks);
  if (found == made_.end()) return;
  for (const ncclComm_t communicator : found->second) ncclCommAbort(communicator);
  made_.erase(found);
}

}  // namespace paceline
