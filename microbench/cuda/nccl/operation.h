// The collectives of NCCL, as both benchmarks call them.
#pragma once

#include <nccl.h>

#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace paceline {

enum class NcclOperation {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendRecv
};

// With the names that importers and predictions use: "all-reduce", ...
std::vector<std::pair<NcclOperation, std::string>> nccl_operations();

// Throws MeasurementError.
void check_nccl(ncclResult_t result, const char* call,
                std::source_location where = std::source_location::current());

// Calls between its begin and end() start together. What was begun is ended also when an exception
// leaves it: an open group would swallow every later call.
class NcclCallGroup {
 public:
  NcclCallGroup() { check_nccl(ncclGroupStart(), "ncclGroupStart"); }
  ~NcclCallGroup() {
    if (open_) ncclGroupEnd();
  }
  NcclCallGroup(const NcclCallGroup&) = delete;
  NcclCallGroup& operator=(const NcclCallGroup&) = delete;
  void end() {
    open_ = false;
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  bool open_ = true;
};

// `count` floats is the size that nccl-tests reports: of the whole buffer that the operation leaves
// on a rank or takes from it.
void start_collective(NcclOperation operation, const void* send, void* receive, std::size_t count,
                      int rank, int ranks, ncclComm_t communicator, cudaStream_t stream);

// First value that the last rank receives where rank i sends i + 1 everywhere; none for operations
// that leave nothing there.
std::optional<double> expected_first(NcclOperation operation, int ranks);

std::string nccl_version_text(int version);

}  // namespace paceline
