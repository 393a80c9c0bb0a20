#include "microbench/cuda/nccl/operation.h"

#include <algorithm>

#include "microbench/cuda/support/cuda_check.h"

namespace paceline {

std::vector<std::pair<NcclOperation, std::string>> nccl_operations() {
  return {
      {NcclOperation::kAllReduce, "all-reduce"}, {NcclOperation::kReduceScatter, "reduce-scatter"},
      {NcclOperation::kAllGather, "all-gather"}, {NcclOperation::kBroadcast, "broadcast"},
      {NcclOperation::kReduce, "reduce"},        {NcclOperation::kAllToAll, "all-to-all"},
      {NcclOperation::kSendRecv, "send-recv"}};
}

void check_nccl(ncclResult_t result, const char* call, std::source_location where) {
  if (result != ncclSuccess) library_failed("NCCL", ncclGetErrorString(result), call, where);
}

void start_collective(NcclOperation operation, const void* send, void* receive, std::size_t count,
                      int rank, int ranks, ncclComm_t communicator, cudaStream_t stream) {
  const std::size_t part = std::max<std::size_t>(1, count / static_cast<std::size_t>(ranks));
  const auto* from = static_cast<const float*>(send);
  auto* to = static_cast<float*>(receive);
  switch (operation) {
    case NcclOperation::kAllReduce:
      return check_nccl(ncclAllReduce(from, to, count, ncclFloat, ncclSum, communicator, stream),
                        "ncclAllReduce");
    case NcclOperation::kReduceScatter:
      return check_nccl(ncclReduceScatter(from, to, part, ncclFloat, ncclSum, communicator, stream),
                        "ncclReduceScatter");
    case NcclOperation::kAllGather:
      return check_nccl(ncclAllGather(from, to, part, ncclFloat, communicator, stream),
                        "ncclAllGather");
    case NcclOperation::kBroadcast:
      return check_nccl(ncclBroadcast(from, to, count, ncclFloat, 0, communicator, stream),
                        "ncclBroadcast");
    case NcclOperation::kReduce:
      return check_nccl(ncclReduce(from, to, count, ncclFloat, ncclSum, 0, communicator, stream),
                        "ncclReduce");
    case NcclOperation::kAllToAll: {
      NcclCallGroup group;
      for (int peer = 0; peer < ranks; ++peer) {
        const std::size_t at = static_cast<std::size_t>(peer) * part;
        check_nccl(ncclSend(from + at, part, ncclFloat, peer, communicator, stream), "ncclSend");
        check_nccl(ncclRecv(to + at, part, ncclFloat, peer, communicator, stream), "ncclRecv");
      }
      return group.end();
    }
    case NcclOperation::kSendRecv: {
      NcclCallGroup group;
      check_nccl(ncclSend(from, count, ncclFloat, (rank + 1) % ranks, communicator, stream),
                 "ncclSend");
      check_nccl(ncclRecv(to, count, ncclFloat, (rank + ranks - 1) % ranks, communicator, stream),
                 "ncclRecv");
      return group.end();
    }
  }
}

std::optional<double> expected_first(NcclOperation operation, int ranks) {
  switch (operation) {
    case NcclOperation::kAllReduce:
    case NcclOperation::kReduceScatter:
      return 0.5 * ranks * (ranks + 1);
    case NcclOperation::kAllGather:
    case NcclOperation::kBroadcast:
    case NcclOperation::kAllToAll:
      return 1;  // of rank 0
    case NcclOperation::kSendRecv:
      return ranks - 1;  // of the rank before the last
    case NcclOperation::kReduce:
      break;  // only rank 0 receives
  }
  return std::nullopt;
}

std::string nccl_version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace paceline
