#include "cli/cluster_flags.h"

#include "core/names.h"
#include "core/units_text.h"
#include "model/hardware/device_file.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostOfACluster = 100000;

void read_settings(const Arguments& arguments, ClusterRequest& request) {
  const std::vector<std::string> known{"transport", "connections"};
  for (const std::string& setting : arguments.all("set")) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == setting.size()) {
      throw UsageError("--set " + setting + ": expected KEY=VALUE");
    }
    const std::string value = setting.substr(equals + 1);
    if (key == "transport") {
      request.transport = value;
    } else if (key == "connections") {
      request.connections = static_cast<int>(parse_count("connections", value, 1, 1024));
    } else {
      throw UsageError(unknown_name_message("setting", key, known));
    }
  }
}

std::optional<int> count_of(const Arguments& arguments, const char* flag) {
  if (!arguments.has(flag)) return std::nullopt;
  return static_cast<int>(arguments.count_or(flag, 1, kMostOfACluster));
}

}  // namespace

std::vector<FlagSpec> cluster_flags() {
  return {{.name = "device",
           .value = "NAME|FILE",
           .summary = "a device of the catalog, or a device file"},
          {.name = "gpus", .value = "N", .summary = "ranks, one per device"},
          {.name = "gpus-per-node", .value = "M", .summary = "devices per machine"},
          {.name = "intra", .value = "LINK", .summary = "link inside a machine"},
          {.name = "net", .value = "LINK", .summary = "link between machines"},
          {.name = "cluster", .value = "NAME|FILE", .summary = "a whole machine or cluster"},
          {.name = "topo", .value = "FILE", .summary = "output of nvidia-smi topo -m"},
          {.name = "nodes", .value = "N", .summary = "machines of --cluster"},
          {.name = "set",
           .value = "KEY=VALUE",
           .summary = "transport=tcp|rdma, connections=N",
           .repeatable = true}};
}

Bytes read_size(const Arguments& arguments) {
  constexpr double kLargest = 1e18;
  const std::string text = arguments.text("bytes");
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const Bytes bytes = parse_bytes(plain ? text + " B" : text);
  if (bytes.si() < 1 || bytes.si() > kLargest) {
    throw UsageError("--bytes must be positive, at least 1 B and at most 1e18 B, found \"" + text +
                     "\"");
  }
  return bytes;
}

std::string size_as_typed(const Arguments& arguments) {
  const std::string text = arguments.text("bytes");
  const bool plain = text.find_first_not_of("0123456789") == std::string::npos;
  return plain ? to_text(read_size(arguments)) : text;
}

ClusterChoice read_cluster_choice(const Arguments& arguments, bool host_link) {
  ClusterRequest request;
  read_settings(arguments, request);
  request.intra_is_host_link = host_link;
  request.device = arguments.text_or("device", "");
  ClusterCatalogs catalogs;
  std::optional<DeviceSpec> described;
  if (is_device_path(request.device)) {
    described = read_described_spec(request.device, catalogs.devices);
    request.described = &*described;
    request.device = described->name;
  }
  request.gpus = count_of(arguments, "gpus");
  request.gpus_per_node = count_of(arguments, "gpus-per-node");
  request.nodes = count_of(arguments, "nodes");
  request.intra = arguments.find("intra");
  request.net = arguments.find("net");
  request.cluster = arguments.find("cluster");
  request.topo = arguments.find("topo");
  return choose_cluster(request, catalogs);
}

void refuse_unused_settings(const Arguments& arguments, bool over_network) {
  if (over_network) return;
  for (const std::string& setting : arguments.all("set")) {
    throw UsageError("--set " + setting + " is of the network, and these ranks are in one machine");
  }
}

}  // namespace paceline
