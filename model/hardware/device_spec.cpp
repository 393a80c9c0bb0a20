#include "model/hardware/device_spec.h"

#include <charconv>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

const std::vector<std::string> kDeviceKinds = {"gpu", "cpu"};

// "250 W"; throws UsageError otherwise.
Watts parse_watts(std::string_view text) {
  Watts watts;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), watts.value);
  const bool has_unit = std::string_view(rest, text.data() + text.size()) == " W";
  constexpr double kMost = 1e6;
  if (error != std::errc() || !has_unit || !(watts.value > 0 && watts.value <= kMost)) {
    throw UsageError("expected a power like \"250 W\", at most 1 MW, found \"" + std::string(text) +
                     "\"");
  }
  return watts;
}

// Beyond any device; the threads of a whole machine are their product, which fits 32 bits.
constexpr std::int64_t kMostMultiprocessors = 100'000;
constexpr std::int64_t kMostThreadsOfACore = 64;
constexpr std::int64_t kMostSockets = 64;

// What a fact can be: far from any device, and from where products of facts overflow.
template <typename Q>
struct Range {
  Q least;
  Q most;
  std::string_view words;
};
constexpr Range<Bytes> range_of(Bytes) { return {Bytes(1), Bytes(1e18), "1 B to 1 EB"}; }
constexpr Range<BytesPerSecond> range_of(BytesPerSecond) {
  return {BytesPerSecond(1e3), BytesPerSecond(1e18), "1 kB/s to 1 EB/s"};
}
constexpr Range<FlopsPerSecond> range_of(FlopsPerSecond) {
  return {FlopsPerSecond(1e6), FlopsPerSecond(1e24), "1 MFLOP/s to 1e24 FLOP/s"};
}
constexpr Range<Hertz> range_of(Hertz) { return {Hertz(1e6), Hertz(1e11), "1 MHz to 100 GHz"}; }

std::string read_name(JsonObject& root) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  constexpr std::size_t kLongest = 64;
  std::string name = root.string("name");
  if (name.empty() || name.size() > kLongest ||
      name.find_first_not_of(kAllowed) != std::string::npos) {
    root.fail("name", "expected 1 to 64 letters, digits and \"-._\", found \"" +
                          name.substr(0, kLongest) + (name.size() > kLongest ? "...\"" : "\""));
  }
  return name;
}

// Reads the facts of one file; their sources are keys of its "sources" object.
class FactReader {
 public:
  explicit FactReader(JsonObject sources) : sources_(std::move(sources)) {}

  std::string source(JsonObject& object) {
    const std::string key = object.string("source");
    if (!sources_.has(key)) {
      object.fail("source", unknown_name_message("source", key, sources_.keys()));
    }
    return sources_.string(key);
  }

  Fact<std::int64_t> count(JsonObject& parent, std::string_view key,
                           std::int64_t most = JsonObject::kMostOfACount) {
    JsonObject object = parent.object(key);
    const std::int64_t value = object.integer("value");
    if (value <= 0 || value > most) {
      object.fail("value", "expected a positive number of " + std::string(key) + ", at most " +
                               std::to_string(most) + ", found " + std::to_string(value));
    }
    return finish(object, value);
  }

  std::optional<Fact<double>> optional_share(JsonObject& parent, std::string_view key) {
    if (!parent.has(key)) return std::nullopt;
    JsonObject object = parent.object(key);
    const double value = object.positive("value");
    if (value > 1) object.fail("value", "expected a share of at most 1");
    return finish(object, value);
  }

  template <typename Q>
  Fact<Q> quantity(JsonObject& parent, std::string_view key) {
    JsonObject object = parent.object(key);
    const Q value = object.quantity<Q>("value");
    const Range<Q> range = range_of(Q());
    if (!(value >= range.least && value <= range.most)) {
      object.fail("value", "expected " + std::string(range.words) + ", found \"" +
                               object.string("value") + "\"");
    }
    return finish(object, value);
  }

  template <typename Q>
  std::optional<Fact<Q>> optional_quantity(JsonObject& parent, std::string_view key) {
    if (!parent.has(key)) return std::nullopt;
    return quantity<Q>(parent, key);
  }

  std::optional<Fact<std::vector<std::string>>> optional_devices(JsonObject& parent,
                                                                 std::string_view key) {
    if (!parent.has(key)) return std::nullopt;
    JsonObject object = parent.object(key);
    return finish(object, object.strings("devices"));
  }

  Fact<Watts> power(JsonObject& parent, std::string_view key) {
    JsonObject object = parent.object(key);
    try {
      return finish(object, parse_watts(object.string("value")));
    } catch (const UsageError& error) {
      object.fail("value", error.what());
    }
  }

  // Throws InputError if a source was given that no fact cites.
  void finish_sources() const { sources_.finish(); }

 private:
  template <typename T>
  Fact<T> finish(JsonObject& object, T value) {
    Fact<T> fact{std::move(value), source(object)};
    object.finish();
    return fact;
  }

  JsonObject sources_;
};

DeviceMemory read_memory(JsonObject object, FactReader& facts) {
  DeviceMemory memory{.type = object.string("type"),
                      .capacity = facts.optional_quantity<Bytes>(object, "capacity"),
                      .bandwidth = facts.quantity<BytesPerSecond>(object, "bandwidth"),
                      .bus_width = facts.count(object, "bus_width_bits"),
                      .data_rate = facts.quantity<BytesPerSecond>(object, "data_rate")};
  object.finish();
  return memory;
}

