// How fast the links of a machine let data go round all devices of a group: the bandwidth of the
// best set of rings, and the hop that limits it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/hardware/machine_paths.h"

namespace paceline {

struct RingBandwidth {
  BytesPerSecond rate;  // bytes per second that cross each device boundary, all rings together
  BytesPerSecond lane;  // of one of the parallel rings
  double rings = 1;     // parallel rings; a multiple of one half
  PathKind path = PathKind::kNvswitch;  // of the limiting hop
  std::string limit;                    // the limiting hop in words
  Seconds latency;                      // of the slowest hop
};

// Over `devices` (node indices, at least two, each once). Devices on one NVSwitch get all lanes;
// devices joined only by NVLinks get as many rings as can be packed edge-disjointly into half
// links, found greedily with a shortest Hamiltonian cycle each (Held and Karp 1962): the whole
// number for 2, 3, 4, 6, 7 and 8 devices of DGX-1 agrees with measured all-reduce rates within 6 %
// on V100. Otherwise one ring in the given order over static paths, each link shared by the hops
// that use it. Throws InputError if two devices are not connected.
RingBandwidth ring_bandwidth(const MachineSpec& machine, const MachinePaths& paths,
                             std::span<const std::size_t> devices);

// The most directed Hamiltonian cycles, in half units, that fit into `capacity` (row-major n x n,
// in links), greedily. n at most 12; 0 if there is no cycle.
double pack_rings(std::vector<double> capacity, std::size_t n);

}  // namespace paceline
