// The matrix that `nvidia-smi topo -m` prints, read and checked, as it stands there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paceline {

// How far two things of the matrix are apart, near to far.
enum class TopologyDistance { kSelf, kPix, kPxb, kPhb, kNode, kSys };

struct TopologyCell {
  TopologyDistance distance = TopologyDistance::kSelf;
  int nvlinks = 0;  // NV#; the distance over PCIe is then unknown
};

// Symmetric; each thing with itself is kSelf, and no other.
struct TopologyMatrix {
  std::vector<std::string> names;  // of columns and rows that are devices or cards
  std::vector<std::vector<TopologyCell>> cells;
};

bool is_topology_device(const std::string& name);  // "GPU0"
// `name` stands for the file in messages. Throws InputError with the line on what it cannot read,
// on a row that is short or missing, and if two things see each other differently.
TopologyMatrix read_topology_matrix(std::string_view text, const std::string& name);

}  // namespace paceline
