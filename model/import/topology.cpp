#include "model/import/topology.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "model/import/topology_matrix.h"

namespace paceline {
namespace {

using Matrix = TopologyMatrix;
using Cell = TopologyCell;
using Distance = TopologyDistance;

std::string joined_by(const Matrix& matrix, std::size_t i, std::size_t j) {
  return matrix.names[i] + " and " + matrix.names[j] + " are joined by NV" +
         std::to_string(matrix.cells[i][j].nvlinks);
}

// What the NV entries of one row say.
struct NvlinkRow {
  int all = 0;
  int peers = 0;
  std::size_t widest = 0;  // column of the largest
  bool alike = true;       // all the same
};

NvlinkRow nvlinks_of(const std::vector<Cell>& cells) {
  NvlinkRow row;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const int count = cells[j].nvlinks;
    if (count == 0) continue;
    row.alike = row.alike && (row.peers == 0 || count == cells[row.widest].nvlinks);
    if (row.peers == 0 || count > cells[row.widest].nvlinks) row.widest = j;
    row.all += count;
    ++row.peers;
  }
  return row;
}

// A matrix of another device than the one that was named has more NVLinks than that one can have:
// between two of them, or, without a switch, of all in a row. Behind a switch every device sees
// every other alike.
void check_nvlinks(const Matrix& matrix, const TopologyLinks& links, const LinkCatalog& catalog,
                   const std::string& name) {
  const bool switched = std::ranges::any_of(catalog.links(), [&](const LinkSpec& link) {
    return link.kind == LinkKind::kNvswitch && link.lane == links.nvlink;
  });
  const std::string device = links.device.empty() ? "the device" : links.device;
  const std::string another = "; is it the matrix of another device?";
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    const NvlinkRow row = nvlinks_of(matrix.cells[i]);
    if (row.peers == 0) continue;
    const std::string found = name + ": " + joined_by(matrix, i, row.widest);
    if (links.nvlink.empty() && links.device.empty()) {
      throw InputError(found + "; name the device, so that their generation is known");
    }
    if (links.nvlink.empty())
      throw InputError(found + ", but " + device + " has no NVLink" + another);
    if (links.slower_links) {
      if (row.peers == 1) continue;
      throw InputError(name + ": " + matrix.names[i] + " has NVLinks to " +
                       std::to_string(row.peers) + " others, but a bridge joins two of " + device +
                       another);
    }
    const std::string has = ", but " + device + " has " + std::to_string(links.nvlinks_per_device) +
                            " NVLinks" + another;
    if (matrix.cells[i][row.widest].nvlinks > links.nvlinks_per_device) {
      throw InputError(found + has);
    }
    if (row.all <= links.nvlinks_per_device || (switched && row.alike)) continue;
    throw InputError(name + ": " + matrix.names[i] + " has " + std::to_string(row.all) +
                     " NVLinks in its row" + has);
  }
}

// Groups of rows nearer than `limit`. Rows joined by NVLink hide their PCIe distance, so they go
// with whatever third row both are near to.
std::vector<int> groups(const Matrix& matrix, Distance limit) {
  std::vector<int> group(matrix.names.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Cell& cell = matrix.cells[i][j];
      if (cell.nvlinks > 0 || cell.distance > limit || group[i] == group[j]) continue;
      const int from = group[i];
      for (int& g : group) {
        if (g == from) g = group[j];
      }
    }
  }
  return group;
}

class TopologyBuilder {
 public:
  TopologyBuilder(const Matrix& matrix, const TopologyLinks& links, const LinkCatalog& catalog)
      : matrix_(&matrix), links_(&links), catalog_(&catalog) {}

  MachineSpec build() {
    machine_.peer_access = PeerAccess::kSameSocket;
    add_endpoints();
    join_processors();
    add_nvlinks();
    return std::move(machine_);
  }

 private:
  std::size_t add(std::string name, NodeKind kind, std::string device = "") {
    machine_.nodes.push_back({std::move(name), kind, std::move(device)});
    return machine_.nodes.size() - 1;
  }

  std::size_t processor(int group) {
    if (const auto known = processors_.find(group); known != processors_.end()) {
      return known->second;
    }
    const std::string number = std::to_string(processors_.size());
    const std::size_t node = add("cpu" + number, NodeKind::kProcessor);
    const std::size_t memory = add("memory" + number, NodeKind::kMemory);
    machine_.links.push_back({node, memory, catalog_->at(links_->pcie.memory_link)});
    return processors_[group] = node;
  }

