// paceline_nccl_mpi FILE [--quick] [--append] [--budget TIME]: collectives of NCCL among GPUs of
// several machines, one process for each GPU:
//
//   mpirun -np 16 --map-by ppr:8:node paceline_nccl_mpi collectives.json
//
// Rank 0 writes measurements like those of `paceline measure` (paceline.measurements/1).
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "microbench/cuda/nccl/mpi_group.h"
#include "microbench/cuda/nccl/operation.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/nvml.h"
#include "microbench/cuda/support/usable_gpus.h"

namespace paceline {
namespace {

// This process's among the GPUs of its machine: by its number, or the only one that a scheduler
// lets it see.
int gpu_of(const MpiGroup& group) {
  const int count = usable_gpus();
  if (count == 1) return 0;
  if (group.local_rank() < count) return group.local_rank();
  throw MeasurementError("process " + std::to_string(group.local_rank()) + " of a machine with " +
                         std::to_string(count) + " GPUs; start one process for each GPU");
}

class NcclCollective final : public CollectiveOfProcess {
 public:
  NcclCollective(MpiGroup& group, int gpu) : rank_(group.rank()), ranks_(group.ranks()) {
    std::array<char, 32> bus{};
    PACELINE_CUDA(cudaDeviceGetPCIBusId(bus.data(), bus.size(), gpu));
    nvml_ = std::make_unique<Nvml>(bus.data());
    ncclUniqueId id{};
    if (rank_ == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    group.share(&id, sizeof id);
    check_nccl(ncclCommInitRank(&communicator_, ranks_, id, rank_), "ncclCommInitRank");
  }
  ~NcclCollective() override {
    if (communicator_ != nullptr) ncclCommDestroy(communicator_);
  }

  void prepare(const std::string& operation, std::int64_t bytes) override {
    for (const auto& [known, name] : nccl_operations()) {
      if (name == operation) operation_ = known;
    }
    count_ = static_cast<std::size_t>(bytes) / 4;
    const std::size_t values =
        std::max<std::size_t>(count_, static_cast<std::size_t>(ranks_)) / 4 * 4 + 4;
    send_ = DeviceBuffer();  // before the next are allocated
    receive_ = DeviceBuffer();
    send_ = DeviceBuffer(values * 4);
    receive_ = DeviceBuffer(values * 4);
    launch_write(send_.as<float>(), static_cast<float>(rank_ + 1),
                 static_cast<std::int64_t>(values), nullptr);
    PACELINE_CUDA(cudaGetLastError());
    PACELINE_CUDA(cudaDeviceSynchronize());
  }
  void run(int calls) override {
    for (int i = 0; i < calls; ++i) {
      start_collective(operation_, send_.data(), receive_.data(), count_, rank_, ranks_,
                       communicator_, stream_.get());
    }
    stream_.wait();
  }
  // The last rank looks at its result.
  void check() override {
    const auto expected = expected_first(operation_, ranks_);
    if (!expected || rank_ != ranks_ - 1) return;
    const auto found = read_elements(receive_.data(), ElementType::kFp32, {0});
    require_near(found.front(), *expected, 0, "the first value of the last rank");
  }
  Axes facts() override {
    const GpuCondition now = nvml_->read();
    Axes out;
    if (now.sm_clock_hz > 0) out["sm_clock_hz"] = now.sm_clock_hz;
    if (now.power_w > 0) out["power_w"] = now.power_w;
    return out;
  }
  std::string driver() const { return nvml_->driver(); }

 private:
  int rank_, ranks_;
  std::unique_ptr<Nvml> nvml_;
  ncclComm_t communicator_ = nullptr;
  NcclOperation operation_ = NcclOperation::kAllReduce;
  std::size_t count_ = 0;
  DeviceBuffer send_, receive_;
  Stream stream_;
};

Provenance provenance_of(const std::vector<std::string>& words, const NcclCollective& collective,
                         int gpu) {
  Provenance out = make_provenance("paceline_nccl_mpi", words);
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess) out.libraries["nccl"] = nccl_version_text(version);
  cudaDeviceProp properties{};
  PACELINE_CUDA(cudaGetDeviceProperties(&properties, gpu));
  out.libraries["gpu"] = properties.name;
  out.libraries["driver"] = collective.driver();
  return out;
}

void run(const std::vector<std::string>& words) {
  const ProcessCollectiveOptions options =
      parse_process_collectives({words.begin() + 1, words.end()});
  MpiGroup group;
  if (group.ranks() < 2)
    throw UsageError("a collective needs at least two processes: mpirun -np N");
  const int gpu = gpu_of(group);
  PACELINE_CUDA(cudaSetDevice(gpu));
  NcclCollective collective(group, gpu);
  const MeasurementSet set = measure_process_collectives(
      options, provenance_of(words, collective, gpu), steady_clock(), group, collective);
  if (group.rank() != 0) return;
  const auto skipped = std::count_if(set.results.begin(), set.results.end(),
                                     [](const Measurement& m) { return m.skipped; });
  std::cout << options.file.string() << ": "
            << static_cast<std::ptrdiff_t>(set.results.size()) - skipped << " results, " << skipped
            << " skipped, of " << group.ranks() << " ranks on " << group.machines()
            << " machines\n";
}

// As `paceline measure` ends: 5 where a GPU cannot do it.
int exit_code_of(const std::exception& error) {
  if (dynamic_cast<const MeasurementError*>(&error) != nullptr) {
    return static_cast<int>(ExitCode::kInfeasible);
  }
  const auto* known = dynamic_cast<const Error*>(&error);
  return static_cast<int>(known == nullptr ? ExitCode::kInternal : known->code());
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    paceline::run({argv, argv + argc});
  } catch (const paceline::UsageError& error) {  // the same on all
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cerr << "paceline_nccl_mpi: " << error.what() << "\n";
    MPI_Finalize();
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << "paceline_nccl_mpi: " << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, paceline::exit_code_of(error));  // the others wait for this process
  }
  MPI_Finalize();
  return 0;
}
