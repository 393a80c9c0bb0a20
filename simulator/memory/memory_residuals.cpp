#include "simulator/memory/memory_residuals.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/percent.h"

namespace paceline {
namespace {

constexpr double kInside = 0.9;

DeviceKind read_device_kind(JsonObject& entry) {
  const std::string kind = entry.string("device");
  for (const DeviceKind device : {DeviceKind::kGpu, DeviceKind::kCpu}) {
    if (kind == to_string(device)) return device;
  }
  entry.fail("device", "found \"" + kind + "\"; use gpu or cpu");
}

struct Weighted {
  double size;
  double weight;
};

// Smallest size at or below which a share of `kInside` of the weight lies.
double width_of(std::vector<Weighted> errors) {
  std::ranges::sort(errors, {}, &Weighted::size);
  double all = 0;
  for (const Weighted& error : errors) all += error.weight;
  double below = 0;
  for (const Weighted& error : errors) {
    below += error.weight;
    if (below >= kInside * all * (1 - 1e-12)) return error.size;
  }
  return 0;
}

using Sets = std::vector<const SetResiduals*>;

double width_of(const Sets& sets) {
  std::vector<Weighted> errors;
  for (const SetResiduals* set : sets) {
    const double weight = 1 / static_cast<double>(set->errors.size());
    for (const double error : set->errors) errors.push_back({std::abs(error), weight});
  }
  return width_of(std::move(errors));
}

// The sets that speak for a family on a kind of device, and what they say.
struct Evidence {
  Sets sets;
  bool known = false;  // some are of the family itself
  double width = 0;
};
Evidence evidence_of(const std::vector<SetResiduals>& all, std::string_view family,
                     DeviceKind device, const SetResiduals* without) {
  Sets ours, on_gpus;
  for (const SetResiduals& set : all) {
    if (&set == without) continue;
    if (set.device == device && set.family == family) ours.push_back(&set);
    if (set.device == DeviceKind::kGpu) on_gpus.push_back(&set);
  }
  const double own = width_of(ours), any = width_of(on_gpus);
  const bool alone = device == DeviceKind::kCpu || own > any;
  if (alone && !ours.empty()) return {ours, true, own};
  return {on_gpus, !ours.empty(), any};
}

double least_factor(const std::vector<SetResiduals>& sets) {
  std::vector<Weighted> factors;  // that an error takes to be inside
  for (const SetResiduals& set : sets) {
    if (set.device != DeviceKind::kGpu) continue;
    const double width = evidence_of(sets, set.family, set.device, &set).width;
    if (width == 0) continue;  // no other set
    const double weight = 1 / static_cast<double>(set.errors.size());
    for (const double error : set.errors) factors.push_back({std::abs(error) / width, weight});
  }
  return std::max(1.0, width_of(std::move(factors)));
}

std::int64_t root_of_squares(double a, double b) {
  return static_cast<std::int64_t>(std::llround(std::hypot(a, b)));
}

}  // namespace

MemoryResiduals::MemoryResiduals(std::vector<SetResiduals> sets)
    : sets_(std::move(sets)), factor_(least_factor(sets_)) {}

MemoryResiduals MemoryResiduals::load(const std::filesystem::path& file, std::string_view without) {
  const JsonDocument document = read_json_file(file, "paceline.memory-residuals/1");
  JsonObject root = document.root();
  root.string("summary");
  std::vector<SetResiduals> sets;
  for (JsonObject& entry : root.objects("sets")) {
    SetResiduals set;
    set.set = entry.string("name");
    set.source = entry.string("source");
    set.family = entry.string("family");
    set.device = read_device_kind(entry);
    set.errors = entry.numbers("errors");
    if (set.errors.empty()) entry.fail("errors", "expected one number at least");
    entry.finish();
    if (set.set != without) sets.push_back(std::move(set));
  }
  root.finish();
  return MemoryResiduals(std::move(sets));
}

MemoryResiduals MemoryResiduals::shipped(std::string_view without) {
  return load(data_directory() / "calibration/fitted/memory/residuals.json", without);
}

MemorySpread MemoryResiduals::of(std::string_view family, DeviceKind device) const {
  const Evidence evidence = evidence_of(sets_, family, device, nullptr);
  std::size_t count = 0;
  std::set<std::string> names;
  for (const SetResiduals* set : evidence.sets) {
    count += set->errors.size();
    names.insert(set->set);
  }
  MemorySpread spread;
  spread.width = factor_ * evidence.width;
  spread.kind = evidence.known ? OriginKind::kFitted : OriginKind::kExtrapolated;
  spread.source = std::to_string(count) + " measured totals" +
                  (evidence.known ? "" : ", none of this framework") + " (";
  for (const std::string& name : names) {
    spread.source += (name == *names.begin() ? "" : ", ") + name;
  }
  spread.source += "): nine of ten within " + percent(std::expm1(spread.width));
  return spread;
}

void set_interval(const MemorySpread& spread, const GpuContext& context,
                  const LibraryRange& library, MemoryUse& use) {
  const auto kept = static_cast<double>(use.peak() - use.context);
  const double lower = std::hypot(-kept * std::expm1(-spread.width),
                                  static_cast<double>(context.bytes - context.low));
  const double upper = std::hypot(kept * std::expm1(spread.width),
                                  static_cast<double>(context.high - context.bytes));
  use.below = root_of_squares(lower, static_cast<double>(library.below));
  use.above = root_of_squares(upper, static_cast<double>(library.above));
}

void add_process(const ProcessOverhead& process, MemoryUse& use) {
  const double heap = process.heap_share * static_cast<double>(use.peak());
  use.above = process.libraries + root_of_squares(static_cast<double>(use.above), heap);
}

}  // namespace paceline
