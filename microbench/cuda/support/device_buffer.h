// Memory of the GPU, streams and events that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "microbench/cuda/support/cuda_check.h"
#include "microbench/cuda/support/stream_kernels.h"

namespace paceline {

// On the current device. Throws MeasurementError, with how much is free, if it does not fit.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  void* data() const { return data_.get(); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* data) const { cudaFree(data); }
  };
  std::unique_ptr<void, Free> data_;
  std::size_t bytes_ = 0;
};

std::size_t element_bytes(ElementType type);
// The axis "precision" of a benchmark: the type its operands are stored in. Throws
// MeasurementError for a type that these benchmarks do not have.
ElementType storage_type(const std::string& precision);

// A tensor of random values (random_value.h), times `scale`, in the default stream.
DeviceBuffer random_tensor(std::int64_t count, ElementType type, std::uint32_t seed,
                           float scale = 1);
// Elements of a device tensor as numbers.
std::vector<double> read_elements(const void* data, ElementType type,
                                  const std::vector<std::int64_t>& indices);
// What random_tensor holds at `index`.
double random_element(std::int64_t index, ElementType type, std::uint32_t seed, float scale = 1);

class Stream {
 public:
  Stream();
  cudaStream_t get() const { return stream_.get(); }
  void wait() const { PACELINE_CUDA(cudaStreamSynchronize(stream_.get())); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

class Event {
 public:
  Event();
  cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const { PACELINE_CUDA(cudaEventRecord(event_.get(), stream)); }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

// Waits for both.
Seconds between(const Event& start, const Event& end);

}  // namespace paceline
