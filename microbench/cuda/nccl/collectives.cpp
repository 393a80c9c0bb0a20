// Collectives of NCCL among the GPUs of one process, by size and number of ranks, and an all-reduce
// beside copies on the same GPUs. Several machines: mpi_main.cpp.
#include <algorithm>
#include <memory>

#include "microbench/cuda/libraries.h"
#include "microbench/cuda/nccl/operation.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"
#include "microbench/cuda/support/on_device.h"

namespace paceline {
namespace {

struct Rank {
  ncclComm_t communicator = nullptr;
  std::unique_ptr<Stream> stream, compute;
  DeviceBuffer send, receive, work_from, work_to;
};

class CollectiveKernel final : public GpuKernel {
 public:
  CollectiveKernel(NcclOperation operation, std::int64_t bytes, int ranks, bool with_compute)
      : operation_(operation),
        count_(static_cast<std::size_t>(bytes) / 4),
        compute_(with_compute),
        ranks_(static_cast<std::size_t>(ranks)) {
    std::vector<ncclComm_t> communicators(ranks_.size());
    check_nccl(ncclCommInitAll(communicators.data(), ranks, nullptr), "ncclCommInitAll");
    for (int i = 0; i < ranks; ++i) {
      ranks_[static_cast<std::size_t>(i)].communicator = communicators[static_cast<std::size_t>(i)];
      prepare(i);
    }
    if (with_compute) compute_alone_ = time_compute_alone();
  }
  ~CollectiveKernel() override {
    for (const Rank& rank : ranks_) ncclCommDestroy(rank.communicator);
  }

  void launch() override {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank& rank = ranks_[i];
      start_collective(operation_, rank.send.data(), rank.receive.data(), count_,
                       static_cast<int>(i), static_cast<int>(ranks_.size()), rank.communicator,
                       rank.stream->get());
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  void check() override {
    launch();
    wait();
    const auto last = static_cast<int>(ranks_.size()) - 1;
    const auto expected = expected_first(operation_, last + 1);
    if (!expected) return;
    const OnDevice use(last);
    const auto found = read_elements(ranks_.back().receive.data(), ElementType::kFp32, {0});
    require_near(found.front(), *expected, 0, "the first value of the last rank");
  }

  Axes facts() const override {
    if (!compute_) return {};
    return {{"compute_alone_s", compute_alone_.si()}, {"compute_beside_s", compute_beside_.si()}};
  }

  Seconds time_itself(int calls) override {
    wait();
    const Seconds start = host_now();
    for (int i = 0; i < calls; ++i) {
      if (compute_) start_compute();
      launch();
    }
    for (const Rank& rank : ranks_) rank.stream->wait();
    const Seconds spent = host_now() - start;
    for (const Rank& rank : ranks_) rank.compute->wait();
    if (compute_) compute_beside_ = (1.0 / calls) * (host_now() - start);
    return spent;
  }

 private:
  static constexpr std::int64_t kWork = 16 << 20;

  void prepare(int device) {
    const OnDevice use(device);
    Rank& rank = ranks_[static_cast<std::size_t>(device)];
    rank.stream = std::make_unique<Stream>();
    rank.compute = std::make_unique<Stream>();
    // A multiple of 16 bytes, and at least one value for each rank.
    const std::size_t values = std::max<std::size_t>(count_, ranks_.size()) / 4 * 4 + 4;
    rank.send = DeviceBuffer(values * 4);
    rank.receive = DeviceBuffer(values * 4);
    launch_write(rank.send.as<float>(), static_cast<float>(device + 1),
                 static_cast<std::int64_t>(values), nullptr);
    if (compute_) {
      rank.work_from = random_tensor(kWork, ElementType::kFp32, 1);
      rank.work_to = DeviceBuffer(kWork * 4);
    }
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void wait() const {
    for (const Rank& rank : ranks_) {
      rank.stream->wait();
      rank.compute->wait();
    }
  }
  void start_compute() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const OnDevice use(static_cast<int>(i));
      launch_copy(ranks_[i].work_from.as<float>(), ranks_[i].work_to.as<float>(), kWork,
                  ranks_[i].compute->get());
      PACELINE_CUDA(cudaGetLastError());
    }
  }
  Seconds time_compute_alone() {
    constexpr int kTimes = 20;
    wait();
    const Seconds start = host_now();
    for (int i = 0; i < kTimes; ++i) start_compute();
    wait();
    return (1.0 / kTimes) * (host_now() - start);
  }

  NcclOperation operation_;
  std::size_t count_;
  bool compute_;
  std::vector<Rank> ranks_;
  Seconds compute_alone_{0}, compute_beside_{0};
};

// 2, 4, 8, ... and all.
std::vector<int> rank_counts(int gpus) {
  std::vector<int> out;
  for (int ranks = 2; ranks < gpus; ranks *= 2) out.push_back(ranks);
  out.push_back(std::max(2, gpus));
  return out;
}

class Collective final : public GpuBenchmark {
 public:
  Collective(NcclOperation operation, bool with_compute)
      : operation_(operation), with_compute_(with_compute) {}

  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<std::int64_t> sizes = {64 << 20, 1 << 20, 16 << 10};
    if (size == GpuDesign::kFull && !with_compute_) {
      for (std::int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 4) {
        if (std::find(sizes.begin(), sizes.end(), bytes) == sizes.end()) sizes.push_back(bytes);
      }
    }
    std::vector<Axes> out;
    for (const std::int64_t bytes : sizes) {
      for (const int ranks : rank_counts(gpu.count)) {
        out.push_back(with(integer_axes({{"bytes", bytes}, {"ranks", ranks}, {"machines", 1}}),
                           "in_place", "no"));
      }
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override {
    return gpu.count < 2 ? "needs 2 GPUs, found 1" : "";
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<CollectiveKernel>(operation_, integer_axis(axes, "bytes", "nccl"),
                                              static_cast<int>(integer_axis(axes, "ranks", "nccl")),
                                              with_compute_);
  }

 private:
  NcclOperation operation_;
  bool with_compute_;
};

}  // namespace

void register_nccl(GpuBenchmarkRegistry& registry) {
  for (const auto& [operation, name] : nccl_operations()) {
    registry.add("nccl." + name, name + " of NCCL among the GPUs of this machine",
                 std::make_unique<Collective>(operation, false));
  }
  registry.add("contention.all-reduce", "an all-reduce of NCCL beside copies on the same GPUs",
               std::make_unique<Collective>(NcclOperation::kAllReduce, true));
}

void describe_nccl(GpuLibraryVersions& versions) {
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess) versions["nccl"] = nccl_version_text(version);
}

}  // namespace paceline
