#include "model/hardware/foreign_link.h"

#include "core/units_text.h"

namespace paceline {

std::optional<std::string> foreign_link(const DeviceSpec& device, const ClusterSpec& cluster) {
  for (const MachineLink& link : cluster.machine.links) {
    const LinkKind kind = link.link.kind;
    if (kind != LinkKind::kNvlink && kind != LinkKind::kNvswitch) continue;
    if (!device.peer_links) {
      return device.name + " has no links between devices but PCI Express: " + link.link.name +
             " is made up";
    }
    const BytesPerSecond most = 0.5 * device.peer_links->total_bandwidth.value;
    if (link.link.data_sheet > 1.02 * most) {
      return link.link.name + " is faster than the links of " + device.name + ", " +
             device.peer_links->kind + " with " + to_text(most) + " in each direction";
    }
  }
  return std::nullopt;
}

}  // namespace paceline
