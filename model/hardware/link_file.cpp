#include "model/hardware/link_file.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr const char* kLinkSchema = "paceline.links/1";

std::string rate_text(BytesPerSecond rate) { return significant(rate.si() * 1e-9, 6) + " GB/s"; }

}  // namespace

LinkSpec read_link_file(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, kLinkSchema);
  JsonObject root = document.root();
  std::vector<LinkSpec> links;
  for (JsonObject& object : root.objects("links")) links.push_back(read_link(object));
  root.finish();
  if (links.size() == 1) return links.front();
  throw InputError(file.string() + ":/links: found " + std::to_string(links.size()) +
                   ", expected one link");
}

std::string link_file_text(const LinkSpec& link) {
  PACELINE_ASSERT(!is_network(link.kind), "a network has transports");
  nlohmann::ordered_json out = {{"name", link.name},
                                {"summary", link.summary},
                                {"kind", to_string(link.kind)},
                                {"wiring", to_string(link.wiring)}};
  if (!link.lane.empty()) out["lane"] = link.lane;
  if (link.lanes != 1) out["lanes"] = link.lanes;
  if (!link.mesh.empty()) {
    for (const MeshEdge& edge : link.mesh) out["mesh"].push_back({edge.a, edge.b, edge.lanes});
  }
  out["data_sheet"] = rate_text(link.data_sheet);
  out["achieved"] = rate_text(link.achieved);
  if (link.peer) out["peer"] = rate_text(*link.peer);
  out["latency"] = significant(link.latency.si() * 1e6, 6) + " us";
  for (const auto& [key, name] : {std::pair("host_link", link.host_link),
                                  {"socket_link", link.socket_link},
                                  {"memory_link", link.memory_link}}) {
    if (!name.empty()) out[key] = name;
  }
  out["sources"] = link.sources;
  return to_json_text({{"schema", kLinkSchema}, {"links", nlohmann::ordered_json::array({out})}});
}

}  // namespace paceline
