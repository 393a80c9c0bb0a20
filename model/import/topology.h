// Reads the matrix that `nvidia-smi topo -m` prints and makes a machine of it.
#pragma once

#include <string>
#include <string_view>

#include "model/hardware/machine_spec.h"

namespace paceline {

// What the matrix does not say.
struct TopologyLinks {
  LinkSpec pcie;           // of every device and card
  std::string nvlink;      // generation, "nvlink3"; needed if the matrix has NV entries
  int nvlinks_per_device;  // of that device; as many to every other device mean an NVSwitch
  std::string device;      // name of the device catalog; may be empty
  // The device has more links than that, each slower than one of the generation: a bridge of all of
  // them, whatever its count in the matrix, is as fast as so many.
  bool slower_links = false;
};

// One machine. Devices below one switch: PIX, PXB; below one processor: PHB, NODE; else SYS. `name`
// stands for the file in messages. Throws InputError with the line on an unknown cell ("N/A",
// "??"), a row that is short, a matrix that is not symmetric or has no device, on NV entries of a
// device that has no NVLink, or fewer than that, and if NV entries need an NVLink generation that
// was not given.
ClusterSpec import_topology(std::string_view text, const std::string& name,
                            const TopologyLinks& links, const LinkCatalog& catalog);

}  // namespace paceline