CpuFacts read_cpu(JsonObject object, FactReader& facts) {
  CpuFacts cpu{facts.count(object, "threads_per_core", kMostThreadsOfACore),
               facts.quantity<Bytes>(object, "private_cache"),
               facts.quantity<Bytes>(object, "largest_memory")};
  if (object.has("largest_sockets")) {
    cpu.largest_sockets = facts.count(object, "largest_sockets", kMostSockets);
    const std::int64_t sockets = cpu.largest_sockets->value;
    const Range<Bytes> range = range_of(Bytes());
    if (static_cast<double>(sockets) * cpu.largest_memory.value > range.most) {
      object.fail("largest_memory", "expected " + std::string(range.words) + " in all " +
                                        std::to_string(sockets) + " sockets together");
    }
  }
  object.finish();
  return cpu;
}

HostLink read_host_link(JsonObject object, FactReader& facts) {
  HostLink link{facts.count(object, "generation"), facts.count(object, "lanes")};
  link.no_peers = object.string_or("no_peers", "");
  object.finish();
  return link;
}

std::optional<PeerLinks> read_peer_links(JsonObject& root, FactReader& facts) {
  if (!root.has("peer_links")) return std::nullopt;
  JsonObject object = root.object("peer_links");
  PeerLinks links{object.string("kind"), facts.quantity<BytesPerSecond>(object, "total_bandwidth")};
  object.finish();
  return links;
}

std::map<Precision, Fact<FlopsPerSecond>> read_peaks(JsonObject object, FactReader& facts) {
  std::map<Precision, Fact<FlopsPerSecond>> peaks;
  for (const std::string& key : object.keys()) {
    try {
      peaks[parse_precision(key)] = facts.quantity<FlopsPerSecond>(object, key);
    } catch (const UsageError& error) {
      object.fail(key, error.what());
    }
  }
  if (!peaks.contains(Precision::kFp32)) object.fail("fp32", "missing");
  return peaks;
}

std::vector<FactConflict> read_conflicts(JsonObject& root, FactReader& facts) {
  std::vector<FactConflict> conflicts;
  if (!root.has("conflicts")) return conflicts;
  for (JsonObject object : root.objects("conflicts")) {
    conflicts.push_back({.field = object.string("field"),
                         .value = object.string("value"),
                         .source = facts.source(object),
                         .why_not_used = object.string("why_not_used")});
    object.finish();
  }
  return conflicts;
}

}  // namespace

std::string_view to_string(DeviceKind kind) { return kind == DeviceKind::kGpu ? "gpu" : "cpu"; }

FlopsPerSecond DeviceSpec::peak(Precision precision) const {
  const auto found = matrix_peak.find(precision);
  if (found != matrix_peak.end()) return found->second.value;
  std::string known;
  for (const auto& [other, fact] : matrix_peak) {
    known += (known.empty() ? "" : ", ") + std::string(to_string(other));
  }
  throw UsageError(name + " has no " + std::string(to_string(precision)) + " arithmetic; it has " +
                   known);
}

bool DeviceSpec::uses_matrix_units(Precision precision) const {
  if (!matrix_units) return false;
  return precision != Precision::kFp32 || peak(precision) > vector_peak.value;
}

DeviceSpec read_device(JsonObject root) {
  FactReader facts(root.object("sources"));
  DeviceSpec spec;
  spec.name = read_name(root);
  spec.title = root.string("title");
  spec.kind = root.one_of("kind", kDeviceKinds) == "gpu" ? DeviceKind::kGpu : DeviceKind::kCpu;
  spec.architecture = root.string("architecture");
  spec.released = root.integer("released");
  spec.aliases = root.strings("aliases");
  spec.note = root.string_or("note", "");
  spec.multiprocessors = facts.count(root, "multiprocessors", kMostMultiprocessors);
  spec.same_chip = facts.optional_devices(root, "same_chip");
  spec.vector_flop_per_clock = facts.count(root, "vector_flop_per_clock");
  spec.base_clock = facts.optional_quantity<Hertz>(root, "base_clock");
  spec.boost_clock = facts.quantity<Hertz>(root, "boost_clock");
  spec.matrix_clock = facts.optional_quantity<Hertz>(root, "matrix_clock");
  spec.vector_peak = facts.quantity<FlopsPerSecond>(root, "vector_peak");
  if (spec.kind == DeviceKind::kGpu) spec.matrix_units = root.boolean("matrix_units");
  spec.matrix_peak = read_peaks(root.object("matrix_peak"), facts);
  spec.matrix_rate_share = facts.optional_share(root, "matrix_rate_share");
  spec.last_level_cache = facts.quantity<Bytes>(root, "last_level_cache");
  spec.memory_side_cache = facts.optional_quantity<Bytes>(root, "memory_side_cache");
  spec.shared_memory = facts.optional_quantity<Bytes>(root, "shared_memory");
  spec.memory = read_memory(root.object("memory"), facts);
  if (spec.kind == DeviceKind::kCpu) spec.cpu = read_cpu(root.object("cpu"), facts);
  spec.power = facts.power(root, "power");
  spec.host_link = read_host_link(root.object("host_link"), facts);
  spec.peer_links = read_peer_links(root, facts);
  spec.conflicts = read_conflicts(root, facts);
  root.finish();
  facts.finish_sources();
  return spec;
}

DeviceSpec read_device(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.device/1");
  return read_device(document.root());
}

}  // namespace paceline
