// Another GPU as the current one, for a while.
#pragma once

#include "microbench/cuda/support/cuda_check.h"

namespace paceline {

class OnDevice {
 public:
  explicit OnDevice(int device) {
    PACELINE_CUDA(cudaGetDevice(&before_));
    PACELINE_CUDA(cudaSetDevice(device));
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace paceline
