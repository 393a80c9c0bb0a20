#include "model/hardware/power_law.h"

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

double share(JsonObject& root, std::string_view key) {
  JsonObject object = root.object(key);
  const double value = object.positive("value");
  if (value >= 1) object.fail("value", "expected a share below 1");
  if (object.string("source").empty()) object.fail("source", "expected where the value is from");
  object.finish();
  return value;
}

}  // namespace

formula::PowerLaw read_power_law(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.power-law/1");
  JsonObject root = document.root();
  formula::PowerLaw law;
  law.static_share = share(root, "static_share");
  law.lowest_voltage = share(root, "lowest_voltage");
  law.low_voltage_clock = share(root, "highest_clock_at_lowest_voltage");
  law.lowest_clock = share(root, "lowest_clock");
  root.finish();
  return law;
}

formula::PowerLaw shipped_power_law() {
  return read_power_law(data_directory() / "model" / "catalog" / "power" / "clock.json");
}

}  // namespace paceline
