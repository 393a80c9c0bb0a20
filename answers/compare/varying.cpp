#include "answers/compare/varying.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "model/plan/experiment_settings.h"

namespace paceline {
namespace {

constexpr const char* kNotGiven = "-";

bool is_count(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Values by key and experiment. Most experiments of a sweep have the same keys in the same order.
class Columns {
 public:
  void next_experiment() {
    ++experiments_;
    next_ = 0;
  }
  // Of the latest experiment; a key that comes twice keeps what is said last.
  void set(std::string_view key, std::string value) {
    std::vector<std::string>& values = column(key).values;
    values.resize(experiments_ - 1, kNotGiven);
    values.push_back(std::move(value));
  }
  // The keys whose values differ, in the order in which they came.
  std::vector<VaryingKey> varying() {
    std::vector<VaryingKey> out;
    for (VaryingKey& column : columns_) {
      column.values.resize(experiments_, kNotGiven);
      const bool differs = std::ranges::any_of(
          column.values, [&](const std::string& value) { return value != column.values.front(); });
      if (!differs) continue;
      column.counts = std::ranges::all_of(column.values, is_count);
      out.push_back(std::move(column));
    }
    return out;
  }

 private:
  VaryingKey& column(std::string_view key) {
    if (next_ >= columns_.size() || columns_[next_].name != key) {
      const auto known = std::ranges::find(columns_, key, &VaryingKey::name);
      next_ = static_cast<std::size_t>(known - columns_.begin());
      if (known == columns_.end()) columns_.push_back({std::string(key), {}, false});
    }
    return columns_[next_++];
  }

  std::vector<VaryingKey> columns_;
  std::size_t experiments_ = 0;
  std::size_t next_ = 0;  // where the next key of the experiment probably is
};

void set_options(const Experiment& e, Columns& columns) {
  for (const auto& [key, value] : e.options) columns.set(key, value);
}

// "set" spread out, so that its keys stand beside the flags.
void set_all(const Experiment& e, Columns& columns) {
  for_each_setting(e, [&](const char* key, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_integral_v<Value>) {
      columns.set(key, std::to_string(value));
    } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
      columns.set(key, std::string(value));
    }
  });
  set_options(e, columns);
}

// What follows from the number of devices where nobody chose it.
void erase_consequences(const std::vector<Report>& reports, std::vector<VaryingKey>& keys) {
  const bool one_machine = std::ranges::all_of(reports, [](const Report& report) {
    const Experiment& e = report.experiment;
    return e.devices_per_machine.value_or(e.devices) == e.devices;
  });
  const std::string* strategy = nullptr;
  bool one_strategy = true;
  for (const Report& report : reports) {
    const Experiment& e = report.experiment;
    if (e.devices == 1 && e.strategy == "none") continue;
    if (strategy == nullptr) strategy = &e.strategy;
    one_strategy = one_strategy && *strategy == e.strategy;
  }
  std::erase_if(keys, [&](const VaryingKey& key) {
    return (one_machine && key.name == "gpus_per_node") || (one_strategy && key.name == "strategy");
  });
}

}  // namespace

std::vector<VaryingKey> varying_keys(const std::vector<Report>& reports) {
  Columns columns;
  for (const Report& report : reports) {
    columns.next_experiment();
    set_all(report.experiment, columns);
  }
  std::vector<VaryingKey> keys = columns.varying();
  erase_consequences(reports, keys);
  return keys;
}

std::vector<VaryingKey> varying_options(const std::vector<Experiment>& experiments) {
  Columns columns;
  for (const Experiment& e : experiments) {
    columns.next_experiment();
    set_options(e, columns);
  }
  return columns.varying();
}

}  // namespace paceline
