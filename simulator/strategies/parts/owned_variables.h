// Variables of TensorFlow 1 that each live in one place: what every placement has in common, and
// the placements inside one machine.
//
// A device has one stream for all its kernels (common_runtime/gpu/gpu_device.cc): an owner adds and
// updates on it, behind the backward pass, which its host has queued by the time that gradients of
// others arrive. A copy between devices waits for what the streams of both hold when it is issued
// (common_runtime/gpu/gpu_util.cc, DeviceToDeviceCopy; recalled, unverified), so it also comes
// after the owner's backward pass. A step is one session.run: variables are read again when all of
// them have been updated. staged_vars: they are read during the step before, so that a step
// computes with weights that lack the last update.
#pragma once

#include <memory>
#include <vector>

#include "simulator/strategies/strategy.h"

namespace paceline {

inline constexpr int kAllThreads = 1024;  // memory, not threads, limits what TensorFlow's pool adds

// Fetches and sends of one machine's devices; where the owner is differs.
class OwnedVariables : public Aggregation {
 public:
  explicit OwnedVariables(JobBuilder& job) : job_(job) {}

  void gradient_ready(std::uint32_t gradient) final {
    if (job_.spec().ranks() > 1) aggregate(gradient, job_.gradients()[gradient].bytes);
  }
  void update() final {
    if (job_.spec().ranks() == 1) {
      job_.update(0, job_.spec().profile.gradient_bytes(), {});
    } else {
      finish();
    }
  }

 protected:
  virtual void aggregate(std::uint32_t gradient, Bytes bytes) = 0;
  // Every gradient of the iteration has been aggregated.
  virtual void finish() {}
  JobBuilder& job_;
};

// On the processors, which add and update in host memory.
std::unique_ptr<Aggregation> variables_on_processors(JobBuilder& job, bool staged);
// On the device that `owners` says for each.
std::unique_ptr<Aggregation> variables_on_devices(JobBuilder& job, std::vector<int> owners,
                                                  bool staged);

}  // namespace paceline
