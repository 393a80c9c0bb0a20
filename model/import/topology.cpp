#include "model/import/topology.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"

namespace paceline {
namespace {

// How far two things of the matrix are apart, near to far.
enum class Distance { kSelf, kPix, kPxb, kPhb, kNode, kSys };

struct Cell {
  Distance distance = Distance::kSelf;
  int nvlinks = 0;  // NV#; the distance over PCIe is then unknown
};

struct Matrix {
  std::vector<std::string> names;  // of columns and rows that are devices or cards
  std::vector<std::vector<Cell>> cells;
};

[[noreturn]] void fail(const std::string& name, int line, const std::string& message) {
  throw InputError(name + ":" + std::to_string(line) + ": " + message);
}

// Without what terminals and launchers add: "\x1b[4m" before the header that nvidia-smi underlines,
// "[1,0]<stdout>:" before lines that mpirun tags.
std::string bare(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[';
    if (!escape) {
      out += line[i];
      continue;
    }
    i += 2;
    while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
  }
  const std::size_t tag = out.find(">:");
  const bool tagged = out.starts_with('[') && tag != std::string::npos;
  return tagged ? out.substr(tag + 2) : out;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r') {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool is_device(const std::string& name) { return name.starts_with("GPU"); }
bool is_endpoint(const std::string& name) {
  return (is_device(name) && name.size() > 3) || name.starts_with("NIC") ||
         name.starts_with("mlx") || name.starts_with("bnxt") || name.starts_with("efa");
}

Cell read_cell(const std::string& text, const std::string& name, int line) {
  static const std::map<std::string, Distance> kWords = {
      {"X", Distance::kSelf},  {"PIX", Distance::kPix},   {"PXB", Distance::kPxb},
      {"PHB", Distance::kPhb}, {"NODE", Distance::kNode}, {"SYS", Distance::kSys},
      {"SOC", Distance::kSys}};
  if (const auto known = kWords.find(text); known != kWords.end()) return {known->second, 0};
  const bool counted = text.size() > 2 && text.starts_with("NV") &&
                       text.find_first_not_of("0123456789", 2) == std::string::npos;
  if (!counted || text.size() > 5 || std::stoi(text.substr(2)) == 0) {
    fail(
        name, line,
        "unknown cell \"" + text + "\"; known: X, PIX, PXB, PHB, NODE, SYS, NV and a count from 1");
  }
  return {Distance::kSys, std::stoi(text.substr(2))};
}

Matrix read_matrix(std::string_view text, const std::string& name) {
  Matrix matrix;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::vector<std::string> words = words_of(bare(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (words.empty()) continue;
    if (matrix.names.empty()) {
      for (const std::string& word : words) {
        if (is_endpoint(word)) matrix.names.push_back(word);
      }
      continue;
    }
    if (matrix.cells.size() == matrix.names.size()) break;
    const std::string& expected = matrix.names[matrix.cells.size()];
    if (words[0] != expected) {
      fail(name, number, "expected the row of " + expected + ", found \"" + words[0] + "\"");
    }
    if (words.size() < matrix.names.size() + 1) {
      fail(name, number,
           "a row of " + std::to_string(words.size() - 1) + " cells, expected " +
               std::to_string(matrix.names.size()) + "; is it cut off?");
    }
    std::vector<Cell> row;
    for (std::size_t i = 1; i <= matrix.names.size(); ++i) {
      row.push_back(read_cell(words[i], name, number));
      const bool self = row.back().distance == Distance::kSelf;
      if (self == (i == matrix.cells.size() + 1)) continue;
      fail(name, number,
           "found " + words[i] + " from " + expected + " to " + matrix.names[i - 1] +
               "; X is of a device with itself, and of no other");
    }
    matrix.cells.push_back(std::move(row));
  }
  if (matrix.names.empty()) {
    throw InputError(name + ": no row of GPU0, GPU1, ...: not the output of nvidia-smi topo -m");
  }
  if (matrix.cells.size() != matrix.names.size()) {
    throw InputError(name + ": " + std::to_string(matrix.cells.size()) + " rows for " +
                     std::to_string(matrix.names.size()) + " columns; is it cut off?");
  }
  return matrix;
}

void check_symmetric(const Matrix& matrix, const std::string& name) {
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Cell& a = matrix.cells[i][j];
      const Cell& b = matrix.cells[j][i];
      if (a.distance == b.distance && a.nvlinks == b.nvlinks) continue;
      throw InputError(name + ": " + matrix.names[i] + " and " + matrix.names[j] +
                       " see each other differently");
    }
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
      const bool device = is_device(matrix_->names[i]);
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
    if (most > links_->nvlinks_per_device) {
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
        const int links = matrix_->cells[i][j].nvlinks;
        if (links == 0) continue;
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
  const Matrix matrix = read_matrix(text, name);
  check_symmetric(matrix, name);
  if (std::ranges::none_of(matrix.names, is_device)) {
    throw InputError(name + ": the matrix has no GPU");
  }
  const bool nvlinks = std::ranges::any_of(matrix.cells, [](const std::vector<Cell>& row) {
    return std::ranges::any_of(row, [](const Cell& cell) { return cell.nvlinks > 0; });
  });
  if (nvlinks && links.nvlink.empty()) {
    throw InputError(name +
                     ": the matrix has NVLinks (NV); name the device, so that their "
                     "generation is known");
  }
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
