#include "simulator/strategies/parts/constants.h"

#include <map>
#include <string>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

struct SourcedConstant {
  double value = 0;
  std::string source;
};

SourcedConstant read_constant(std::string_view name) {
  const auto file = data_directory() / "model/catalog/strategies/constants.json";
  const JsonDocument document = read_json_file(file, "paceline.strategy-constants/1");
  JsonObject root = document.root();
  std::map<std::string, SourcedConstant, std::less<>> values;
  for (JsonObject& constant : root.objects("constants")) {
    SourcedConstant& read = values[constant.string("name")];
    read.value = constant.number("value");
    constant.string("unit");
    constant.string("summary");
    read.source = constant.string("source");
    constant.finish();
  }
  root.finish();
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  throw InputError(file.string() + ": no constant \"" + std::string(name) + "\"");
}

}  // namespace

double strategy_constant(std::string_view name) { return read_constant(name).value; }

std::string strategy_constant_source(std::string_view name) { return read_constant(name).source; }

}  // namespace paceline
