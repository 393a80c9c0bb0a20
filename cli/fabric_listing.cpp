#include "cli/fabric_listing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/data_directory.h"
#include "model/hardware/machine_spec.h"
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {

using nlohmann::ordered_json;

ordered_json list_links() {
  ordered_json rows = ordered_json::array();
  const LinkCatalog catalog = LinkCatalog::shipped();
  for (const LinkSpec& link : catalog.links()) {
    ordered_json row = {{"name", link.name},
                        {"kind", to_string(link.kind)},
                        {"wiring", to_string(link.wiring)},
                        {"rate", to_text(link.data_sheet)},
                        {"achieved", to_text(link.achieved)},
                        {"latency", to_text(link.latency)},
                        {"summary", link.summary},
                        {"data_sheet_bytes_per_s", link.data_sheet.si()},
                        {"achieved_bytes_per_s", link.achieved.si()},
                        {"latency_s", link.latency.si()},
                        {"sources", link.sources}};
    for (const Transport& transport : link.transports) {
      ordered_json entry = {{"name", transport.name},
                            {"achieved_bytes_per_s", transport.achieved.si()},
                            {"latency_s", transport.latency.si()},
                            {"source", transport.source}};
      if (transport.per_flow) entry["per_flow_bytes_per_s"] = transport.per_flow->si();
      row["transports"].push_back(entry);
    }
    rows.push_back(row);
  }
  return rows;
}

ordered_json list_clusters() {
  const LinkCatalog links = LinkCatalog::shipped();
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(data_directory() / "model/catalog/clusters")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  ordered_json rows = ordered_json::array();
  for (const std::filesystem::path& file : files) {
    const ClusterSpec cluster = read_cluster(file, links);
    rows.push_back({{"name", cluster.name},
                    {"devices", cluster.device_count()},
                    {"network", cluster.network ? cluster.network->name : "none"},
                    {"summary", cluster.summary},
                    {"source", cluster.source}});
  }
  return rows;
}

ordered_json list_collectives() {
  ordered_json rows = ordered_json::array();
  const CollectiveRegistry registry = collective_registry();
  for (const auto& entry : registry.entries()) {
    const auto algorithm = entry.make();
    ordered_json operations = ordered_json::array();
    for (const std::string& name : collective_names()) {
      CollectiveShape shape;
      shape.op = parse_collective(name);
      shape.group = {2, 2};
      if (algorithm->unsupported(shape).empty()) operations.push_back(name);
    }
    rows.push_back({{"name", entry.name}, {"operations", operations}, {"summary", entry.summary}});
  }
  return rows;
}

}  // namespace paceline
