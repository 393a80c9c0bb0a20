// Fits the constants of copies between host and device (copy.host/1) and of copies staged through
// host memory, from published measurements.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct HostCopyPoint {
  Bytes bytes;
  Seconds measured;
};

// A copy between devices that cannot reach each other: what it reached beside what the slowest link
// on its way achieves for copies of the host, and how long an empty one takes.
struct StagedCopyPoint {
  BytesPerSecond reached;
  BytesPerSecond link;
  Seconds latency;  // 0 if not measured
};

struct CopyData {
  std::vector<HostCopyPoint> pinned;
  std::vector<HostCopyPoint> pageable;  // over the same link
  std::vector<StagedCopyPoint> staged;
};

// Host copies named CUDA_Memcpy_PinnedToGPU/log2(N):K and CUDA_Memcpy_HostToGPU/log2(N):K of a
// google-benchmark JSON file. Throws InputError if one kind is missing.
CopyData read_copy_benchmarks(const std::string& text, const std::string& name);
// Staged copies of CUDA's p2pBandwidthLatencyTest with peers disabled, off the diagonal.
std::vector<StagedCopyPoint> read_peer_matrix(const std::string& text, const std::string& name,
                                              BytesPerSecond link);

// The fit "copy.pageable" or "copy.pinned" of these points. Throws InputError if it fails.
Fit fit_host_copies(const std::string& name, const std::vector<HostCopyPoint>& points,
                    bool pageable);

// Fits "copy.pinned", "copy.pageable" and "copy.staged". Throws InputError if a fit fails.
ParameterSet fit_copies(const CopyData& data);

}  // namespace paceline
