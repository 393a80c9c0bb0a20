#include "microbench/gpu/process_collectives.h"

#include <array>

#include "core/units_text.h"

namespace paceline {
namespace {

constexpr char kUsage[] =
    "usage: mpirun -np N paceline_nccl_mpi FILE [--quick] [--append] [--budget TIME]";

constexpr std::array kOperations = {"all-reduce", "reduce-scatter", "all-gather", "broadcast",
                                    "reduce",     "all-to-all",     "send-recv"};

SamplingLimits limits() {
  SamplingLimits out;
  out.min_samples = 3;
  out.max_samples = 7;
  out.min_sample = Seconds(5e-3);
  out.budget = Seconds(0.5);
  out.relative_half_width = 0.03;
  return out;
}

// The reason why `step` failed on some process, the same on all; empty if it did not.
template <typename Step>
std::string failure(ProcessGroup& group, const Step& step) {
  std::string own;
  try {
    step();
  } catch (const MeasurementError& error) {
    own = error.what();
  }
  return group.first_text(own);
}

class Run {
 public:
  Run(const ProcessCollectiveOptions& options, const Clock& clock, ProcessGroup& group,
      CollectiveOfProcess& collective)
      : options_(options), clock_(clock), group_(group), collective_(collective) {}

  void all(MeasurementSet& set) {
    const Seconds start = clock_();
    for (const CollectiveCase& next : plan_process_collectives(options_.quick)) {
      Measurement result = described(next);
      const Measurement* earlier = set.find(result.benchmark, result.axes);
      // Rank 0 alone knows what is in the file.
      if (group_.largest(earlier != nullptr && !earlier->skipped ? 1 : 0) > 0) continue;
      const double spent = group_.largest((clock_() - start).si());
      if (options_.budget && spent >= options_.budget->si()) {
        skip(result, "not reached: time budget spent");
      } else {
        take(next, result);
      }
      put(result, set);
    }
  }

 private:
  Measurement described(const CollectiveCase& c) const {
    Measurement out;
    out.benchmark = "nccl." + c.operation;
    out.axes = {{"bytes", c.bytes},
                {"ranks", std::int64_t{group_.ranks()}},
                {"machines", std::int64_t{group_.machines()}},
                {"in_place", std::string("no")}};
    return out;
  }
  static void skip(Measurement& result, const std::string& reason) {
    result.skipped = true;
    result.reason = reason;
  }

  void take(const CollectiveCase& c, Measurement& result) {
    const std::string start = utc_now();
    std::string reason = failure(group_, [&] { collective_.prepare(c.operation, c.bytes); });
    if (!reason.empty()) return skip(result, reason);
    collective_.run(1);
    reason = failure(group_, [&] { collective_.check(); });
    if (!reason.empty()) return skip(result, reason);
    const std::function<Seconds(int)> time_calls = [&](int calls) {
      group_.barrier();
      const Seconds begin = clock_();
      collective_.run(calls);
      return Seconds(group_.largest((clock_() - begin).si()));
    };
    // The same on all, because every decision that is taken by it must be.
    const Clock common = [&] { return Seconds(group_.largest(clock_().si())); };
    const Timings timings = take_samples(time_calls, common, limits());
    result.result_checked = true;
    result.warmup = timings.warmup + 1;
    result.facts = collective_.facts();
    result.facts["stopped_by"] = std::string(to_string(timings.stopped_by));
    result.rounds.push_back({start, 0, true, timings.seconds});
  }

  void put(const Measurement& result, MeasurementSet& set) {
    if (Measurement* earlier = set.find(result.benchmark, result.axes)) {
      *earlier = result;
    } else {
      set.results.push_back(result);
    }
    write(set);
  }
  void write(const MeasurementSet& set) {
    std::string problem;
    try {
      if (group_.rank() == 0) write_measurements(options_.file, set);
    } catch (const Error& error) {
      problem = error.what();
    }
    problem = group_.first_text(problem);
    if (!problem.empty()) throw InputError(problem);
  }

  const ProcessCollectiveOptions& options_;
  const Clock& clock_;
  ProcessGroup& group_;
  CollectiveOfProcess& collective_;
};

MeasurementSet starting_set(const ProcessCollectiveOptions& options, const Provenance& provenance,
                            ProcessGroup& group) {
  MeasurementSet out;
  out.provenance = provenance;
  std::string problem;
  try {
    if (group.rank() == 0 && options.append && std::filesystem::exists(options.file)) {
      MeasurementSet earlier = read_measurements(options.file);
      if (earlier.provenance.libraries != provenance.libraries) {
        throw InputError(options.file.string() +
                         ": cannot be continued: it was measured with other libraries or GPUs");
      }
      out = std::move(earlier);
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  problem = group.first_text(problem);
  if (!problem.empty()) throw InputError(problem);
  return out;
}

}  // namespace

ProcessCollectiveOptions parse_process_collectives(const std::vector<std::string>& words) {
  ProcessCollectiveOptions out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--quick") {
      out.quick = true;
    } else if (word == "--append") {
      out.append = true;
    } else if (word == "--budget" && i + 1 < words.size()) {
      out.budget = parse_quantity<Seconds>(words[++i]);
      if (!(*out.budget > Seconds(0))) throw UsageError("--budget must be positive");
    } else if (word.empty() || word.front() == '-') {
      throw UsageError("\"" + word + "\" is no option, or lacks its value; " + kUsage);
    } else if (!out.file.empty()) {
      throw UsageError("one FILE is written, not also \"" + word + "\"; " + kUsage);
    } else {
      out.file = word;
    }
  }
  if (out.file.empty()) throw UsageError(kUsage);
  return out;
}

std::vector<CollectiveCase> plan_process_collectives(bool quick) {
  std::vector<std::int64_t> sizes = {64 << 20, 1 << 10, 1 << 20};
  const std::vector<std::int64_t> more =
      quick ? std::vector<std::int64_t>{16 << 10}
            : std::vector<std::int64_t>{16 << 10, 16 << 20,  256 << 20, 4 << 10,
                                        4 << 20,  256 << 10, 64 << 10,  1 << 30};
  sizes.insert(sizes.end(), more.begin(), more.end());
  std::vector<CollectiveCase> out;
  for (const std::int64_t bytes : sizes) {
    for (const char* operation : kOperations) out.push_back({operation, bytes});
  }
  return out;
}

MeasurementSet measure_process_collectives(const ProcessCollectiveOptions& options,
                                           const Provenance& provenance, const Clock& clock,
                                           ProcessGroup& group, CollectiveOfProcess& collective) {
  if (group.ranks() < 2) throw UsageError("a collective needs at least two processes");
  MeasurementSet set = starting_set(options, provenance, group);
  Run(options, clock, group, collective).all(set);
  return set;
}

}  // namespace paceline
