#include "answers/compare/idle_settings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/names.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/setting.h"

namespace paceline {
namespace {

constexpr std::size_t kMostKinds = 32;

enum class Acts { kYes, kNo, kUnknown, kNotAsked };

// What a reader of the report sees, whatever the configuration is called. The largest batch is a
// search, and follows from the memory.
std::string seen(const Report& report) {
  nlohmann::ordered_json json = to_json(report);
  json.erase("config");
  json.erase("largest_batch");
  return json.dump();
}

std::string kind_of(const Experiment& e) {
  const std::int64_t per_machine = e.devices_per_machine.value_or(e.devices);
  std::string out;
  for (const std::string& part :
       {e.model, e.device, e.framework, e.strategy, std::string(to_string(e.precision)),
        e.cluster.value_or(""), std::to_string(int{e.devices > 1}),
        std::to_string(int{e.devices > per_machine}),
        std::to_string(int{e.grad_accumulation > 1})}) {
    out += part + "|";
  }
  return out;
}

class SettingTrial {
 public:
  SettingTrial(const Predictor& predictor, SweepDevices& devices)
      : predictor_(predictor), devices_(devices) {}

  Acts acts(const Experiment& e, const std::string& key) {
    const std::string& value = e.options.at(key);
    const std::optional<Setting> setting = setting_of(e, key);
    if (!setting) return Acts::kUnknown;
    if (same_name(value, setting->fallback)) return Acts::kNotAsked;
    const std::optional<std::string> with = seen_of(e);
    if (!with) return Acts::kNotAsked;  // its own reason is said
    of_job_ = setting->of_job;
    others_.clear();
    Experiment other = e;
    other.options.erase(key);
    compare(*with, other, setting->fallback.empty() ? "it left out" : setting->fallback);
    for (const std::string& candidate : setting->values) {
      if (differs_ || same_name(candidate, value) || same_name(candidate, setting->fallback)) {
        continue;
      }
      other.options[key] = candidate;
      compare(*with, other, candidate);
    }
    if (std::exchange(differs_, false)) return Acts::kYes;
    return others_.empty() ? Acts::kUnknown : Acts::kNo;
  }

  // Of the last setting that does not act.
  bool of_job() const { return of_job_; }
  std::string others() const {
    std::string out;
    for (const std::string& other : others_) out += (out.empty() ? "" : ", ") + other;
    return out;
  }

 private:
  std::optional<Setting> setting_of(const Experiment& e, const std::string& key) {
    try {
      const TrainingDevice& device = devices_.at(e);
      for (Setting& setting : predictor_.settings(predictor_.resolve(e, device), device)) {
        if (setting.name == key) return std::move(setting);
      }
    } catch (const Error&) {  // said where the point is predicted
    }
    return std::nullopt;
  }

  // None if it cannot be predicted.
  const std::optional<std::string>& seen_of(const Experiment& e) {
    const auto [entry, is_new] = known_.try_emplace(to_json(e).dump());
    if (!is_new) return entry->second;
    try {
      entry->second = seen(predictor_.predict(e, devices_.at(e)).report);
    } catch (const Error&) {  // another value may exclude other settings
    }
    return entry->second;
  }

  void compare(const std::string& with, const Experiment& other, const std::string& value) {
    const std::optional<std::string>& without = seen_of(other);
    if (!without) return;
    others_.push_back(value);
    differs_ = differs_ || *without != with;
  }

  const Predictor& predictor_;
  SweepDevices& devices_;
  std::map<std::string, std::optional<std::string>> known_;
  std::vector<std::string> others_;
  bool differs_ = false;
  bool of_job_ = false;
};

std::set<std::string> settings_given(const std::vector<Experiment>& points) {
  std::set<std::string> keys;
  for (const Experiment& point : points) {
    for (const auto& [key, value] : point.options) {
      if (!is_device_option(key) && !is_input_option(key) && key != "variant") keys.insert(key);
    }
  }
  return keys;
}

// The last point of each kind of job that has the setting.
std::vector<const Experiment*> one_of_each_kind(const std::vector<Experiment>& points,
                                                const std::string& key) {
  std::map<std::string, const Experiment*> kinds;
  for (const Experiment& point : points) {
    const auto setting = point.options.find(key);
    if (setting != point.options.end()) kinds[kind_of(point) + setting->second] = &point;
  }
  std::vector<const Experiment*> out;
  for (const auto& [kind, point] : kinds) out.push_back(point);
  return out;
}

}  // namespace

void refuse_idle_settings(const std::vector<Experiment>& points, SweepDevices& devices) {
  const std::set<std::string> given = settings_given(points);
  if (given.empty()) return;
  const Predictor predictor;
  SettingTrial trial(predictor, devices);
  for (const std::string& key : given) {
    const std::vector<const Experiment*> kinds = one_of_each_kind(points, key);
    if (kinds.size() > kMostKinds) continue;
    const Experiment* idle = nullptr;
    bool may_act = false;
    for (const Experiment* point : kinds) {
      const Acts acts = trial.acts(*point, key);
      if (acts == Acts::kNo && idle == nullptr) idle = point;
      may_act = acts == Acts::kYes || acts == Acts::kUnknown;
      if (may_act) break;
    }
    if (idle == nullptr || may_act) continue;
    trial.acts(*idle, key);  // for its reason; nothing is predicted again
    const std::string setting = "--set " + key + "=" + idle->options.at(key);
    const bool alone =
        std::ranges::all_of(kinds, [](const Experiment* e) { return e->devices == 1; });
    if (alone && trial.of_job()) {
      throw UsageError(setting + " has no effect on one device; give --gpus, or leave it out");
    }
    throw UsageError(setting + " has no effect on " + idle->model +
                     ": the prediction is the same with " + trial.others() + "; leave it out");
  }
}

}  // namespace paceline
