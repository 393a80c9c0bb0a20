// Device memory that a communicator of NCCL takes before anything is sent: every channel receives
// from each of its neighbours into a buffer for each protocol (src/init.cc computeBuffSizes,
// src/transport/p2p.cc and net.cc; recalled).
#pragma once

#include "model/collective/fabric_group.h"

namespace paceline {

// Device memory of a library of collectives, and how far below and above it other versions and
// settings are.
struct LibraryBuffers {
  Bytes bytes, below, above;
  std::string source;  // of what is not certain; empty if nothing is
};

// On the device with most of them. Inside a machine a channel has two neighbours, those of its
// ring; the machine's part of a tree is a chain over the same. A neighbour that can only be reached
// through host memory has its buffers there. Between machines each channel enters and leaves one
// device of a machine, over a ring and a double binary tree (a parent and two children, and the
// ring's two neighbours, as far as there are so many machines); its buffers are on the device, for
// sending (all protocols but LL) and receiving, if the network writes into it ("rdma"), else in
// host memory.
Bytes channel_buffers(const ClusterSpec& cluster, const FabricGroup& fabric,
                      const NcclTuning& tuning);

// What comes on top where the switch reduces (NVLS): for every channel and every device of the
// group in a machine memory that the switch writes to and reads from (NcclSwitchBuffers). Nothing
// of a generation without it.
LibraryBuffers switch_buffers(const FabricGroup& fabric, const NcclTuning& tuning);

}  // namespace paceline
