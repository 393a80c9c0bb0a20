#include "validation/harness/validation_set.h"

#include <algorithm>
#include <set>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

std::optional<double> limit(JsonObject& object, std::string_view key) {
  if (!object.has(key)) return std::nullopt;
  return object.positive(key);
}

std::string regime_of(int threads) {
  return std::to_string(threads) + (threads == 1 ? " CPU thread" : " CPU threads");
}

}  // namespace

ValidationSet read_validation_set(const std::filesystem::path& file,
                                  const std::filesystem::path& root) {
  const JsonDocument document = read_json_file(file, "paceline.validation-set/1");
  JsonObject object = document.root();
  ValidationSet set;
  set.name = object.string("name");
  set.summary = object.string("summary");
  set.regime = object.string("regime");
  if (object.has("cases")) {
    set.published = PublishedFigures{object.string("source"), read_published_cases(object), {}};
    if (object.has("rank_within")) set.published->rank_within = object.strings("rank_within");
    set.published->rank_tie = limit(object, "rank_tie");
  } else if (object.has("cluster_recordings")) {
    set.parameters = root / object.string("parameters");
    set.cluster = read_cluster_runs(object, root);
  } else {
    set.recording = root / object.string("recording");
    set.parameters = root / object.string("parameters");
    if (object.has("threads")) set.threads = object.count("threads", 1);
  }
  if (object.has("remarks")) set.remarks = object.strings("remarks");
  JsonObject thresholds = object.object("thresholds");
  set.thresholds.mape = limit(thresholds, "mape");
  set.thresholds.median_ape = limit(thresholds, "median_ape");
  set.thresholds.p90_ape = limit(thresholds, "p90_ape");
  set.thresholds.max_ape = limit(thresholds, "max_ape");
  set.thresholds.kendall_tau = limit(thresholds, "kendall_tau");
  set.thresholds.coverage90 = limit(thresholds, "coverage90");
  set.thresholds.better_than_nulls = thresholds.boolean_or("better_than_nulls", false);
  thresholds.finish();
  object.finish();
  return set;
}

std::vector<ValidationSet> shipped_validation_sets(const std::vector<std::string>& only) {
  const std::filesystem::path root = data_directory();
  std::vector<ValidationSet> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root / "validation/sets", ignored)) {
    if (entry.path().extension() == ".json") all.push_back(read_validation_set(entry.path(), root));
  }
  if (all.empty()) {
    throw InputError((root / "validation/sets").string() + ": there is no validation set");
  }
  std::sort(all.begin(), all.end(),
            [](const ValidationSet& a, const ValidationSet& b) { return a.name < b.name; });
  if (only.empty()) return all;
  std::vector<std::string> names;
  for (const ValidationSet& set : all) names.push_back(set.name);
  std::vector<ValidationSet> chosen;
  for (const std::string& name : only) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& set) { return same_name(set.name, name); });
    if (found == all.end()) throw UsageError(unknown_name_message("validation set", name, names));
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<ValidationSet> sets_of_recording(const std::filesystem::path& recording,
                                             const std::filesystem::path& parameters,
                                             const Thresholds& thresholds) {
  std::set<int> counts;
  for (const RecordedRun& run : read_recording(recording).runs) {
    counts.insert(run.experiment.threads);
  }
  std::vector<ValidationSet> sets;
  for (const int threads : counts) {
    sets.push_back({.name = recording.stem().string() + "-" + std::to_string(threads) + "t",
                    .summary = "runs of " + recording.filename().string(),
                    .regime = regime_of(threads),
                    .recording = recording,
                    .parameters = parameters,
                    .threads = threads,
                    .thresholds = thresholds});
  }
  return sets;
}

}  // namespace paceline
