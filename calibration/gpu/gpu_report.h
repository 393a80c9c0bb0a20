// The accuracy of the GPU kernel families in tables, docs/accuracy-kernels.md:
//
//   ## gpu.gemm.matrix
//   | device | shapes | own fit | left out | coverage | roofline | ...
#pragma once

#include <string>
#include <vector>

#include "calibration/gpu/gpu_fit.h"

namespace paceline {

// Errors on devices that took no part in any fit, by family.
struct UnseenDevice {
  std::string family;
  std::string device;
  ErrorSummary predicted;
  ErrorSummary roofline;
  double coverage90 = 0;
};

// Scores measurements of devices against the fits expected of their architectures.
std::vector<UnseenDevice> score_unseen(const std::vector<FamilyFit>& families,
                                       const GpuObservations& observations,
                                       const DeviceCatalog& catalog);

// Markdown.
std::string gpu_report(const std::vector<FamilyFit>& families,
                       const std::vector<UnseenDevice>& unseen);

}  // namespace paceline
