// Run by mpirun: the processes agree on everything, though each has a clock and failures of its
// own. Prints what is wrong and fails, or prints nothing.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <iostream>
#include <thread>

#include "core/temporary_folder.h"
#include "microbench/cuda/nccl/mpi_group.h"

namespace paceline {
namespace {

// The last rank is the slowest and has no room for 64 MiB; rank 1 finds broadcasts wrong.
class UnevenCollective final : public CollectiveOfProcess {
 public:
  explicit UnevenCollective(const MpiGroup& group) : group_(group) {}
  void prepare(const std::string& operation, std::int64_t bytes) override {
    operation_ = operation;
    if (bytes >= 64 << 20 && group_.rank() == group_.ranks() - 1) {
      throw MeasurementError("no room on the last rank");
    }
  }
  void run(int calls) override {
    std::this_thread::sleep_for(std::chrono::microseconds(50 * calls * (1 + group_.rank())));
  }
  void check() override {
    if (operation_ == "broadcast" && group_.rank() == 1) throw MeasurementError("wrong on rank 1");
  }

 private:
  const MpiGroup& group_;
  std::string operation_;
};

int failures = 0;
void expect(bool condition, const std::string& what) {
  if (condition) return;
  std::cerr << what << "\n";
  ++failures;
}

void run() {
  MpiGroup group;
  expect(group.ranks() > 1, "mpirun starts several processes");
  expect(group.machines() == 1, "one machine");
  expect(group.largest(group.rank()) == group.ranks() - 1, "the largest value");
  expect(group.first_text("") == "", "nobody has a text");
  const std::string own =
      group.rank() == 0 ? "" : std::string(300, static_cast<char>('a' + group.rank()));
  expect(group.first_text(own) == std::string(300, 'b'), "the text of the first that has one");

  const TemporaryFolder folder;
  ProcessCollectiveOptions options;
  options.quick = true;
  options.file = folder / "collectives.json";
  UnevenCollective collective(group);
  const MeasurementSet set = measure_process_collectives(options, make_provenance("test", {}),
                                                         steady_clock(), group, collective);
  expect(set.results.size() == plan_process_collectives(true).size(), "every case has a result");
  for (const Measurement& result : set.results) {
    const bool large = result.integer("bytes") >= 64 << 20;
    const bool wrong = result.benchmark == "nccl.broadcast";
    const std::string reason = large ? "no room on the last rank" : wrong ? "wrong on rank 1" : "";
    expect(result.reason == reason, result.benchmark + ": " + result.reason);
    expect(result.skipped || result.value() >= Seconds(50e-6 * group.ranks()),
           "the slowest process decides");
  }
  if (group.rank() == 0) {
    expect(read_measurements(options.file).results == set.results, "the file of rank 0");
  }
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    paceline::run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return paceline::failures == 0 ? 0 : 1;
}
