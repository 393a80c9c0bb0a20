// Collectives of NCCL among the GPUs of one process, by size and number of ranks, and an all-reduce
// beside computing on the same GPUs. Several machines: mpi_main.cpp.
#include <algorithm>
#include <memory>

#include "microbench/cuda/libraries.h"
#include "microbench/cuda/nccl/communicators.h"
#include "microbench/cuda/nccl/operation.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"
#include "microbench/cuda/support/on_device.h"

namespace paceline {
namespace {

// What computes beside a collective: nothing, copies in the memory of each GPU, or arithmetic on
// all of its multiprocessors.
enum class Beside { kNothing, kMemory, kArithmetic };

class CollectiveKernel final : public GpuKernel {
 public:
  CollectiveKernel(NcclCommunicators& communicators, NcclOperation operation, std::int64_t bytes,
                   int ranks, Beside beside)
      : communicators_(communicators),
        operation_(operation),
        count_(static_cast<std::size_t>(bytes) / 4),
        beside_(beside),
        ranks_(static_cast<std::size_t>(ranks)) {
    const std::vector<ncclComm_t>& made = communicators.of(ranks);
    for (int i = 0; i < ranks; ++i) {
      ranks_[static_cast<std::size_t>(i)].communicator = made[static_cast<std::size_t>(i)];
      prepare(i);
    }
  }

  void launch() override {
    NcclCallGroup group;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank& rank = ranks_[i];
      start_collective(operation_, rank.send.data(), rank.receive.data(), count_,
                       static_cast<int>(i), static_cast<int>(ranks_.size()), rank.communicator,
                       rank.stream->get());
    }
    group.end();
  }

  void check() override {
    guarded([&] {
      launch();
      wait();
      if (beside_ != Beside::kNothing) learn_times_alone();
    });
    const auto last = static_cast<int>(ranks_.size()) - 1;
    const auto expected = expected_first(operation_, last + 1);
    if (!expected) return;
    const OnDevice use(last);
    const auto found = read_elements(ranks_.back().receive.data(), ElementType::kFp32, {0});
    require_near(found.front(), *expected, 0, "the first value of the last rank");
  }

  Axes facts() const override {
    if (beside_ == Beside::kNothing) return {};
    return {{"collective_alone_s", collective_alone_.si()},
            {"compute_alone_s", compute_alone_.si()},
            {"compute_beside_s", compute_beside_.si()}};
  }

  Seconds time_itself(int calls) override {
    Seconds spent(0);
    guarded([&] {
      wait();
      const Seconds start = host_now();
      for (int i = 0; i < calls; ++i) {
        if (beside_ != Beside::kNothing) start_compute();
        launch();
      }
      for (const Rank& rank : ranks_) rank.stream->wait();
      spent = host_now() - start;
      for (const Rank& rank : ranks_) rank.compute->wait();
      compute_beside_ = (1.0 / calls) * (host_now() - start);
    });
    return spent;
  }

 private:
  static constexpr std::int64_t kWork = 16 << 20;  // values that a launch copies
  static constexpr int kSteps = 256;               // of arithmetic in a launch

  struct Rank {
    ncclComm_t communicator = nullptr;
    std::unique_ptr<Stream> stream, compute;
    DeviceBuffer send, receive, work_from, work_to;
  };

  // After an error the communicators are of no use to anyone.
  template <typename Step>
  void guarded(const Step& step) {
    try {
      step();
    } catch (...) {
      communicators_.give_up(static_cast<int>(ranks_.size()));
      throw;
    }
  }

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
    if (beside_ != Beside::kNothing) {
      rank.work_from = random_tensor(kWork, ElementType::kFp32, 1);
      rank.work_to = DeviceBuffer(kWork * 4);
    }
    PACELINE_CUDA(cudaGetLastError());
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void wait() const {
    for (const Rank& rank : ranks_) {
      rank.stream->wait();
      rank.compute->wait();
    }
  }

