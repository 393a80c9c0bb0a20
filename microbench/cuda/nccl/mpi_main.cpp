// paceline_nccl_mpi OUT.json [--quick]: collectives of NCCL among GPUs of several machines, one
// process for each GPU:
//
//   mpirun -np 16 --map-by ppr:8:node paceline_nccl_mpi collectives.json
//
// Rank 0 writes measurements like those of `paceline measure` (paceline.measurements/1).
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "core/provenance.h"
#include "core/statistics.h"
#include "microbench/cuda/nccl/operation.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"
#include "traces/measurement/measurement.h"

namespace paceline {
namespace {

constexpr int kSamples = 7;
constexpr Seconds kShortestSample{5e-3};

struct Job {
  int rank = 0, ranks = 1, machines = 1;
  ncclComm_t communicator = nullptr;
};

Job join() {
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int local = 0;
  MPI_Comm_rank(machine, &local);
  const int is_first = local == 0 ? 1 : 0;
  MPI_Allreduce(&is_first, &job.machines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&machine);
  PACELINE_CUDA(cudaSetDevice(local));
  ncclUniqueId id{};
  if (job.rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check_nccl(ncclCommInitRank(&job.communicator, job.ranks, id, job.rank), "ncclCommInitRank");
  return job;
}

// What one rank could not do, none did; the reason is that of the first rank that has one.
std::string agreed_reason(const Job& job, std::string own) {
  int first = own.empty() ? job.ranks : job.rank, least = 0;
  MPI_Allreduce(&first, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (least == job.ranks) return "";
  own.resize(200, ' ');
  MPI_Bcast(own.data(), static_cast<int>(own.size()), MPI_CHAR, least, MPI_COMM_WORLD);
  return own.substr(0, own.find_last_not_of(' ') + 1);
}

// The same on every rank: the slowest of them.
Seconds slowest(Seconds own) {
  double mine = own.si(), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return Seconds(all);
}

class Timer {
 public:
  Timer(const Job& job, NcclOperation operation, std::int64_t bytes)
      : job_(job), operation_(operation), count_(static_cast<std::size_t>(bytes) / 4) {
    const std::size_t values =
        std::max<std::size_t>(count_, static_cast<std::size_t>(job.ranks)) / 4 * 4 + 4;
    send_ = DeviceBuffer(values * 4);
    receive_ = DeviceBuffer(values * 4);
    launch_write(send_.as<float>(), static_cast<float>(job.rank + 1),
                 static_cast<std::int64_t>(values), nullptr);
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  std::vector<double> samples() {
    int calls = 1;
    while (time(calls) < kShortestSample && calls < 4096) calls *= 4;
    std::vector<double> out;
    for (int i = 0; i < kSamples; ++i) out.push_back(time(calls).si() / calls);
    return out;
  }

  // Throws on the last rank, which looks at its result, if that is wrong.
  void check() {
    time(1);
    const auto expected = expected_first(operation_, job_.ranks);
    if (!expected || job_.rank != job_.ranks - 1) return;
    const auto found = read_elements(receive_.data(), ElementType::kFp32, {0});
    require_near(found.front(), *expected, 0, "the first value of the last rank");
  }

 private:
  Seconds time(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const Seconds start = host_now();
    for (int i = 0; i < calls; ++i) {
      start_collective(operation_, send_.data(), receive_.data(), count_, job_.rank, job_.ranks,
                       job_.communicator, stream_.get());
    }
    stream_.wait();
    return slowest(host_now() - start);
  }

  const Job& job_;
  NcclOperation operation_;
  std::size_t count_;
  DeviceBuffer send_, receive_;
  Stream stream_;
};

// The reason why `step` failed on some rank, the same on all; empty if it did not.
template <typename Step>
std::string failure(const Job& job, const Step& step) {
  std::string own;
  try {
    step();
  } catch (const MeasurementError& error) {
    own = error.what();
  }
  return agreed_reason(job, own);
}

// What does not fit the memory, or is wrong, is skipped on all ranks, and the rest goes on.
Measurement measure(const Job& job, NcclOperation operation, const std::string& name,
                    std::int64_t bytes) {
  Measurement out;
  out.benchmark = "nccl." + name;
  out.axes =
      with(integer_axes({{"bytes", bytes}, {"ranks", job.ranks}, {"machines", job.machines}}),
           "in_place", "no");
  const std::string start = utc_now();
  std::optional<Timer> timer;
  std::string reason = failure(job, [&] { timer.emplace(job, operation, bytes); });
  if (reason.empty()) reason = failure(job, [&] { timer->check(); });
  if (!reason.empty()) {
    out.skipped = true;
    out.reason = reason;
    return out;
  }
  out.result_checked = true;
  out.rounds.push_back({start, 0, true, timer->samples()});
  return out;
}

// Rank 0 writes after each result, so that a job that is lost leaves what it had.
MeasurementSet measure_all(const Job& job, bool quick, const std::string& file) {
  MeasurementSet set;
  set.provenance = make_provenance("paceline_nccl_mpi", {"paceline_nccl_mpi"});
  int version = 0;
  ncclGetVersion(&version);
  set.provenance.libraries["nccl"] = nccl_version_text(version);
  const std::int64_t most = quick ? 64 << 20 : 1 << 30;
  for (const auto& [operation, name] : nccl_operations()) {
    for (std::int64_t bytes = 1024; bytes <= most; bytes *= quick ? 16 : 4) {
      set.results.push_back(measure(job, operation, name, bytes));
      if (job.rank == 0) write_measurements(file, set);
    }
  }
  return set;
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool quick = words.size() == 3 && words[2] == "--quick";
  if (words.size() != 2 && !quick) {
    std::cerr << "usage: mpirun -np N paceline_nccl_mpi OUT.json [--quick]\n";
    return static_cast<int>(ExitCode::kUsage);
  }
  const Job job = join();
  if (job.ranks < 2) throw UsageError("a collective needs at least two processes");
  const MeasurementSet set = measure_all(job, quick, words[1]);
  if (job.rank == 0) {
    std::cout << words[1] << ": " << set.results.size() << " results of " << job.ranks
              << " ranks on " << job.machines << " machines\n";
  }
  ncclCommDestroy(job.communicator);
  return 0;
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = paceline::run(argc, argv);
  } catch (const paceline::Error& error) {
    std::cerr << "paceline_nccl_mpi: " << error.what() << "\n";
    code = static_cast<int>(error.code());
    MPI_Abort(MPI_COMM_WORLD, code);  // the others wait for this process
  }
  MPI_Finalize();
  return code;
}
