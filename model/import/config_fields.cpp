#include "model/import/config_fields.h"

#include <nlohmann/json.hpp>

namespace paceline {

bool ConfigFields::has(std::string_view key) { return root_.has(key) && !root_.raw(key).is_null(); }

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

std::vector<std::string> ConfigFields::texts_or_none(std::string_view key) {
  return has(key) ? root_.strings(key) : std::vector<std::string>{};
}

}  // namespace paceline
