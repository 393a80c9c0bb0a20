// The communicators of this process among its own GPUs, kept from one benchmark to the next: making
// those of eight GPUs takes longer than all that is measured with them.
#pragma once

#include <nccl.h>

#include <map>
#include <vector>

namespace paceline {

class NcclCommunicators {
 public:
  NcclCommunicators() = default;
  ~NcclCommunicators();
  NcclCommunicators(const NcclCommunicators&) = delete;
  NcclCommunicators& operator=(const NcclCommunicators&) = delete;

  // Of GPUs 0 to ranks - 1, one each. Throws MeasurementError.
  const std::vector<ncclComm_t>& of(int ranks);
  // After an error: what was begun is given up and the next call of `of` makes new ones.
  void give_up(int ranks);

 private:
  std::map<int, std::vector<ncclComm_t>> made_;  // by ranks
};

}  // namespace paceline