  // Lasts about as long as the collective, once that is known.
  void start_compute() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const OnDevice use(static_cast<int>(i));
      const Rank& rank = ranks_[i];
      for (int repeat = 0; repeat < repeats_; ++repeat) {
        if (beside_ == Beside::kMemory) {
          launch_copy(rank.work_from.as<float>(), rank.work_to.as<float>(), kWork,
                      rank.compute->get());
        } else {
          launch_arithmetic(rank.work_to.as<float>(), kSteps, rank.compute->get());
        }
      }
      PACELINE_CUDA(cudaGetLastError());
    }
  }

  template <typename Start>
  Seconds time_alone(const Start& start_one) {
    constexpr int kTimes = 10;
    wait();
    const Seconds start = host_now();
    for (int i = 0; i < kTimes; ++i) start_one();
    wait();
    return (1.0 / kTimes) * (host_now() - start);
  }
  void learn_times_alone() {
    collective_alone_ = time_alone([&] { launch(); });
    repeats_ = 1;
    start_compute();  // warm
    const Seconds one = time_alone([&] { start_compute(); });
    repeats_ = std::clamp(static_cast<int>(collective_alone_ / one), 1, 1000);
    compute_alone_ = time_alone([&] { start_compute(); });
  }

  NcclCommunicators& communicators_;
  NcclOperation operation_;
  std::size_t count_;
  Beside beside_;
  std::vector<Rank> ranks_;
  int repeats_ = 1;
  Seconds collective_alone_{0}, compute_alone_{0}, compute_beside_{0};
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
  Collective(NcclCommunicators& communicators, NcclOperation operation)
      : communicators_(communicators), operation_(operation) {}

  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<std::int64_t> sizes = {64 << 20, 1 << 20, 16 << 10};
    if (size == GpuDesign::kFull) {
      for (std::int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 4) {
        if (std::find(sizes.begin(), sizes.end(), bytes) == sizes.end()) sizes.push_back(bytes);
      }
    }
    std::vector<Axes> out;
    for (const std::int64_t bytes : sizes) {
      for (const int ranks : rank_counts(gpu.count)) out.push_back(collective_axes(bytes, ranks));
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override { return needs_two(gpu); }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<CollectiveKernel>(
        communicators_, operation_, integer_axis(axes, "bytes", "nccl"),
        static_cast<int>(integer_axis(axes, "ranks", "nccl")), Beside::kNothing);
  }

  static Axes collective_axes(std::int64_t bytes, int ranks) {
    return with(integer_axes({{"bytes", bytes}, {"ranks", ranks}, {"machines", 1}}), "in_place",
                "no");
  }
  static std::string needs_two(const GpuInfo& gpu) {
    return gpu.count < 2 ? "needs 2 GPUs, found 1" : "";
  }

 private:
  NcclCommunicators& communicators_;
  NcclOperation operation_;
};

// Owns the communicators that all of them share.
class Contention final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    const bool quick = size == GpuDesign::kQuick;
    std::vector<Axes> out;
    for (const std::int64_t bytes : {64 << 20, 1 << 20, 16 << 10}) {
      for (const int ranks : rank_counts(gpu.count)) {
        for (const char* compute : {"memory", "arithmetic"}) {
          if (quick && (bytes != 64 << 20 || ranks != std::max(2, gpu.count))) continue;
          out.push_back(with(Collective::collective_axes(bytes, ranks), "compute", compute));
        }
      }
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override { return Collective::needs_two(gpu); }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const std::string name = "contention.all-reduce";
    const bool memory = text_axis(axes, "compute", name) == "memory";
    return std::make_unique<CollectiveKernel>(*communicators_, NcclOperation::kAllReduce,
                                              integer_axis(axes, "bytes", name),
                                              static_cast<int>(integer_axis(axes, "ranks", name)),
                                              memory ? Beside::kMemory : Beside::kArithmetic);
  }
  NcclCommunicators& communicators() const { return *communicators_; }

 private:
  std::unique_ptr<NcclCommunicators> communicators_ = std::make_unique<NcclCommunicators>();
};

}  // namespace

void register_nccl(GpuBenchmarkRegistry& registry) {
  auto contention = std::make_unique<Contention>();
  for (const auto& [operation, name] : nccl_operations()) {
    registry.add("nccl." + name, name + " of NCCL among the GPUs of this machine",
                 std::make_unique<Collective>(contention->communicators(), operation));
  }
  registry.add("contention.all-reduce",
               "an all-reduce of NCCL beside copies or arithmetic on the same GPUs",
               std::move(contention));
}

void describe_nccl(GpuLibraryVersions& versions) {
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess) versions["nccl"] = nccl_version_text(version);
}

}  // namespace paceline
