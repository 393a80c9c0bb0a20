#include "model/hardware/link_spec.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/names.h"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 8> kLinkKinds = {
    "pcie", "nvlink", "nvswitch", "chip-to-chip", "socket", "memory", "ethernet", "infiniband"};
constexpr std::array<std::string_view, 5> kWirings = {"host-tree", "pairs", "cube-mesh", "switch",
                                                      "cable"};

template <typename Enum, std::size_t N>
Enum read_enum(JsonObject& object, std::string_view key,
               const std::array<std::string_view, N>& names) {
  const std::vector<std::string> allowed(names.begin(), names.end());
  const std::string text = object.one_of(key, allowed);
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  object.fail(key, "not one of the allowed values");
}

BytesPerSecond positive_rate(JsonObject& object, std::string_view key) {
  const BytesPerSecond rate = object.quantity<BytesPerSecond>(key);
  if (rate.si() <= 0) object.fail(key, "a link rate must be positive, found " + to_text(rate));
  return rate;
}

Seconds positive_latency(JsonObject& object, std::string_view key) {
  const Seconds latency = object.quantity<Seconds>(key);
  if (latency.si() <= 0) object.fail(key, "a latency must be positive, found " + to_text(latency));
  return latency;
}

std::map<std::string, std::string> read_sources(JsonObject object) {
  std::map<std::string, std::string> sources;
  for (const std::string& key : object.keys()) sources[key] = object.string(key);
  return sources;
}

Transport read_transport(JsonObject object) {
  Transport transport;
  transport.name = object.string("name");
  transport.achieved = positive_rate(object, "achieved");
  transport.latency = positive_latency(object, "latency");
  if (object.has("per_flow")) transport.per_flow = positive_rate(object, "per_flow");
  transport.measured = object.boolean_or("measured", false);
  transport.source = object.string("source");
  object.finish();
  return transport;
}

// [[0, 1, 2], ...]: devices 0 and 1 are joined by two lanes.
std::vector<MeshEdge> read_mesh(const nlohmann::json& value, const JsonObject& object) {
  std::vector<MeshEdge> mesh;
  for (const nlohmann::json& edge : value) {
    const bool valid = edge.is_array() && edge.size() == 3 && edge[0].is_number_unsigned() &&
                       edge[1].is_number_unsigned() && edge[2].is_number_unsigned();
    if (!valid || edge[2] == 0) object.fail("mesh", "expected [device, device, lanes] entries");
    mesh.push_back({edge[0].get<std::size_t>(), edge[1].get<std::size_t>(), edge[2].get<int>()});
  }
  return mesh;
}

void require_source(const JsonObject& object, const LinkSpec& link, const std::string& field) {
  if (link.sources.contains(field)) return;
  object.fail("sources", "the source of \"" + field + "\" is missing");
}

void read_network_rates(JsonObject& object, LinkSpec& link) {
  for (JsonObject& transport : object.objects("transports")) {
    link.transports.push_back(read_transport(transport));
    if (link.transports.back().achieved > link.data_sheet) {
      transport.fail("achieved", "higher than the data sheet's " + to_text(link.data_sheet));
    }
  }
  if (link.transports.empty()) object.fail("transports", "a network needs at least one transport");
  link = with_transport(link, link.transports.front().name);
}

void read_wire_rates(JsonObject& object, LinkSpec& link) {
  link.achieved = positive_rate(object, "achieved");
  link.measured = object.boolean_or("measured", false);
  link.latency = positive_latency(object, "latency");
  if (link.achieved > link.data_sheet) {
    object.fail("achieved", "higher than the data sheet's " + to_text(link.data_sheet));
  }
  require_source(object, link, "achieved");
  require_source(object, link, "latency");
  if (object.has("peer")) {
    link.peer = positive_rate(object, "peer");
    require_source(object, link, "peer");
  }
}

}  // namespace

std::string_view to_string(LinkKind kind) { return kLinkKinds.at(static_cast<std::size_t>(kind)); }

std::string_view to_string(Wiring wiring) { return kWirings.at(static_cast<std::size_t>(wiring)); }

bool is_network(LinkKind kind) {
  return kind == LinkKind::kEthernet || kind == LinkKind::kInfiniband;
}

LinkSpec with_transport(const LinkSpec& link, std::string_view transport) {
  std::vector<std::string> names;
  for (const Transport& candidate : link.transports) {
    names.push_back(candidate.name);
    if (candidate.name != transport) continue;
    LinkSpec out = link;
    out.transport = candidate.name;
    out.achieved = candidate.achieved;
    out.measured = candidate.measured;
    out.latency = candidate.latency;
    out.per_flow = candidate.per_flow;
    out.sources["achieved"] = candidate.source;
    out.sources["latency"] = candidate.source;
    return out;
  }
  if (names.empty()) throw UsageError("link " + link.name + " is no network: it has no transports");
  throw UsageError(unknown_name_message("transport of " + link.name, transport, names));
}

LinkSpec read_link(JsonObject object) {
  LinkSpec link;
  link.name = object.string("name");
  link.summary = object.string("summary");
  link.kind = read_enum<LinkKind>(object, "kind", kLinkKinds);
  link.wiring = read_enum<Wiring>(object, "wiring", kWirings);
  link.lane = object.string_or("lane", "");
  const std::int64_t lanes = object.integer_or("lanes", 1);
  constexpr std::int64_t kMostLanes = 1024;
  if (lanes < 1 || lanes > kMostLanes) object.fail("lanes", "expected 1 to 1024 lanes");
  link.lanes = static_cast<int>(lanes);
  if (object.has("mesh")) link.mesh = read_mesh(object.raw("mesh"), object);
  link.host_link = object.string_or("host_link", "");
  link.socket_link = object.string_or("socket_link", "");
  link.memory_link = object.string_or("memory_link", "");
  link.data_sheet = positive_rate(object, "data_sheet");
  link.sources = read_sources(object.object("sources"));
  require_source(object, link, "data_sheet");
  if (is_network(link.kind)) {
    read_network_rates(object, link);
  } else {
    read_wire_rates(object, link);
  }
  object.finish();
  return link;
}

}  // namespace paceline