  std::size_t pcie_switch(int group, int socket) {
    if (const auto known = switches_.find(group); known != switches_.end()) return known->second;
    const std::size_t above = processor(socket);
    const std::size_t node =
        add("switch" + std::to_string(switches_.size()), NodeKind::kPcieSwitch);
    machine_.links.push_back({node, above, links_->pcie});
    return switches_[group] = node;
  }

  void add_endpoints() {
    const std::vector<int> sockets = groups(*matrix_, Distance::kNode);
    const std::vector<int> switched = groups(*matrix_, Distance::kPxb);
    for (std::size_t i = 0; i < matrix_->names.size(); ++i) {
      const bool alone = std::ranges::count(switched, switched[i]) == 1;
      const std::size_t parent =
          alone ? processor(sockets[i]) : pcie_switch(switched[i], sockets[i]);
      const bool device = is_topology_device(matrix_->names[i]);
      std::string name = matrix_->names[i];
      if (device) name = "gpu" + name.substr(3);
      endpoints_.push_back(add(std::move(name), device ? NodeKind::kDevice : NodeKind::kNic,
                               device ? links_->device : ""));
      machine_.links.push_back({endpoints_.back(), parent, links_->pcie});
    }
  }

  void join_processors() {
    std::optional<std::size_t> first;
    for (const auto& [group, node] : processors_) {
      if (first) {
        machine_.links.push_back({*first, node, catalog_->at(links_->pcie.socket_link)});
      } else {
        first = node;
      }
    }
  }

  void add_nvlinks() {
    std::vector<int> in_row(matrix_->names.size(), 0);
    for (std::size_t i = 0; i < in_row.size(); ++i) {
      for (const Cell& cell : matrix_->cells[i]) in_row[i] += cell.nvlinks;
    }
    const int most = *std::ranges::max_element(in_row);
    if (most > links_->nvlinks_per_device && !links_->slower_links) {
      const std::size_t fabric = add("nvswitch", NodeKind::kNvswitch);
      for (std::size_t i = 0; i < in_row.size(); ++i) {
        if (in_row[i] == 0) continue;
        const int links = std::ranges::max_element(matrix_->cells[i], {}, &Cell::nvlinks)->nvlinks;
        LinkSpec link = parallel(catalog_->at(links_->nvlink), links);
        link.kind = LinkKind::kNvswitch;
        for (const LinkSpec& known : catalog_->links()) {
          const bool same = known.kind == LinkKind::kNvswitch && known.lane == links_->nvlink;
          if (same && known.lanes == links) link = known;
        }
        machine_.links.push_back({endpoints_[i], fabric, link});
      }
      return;
    }
    for (std::size_t i = 0; i < in_row.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const int count = matrix_->cells[i][j].nvlinks;
        if (count == 0) continue;
        const int links = links_->slower_links ? links_->nvlinks_per_device : count;
        machine_.links.push_back(
            {endpoints_[j], endpoints_[i], parallel(catalog_->at(links_->nvlink), links)});
      }
    }
  }

  const Matrix* matrix_;
  const TopologyLinks* links_;
  const LinkCatalog* catalog_;
  MachineSpec machine_;
  std::vector<std::size_t> endpoints_;
  std::map<int, std::size_t> processors_;
  std::map<int, std::size_t> switches_;
};

}  // namespace

ClusterSpec import_topology(std::string_view text, const std::string& name,
                            const TopologyLinks& links, const LinkCatalog& catalog) {
  const Matrix matrix = read_topology_matrix(text, name);
  if (std::ranges::none_of(matrix.names, is_topology_device)) {
    throw InputError(name + ": the matrix has no GPU");
  }
  const bool nvlinks = std::ranges::any_of(matrix.cells, [](const std::vector<Cell>& row) {
    return std::ranges::any_of(row, [](const Cell& cell) { return cell.nvlinks > 0; });
  });
  check_nvlinks(matrix, links, catalog, name);
  ClusterSpec cluster;
  cluster.name = name;
  cluster.summary = "read from nvidia-smi topo -m";
  cluster.source = name;
  cluster.machine = TopologyBuilder(matrix, links, catalog).build();
  cluster.warnings.push_back("the matrix does not name the links: " + links.pcie.name +
                             (nvlinks ? ", " + links.nvlink : "") + ", " + links.pcie.socket_link +
                             " between sockets assumed");
  check_machine(cluster.machine, name);
  return cluster;
}

}  // namespace paceline
