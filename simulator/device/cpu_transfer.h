// A CPU that nobody has measured, from the fits of one that was and both data sheets. Rates of
// arithmetic and of the caches go with the peak of a core, rates of memory with the bandwidth of
// the socket, times of calls with the clock, capacities with the caches:
//
//   rate of a core        x peak of a core here / there        (FLOP/s, near and mid bandwidth)
//   bandwidth of a core   core_bandwidth_share of the socket's, whatever it was there
//   n threads             1 / (1 + c (n - 1)) of n times one:  c of arithmetic so that all cores
//                         together run at the base clock, one alone at the boost clock;
//                         c of memory so that all together reach bandwidth_share of the sockets'
//   second thread a core  nothing: it shares the units that the first keeps busy
//
// The constants and their sources are data (calibration/fitted/cpu-transfer.json). What this leaves
// out is the library of the day: see docs/models/cpu-transfer.md for how far off it is.
#pragma once

#include <filesystem>

#include "model/hardware/device_spec.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct CpuTransfer {
  ParameterSet fitted;            // of the machine that was measured
  FlopsPerSecond reference_peak;  // of one of its cores
  Hertz reference_clock;
  Bytes reference_private_cache;
  Bytes reference_last_level_cache;
  double core_bandwidth_share = 0;
  double bandwidth_share = 0;
  double remote_share = 0;  // what is left of the bandwidth of several sockets
  double log_sd = 0;        // of all prices, in common
};

// Reads "paceline.cpu-transfer/1" and the parameters it names, relative to `root`. Throws
// InputError.
CpuTransfer read_cpu_transfer(const std::filesystem::path& file, const std::filesystem::path& root);

// What one core reaches at the boost clock.
FlopsPerSecond core_peak(const DeviceSpec& cpu);
// What `busy` cores reach: one at the boost clock, all of the sockets at the base clock.
FlopsPerSecond peak_of_cores(const DeviceSpec& cpu, int sockets, int busy);

// The parameters expected of `sockets` of the CPU. Throws InputError if the CPU's file lacks a fact
// that this needs.
ParameterSet transferred(const CpuTransfer& transfer, const DeviceSpec& cpu, int sockets);

}  // namespace paceline
