#include "model/import/config_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace paceline {

bool ConfigFields::has(std::string_view key) {
  asked_.emplace(key);
  return root_.has(key) && !root_.raw(key).is_null();
}

std::vector<std::string> ConfigFields::unread() const {
  std::vector<std::string> keys;
  for (std::string& key : root_.keys()) {
    if (!asked_.contains(key)) keys.push_back(std::move(key));
  }
  return keys;
}

std::int64_t ConfigFields::size(std::string_view key) {
  if (!has(key)) {
    root_.fail(key, "is missing; the network's size depends on it");
  }
  return root_.count(key, 1);
}

std::int64_t ConfigFields::layers(std::string_view key) {
  constexpr int kMostLayers = 1000;  // the deepest networks published
  if (has(key)) root_.count(key, 1, kMostLayers);
  return size(key);
}

void ConfigFields::assume_value(std::string_view key, const std::string& value,
                                const std::string& source) {
  assume(std::string(key) + " is absent: " + value + " assumed (" + source + ")");
}

std::int64_t ConfigFields::size_or(std::string_view key, std::int64_t assumed,
                                   const std::string& source) {
  if (has(key)) return size(key);
  assume_value(key, std::to_string(assumed), source);
  return assumed;
}

double ConfigFields::probability_or(std::string_view key, double assumed) {
  if (!has(key)) {
    assume_value(key, nlohmann::json(assumed).dump(), "the default of transformers");
    return assumed;
  }
  const double value = root_.number(key);
  if (!(value >= 0 && value < 1)) {
    root_.fail(key, "is not a probability from 0 up to, but not, 1");
  }
  return value;
}

bool ConfigFields::flag_or(std::string_view key, bool assumed) {
  if (has(key)) return root_.boolean(key);
  assume_value(key, assumed ? "true" : "false", "the default of transformers");
  return assumed;
}

std::string ConfigFields::text(std::string_view key) {
  if (!has(key)) root_.fail(key, "is missing");
  return root_.string(key);
}

std::string ConfigFields::text_or(std::string_view key, const std::string& assumed) {
  if (has(key)) return root_.string(key);
  assume_value(key, assumed, "the default of transformers");
  return assumed;
}

void ConfigFields::require_flag(std::string_view key, bool only) {
  if (has(key) && root_.boolean(key) != only) {
    root_.fail(key, std::string("is ") + (only ? "false" : "true") + "; only " +
                        (only ? "true" : "false") + " is supported");
  }
}

void ConfigFields::require_text(std::string_view key, const std::string& only) {
  if (has(key) && root_.string(key) != only) {
    root_.fail(key, "is \"" + root_.string(key) + "\"; only \"" + only + "\" is supported");
  }
}

void ConfigFields::read_architecture(const std::vector<std::string>& known) {
  constexpr std::string_view kKey = "architectures";
  if (!has(kKey)) {
    architecture_ = known.front();
    assume("architectures is absent: " + architecture_ + " assumed");
    return;
  }
  const std::vector<std::string> found = root_.strings(kKey);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  if (found.size() != 1) {
    root_.fail(kKey, "has " + std::to_string(found.size()) + " entries; one of " + all + " needed");
  }
  architecture_ = found.front();
  if (std::find(known.begin(), known.end(), architecture_) == known.end()) {
    root_.fail(kKey,
               "\"" + architecture_ + "\" is not supported for this model_type; known: " + all);
  }
}

}  // namespace paceline
