// Measures collectives among processes, one for each GPU, of one or several machines. The processes
// agree on every decision, so that none waits for one that has gone another way. What they
// communicate by (MPI) and what they measure (NCCL) are injected: planning, checking, stopping and
// writing are tested without either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "core/units.h"
#include "microbench/harness/sampler.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// The processes of the job. Every call is made by all of them.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual int machines() const = 0;
  virtual void barrier() = 0;
  // The largest of their values, the same on all.
  virtual double largest(double own) = 0;
  // The text of the first process that has one, the same on all; empty if none has.
  virtual std::string first_text(const std::string& own) = 0;
};

// A collective in which this process takes part.
class CollectiveOfProcess {
 public:
  virtual ~CollectiveOfProcess() = default;
  // Puts operands in place; throws MeasurementError with the reason if this process cannot.
  virtual void prepare(const std::string& operation, std::int64_t bytes) = 0;
  // Takes part in so many, one after another, and waits for them. An error ends the job: the others
  // wait for this process.
  virtual void run(int calls) = 0;
  // Throws MeasurementError if what this process received is wrong.
  virtual void check() = 0;
  // What is known of the GPU just now.
  virtual Axes facts() { return {}; }
};

struct ProcessCollectiveOptions {
  bool quick = false;
  bool append = false;  // keeps what `file` holds of as many ranks and machines
  std::optional<Seconds> budget;
  std::filesystem::path file;
};

// Words after the program's name: FILE [--quick] [--append] [--budget TIME]. Throws UsageError.
ProcessCollectiveOptions parse_process_collectives(const std::vector<std::string>& words);

struct CollectiveCase {
  std::string operation;  // "all-reduce", ...
  std::int64_t bytes = 0;
};
// Of operations by turns, so that a run that is cut short has something of each; large, small and
// medium sizes first.
std::vector<CollectiveCase> plan_process_collectives(bool quick);

// Rank 0 writes `options.file` after each result and at the end; the others write nothing. What one
// process cannot do is skipped by all with its reason; what the budget leaves is skipped, too.
// Throws InputError if rank 0 cannot continue or write the file (on the other ranks as well).
MeasurementSet measure_process_collectives(const ProcessCollectiveOptions& options,
                                           const Provenance& provenance, const Clock& clock,
                                           ProcessGroup& group, CollectiveOfProcess& collective);

}  // namespace paceline
