#include "model/hardware/usable_memory.h"

#include <array>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

const std::array<std::string, 2> kModes = {"on", "off"};

Fact<double> read_share(JsonObject object) {
  Fact<double> share{object.positive("share"), object.string("source")};
  if (share.value >= 1) object.fail("share", "expected a share below 1");
  if (share.source.empty()) object.fail("source", "expected where the value is from");
  object.finish();
  return share;
}

UsableBoard read_board(JsonObject& object, JsonObject& sources) {
  UsableBoard board{.usable = {object.quantity<Bytes>("usable"), ""}, .ecc = {}};
  if (!(board.usable.value > Bytes(0))) object.fail("usable", "expected a positive size");
  if (object.has("ecc")) board.ecc = object.one_of("ecc", kModes) == "on";
  const std::string key = object.string("source");
  if (!sources.has(key)) {
    object.fail("source", unknown_name_message("source", key, sources.keys()));
  }
  board.usable.source = sources.string(key);
  return board;
}

bool parse_mode(const std::string& text) {
  if (text != "on" && text != "off") {
    throw UsageError("--set ecc=" + text + ": expected on or off");
  }
  return text == "on";
}

void refuse_mode(const DeviceSpec& spec, const UsableMemory& known, const std::string& mode) {
  std::string boards;
  for (const auto& [name, board] : known.boards) {
    if (board.ecc) boards += (boards.empty() ? "" : ", ") + name;
  }
  throw UsageError("--set ecc=" + mode + " is of boards where ECC takes memory (" + boards +
                   "), which " + spec.name + " is not known to be");
}

}  // namespace

UsableMemory read_usable_memory(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.usable-memory/1");
  JsonObject root = document.root();
  UsableMemory out;
  JsonObject sources = root.object("sources");
  out.ecc_share = read_share(root.object("ecc"));
  for (JsonObject object : root.objects("devices")) {
    const std::string name = object.string("device");
    if (!out.boards.try_emplace(name, read_board(object, sources)).second) {
      object.fail("device", "\"" + name + "\" stands here twice");
    }
    object.finish();
  }
  sources.finish();
  root.finish();
  return out;
}

UsableMemory shipped_usable_memory() {
  return read_usable_memory(data_directory() / "model" / "catalog" / "memory" / "usable.json");
}

DeviceSpec with_usable_memory(DeviceSpec spec, const UsableMemory& known,
                              const std::optional<std::string>& ecc) {
  const auto found = known.boards.find(spec.name);
  const bool has_mode = found != known.boards.end() && found->second.ecc;
  if (ecc && !has_mode) refuse_mode(spec, known, *ecc);
  if (found == known.boards.end() || !spec.memory.capacity) return spec;
  const UsableBoard& board = found->second;
  const Bytes nominal = spec.memory.capacity->value;
  const bool on = ecc ? parse_mode(*ecc) : board.ecc.value_or(false);
  Bytes usable = board.usable.value;
  std::string source;
  if (has_mode) {
    const Bytes bits = known.ecc_share.value * nominal;
    if (on && !*board.ecc) usable = usable - bits;
    if (!on && *board.ecc) usable = usable + bits;
    source = on ? "ECC bits take " + to_text(bits) + ", " : "ECC is off, ";
    if (on != *board.ecc) {
      source = "with ECC " + *ecc + " (kernels are timed as with the default): " + source;
    }
  }
  if (usable < nominal) source += "the driver keeps some; ";
  source += board.usable.source;
  spec.memory.capacity =
      Fact<Bytes>{usable, to_text(usable) + " usable of " + to_text(nominal) + ": " + source};
  return spec;
}

}  // namespace paceline
