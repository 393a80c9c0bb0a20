#include "simulator/device/cpu_transfer.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

double sourced_number(JsonObject& parent, std::string_view key) {
  JsonObject object = parent.object(key);
  const double value = object.positive("value");
  object.string("source");
  object.finish();
  return value;
}

Bytes sourced_bytes(JsonObject& parent, std::string_view key) {
  JsonObject object = parent.object(key);
  const Bytes value = object.quantity<Bytes>("value");
  object.string("source");
  object.finish();
  return value;
}

FlopsPerSecond fastest_rate(const ParameterSet& set) {
  double best = 0;
  for (const Fit& fit : set.fits) {
    for (const Parameter& p : fit.parameters) {
      if (p.name == "flop_rate") best = std::max(best, p.value);
    }
  }
  if (best <= 0) throw InputError("parameters of " + set.device + ": no flop_rate of any kernel");
  return FlopsPerSecond(best);
}

// How the target's quantities relate to the reference's.
struct Ratios {
  double peak = 1;         // of a core
  double clock = 1;        // at boost
  double core_memory = 1;  // bandwidth that one core reaches
  double private_cache = 1;
  double last_level_cache = 1;
  double contention = 0;         // of arithmetic, added to the reference's
  double memory_contention = 0;  // in place of the reference's
};

// The largest bandwidth of one core that any fit of the reference reaches.
double reference_core_bandwidth(const ParameterSet& set) {
  double best = 0;
  for (const Fit& fit : set.fits) {
    for (const Parameter& p : fit.parameters) {
      if (p.name == "far_bandwidth") best = std::max(best, p.value);
    }
  }
  if (best <= 0) {
    throw InputError("parameters of " + set.device + ": no far_bandwidth of any kernel");
  }
  return best;
}

// The c of 1 / (1 + c (n - 1)) by which the clock falls from one busy core to all.
double clock_contention(const DeviceSpec& cpu, int sockets) {
  const double cores = static_cast<double>(cpu.multiprocessors.value * sockets);
  const double slowdown = cpu.boost_clock.value / cpu.base_clock->value;
  return cores > 1 ? (slowdown - 1) / (cores - 1) : 0;
}

Ratios ratios_of(const CpuTransfer& from, const DeviceSpec& cpu, int sockets) {
  const double cores = static_cast<double>(cpu.multiprocessors.value * sockets);
  const double socket_bandwidth = cpu.memory.bandwidth.value.si();
  const double one_core = from.core_bandwidth_share * socket_bandwidth;
  const double all =
      from.bandwidth_share * socket_bandwidth * sockets * (sockets > 1 ? from.remote_share : 1.0);
  Ratios out;
  out.peak = core_peak(cpu) / from.reference_peak;
  out.clock = cpu.boost_clock.value / from.reference_clock;
  out.core_memory = one_core / reference_core_bandwidth(from.fitted);
  out.private_cache = cpu.cpu->private_cache.value / from.reference_private_cache;
  out.last_level_cache = cpu.last_level_cache.value / from.reference_last_level_cache;
  out.contention = clock_contention(cpu, sockets);
  out.memory_contention = cores > 1 ? (cores * one_core / all - 1) / (cores - 1) : 0;
  return out;
}

// Largest values below 1 that a share of a resource may take in the formulas' coordinates.
double as_fraction(double share) { return std::clamp(share, 1e-6, 1 - 1e-6); }

double scaled(const Parameter& p, const Ratios& r) {
  const std::string& name = p.name;
  if (name == "contention") return as_fraction(p.value + r.contention);
  if (name == "memory_contention" || name == "out_contention") {
    return as_fraction(r.memory_contention);
  }
  if (name == "far_bandwidth") return p.value * r.core_memory;
  if (name.starts_with("far_") || name.ends_with("_move")) return p.value / r.core_memory;
  if (name == "near_bandwidth" || name == "mid_bandwidth" || name == "flop_rate") {
    return p.value * r.peak;
  }
  if (p.unit == "s/B" || name.ends_with("_time")) return p.value / r.peak;
  if (p.unit == "s") return p.value / r.clock;
  if (name == "private_cache") return p.value * r.private_cache;
  if (p.unit == "B") return p.value * r.last_level_cache;
  return p.value;
}

}  // namespace

FlopsPerSecond core_peak(const DeviceSpec& cpu) {
  return FlopsPerSecond(static_cast<double>(cpu.vector_flop_per_clock.value) *
                        cpu.boost_clock.value.si());
}

FlopsPerSecond peak_of_cores(const DeviceSpec& cpu, int sockets, int busy) {
  return busy / (1 + clock_contention(cpu, sockets) * (busy - 1)) * core_peak(cpu);
}

CpuTransfer read_cpu_transfer(const std::filesystem::path& file,
                              const std::filesystem::path& root) {
  const JsonDocument document = read_json_file(file, "paceline.cpu-transfer/1");
  JsonObject object = document.root();
  CpuTransfer out;
  out.fitted = read_parameters(root / object.string("parameters"));
  JsonObject reference = object.object("reference");
  const double per_clock = sourced_number(reference, "flop_per_clock");
  const double share = sourced_number(reference, "peak_share");
  out.reference_peak = fastest_rate(out.fitted) / share;
  out.reference_clock = Hertz(out.reference_peak.si() / per_clock);
  out.reference_private_cache = sourced_bytes(reference, "private_cache");
  out.reference_last_level_cache = sourced_bytes(reference, "last_level_cache");
  reference.finish();
  JsonObject target = object.object("target");
  out.core_bandwidth_share = sourced_number(target, "core_bandwidth_share");
  out.bandwidth_share = sourced_number(target, "bandwidth_share");
  out.remote_share = sourced_number(target, "remote_share");
  target.finish();
  out.log_sd = sourced_number(object, "log_sd");
  object.finish();
  return out;
}

ParameterSet transferred(const CpuTransfer& transfer, const DeviceSpec& cpu, int sockets) {
  if (!cpu.cpu || !cpu.base_clock) {
    throw InputError("device " + cpu.name +
                     ": what is expected of it needs its base clock and the facts under \"cpu\"");
  }
  const Ratios ratios = ratios_of(transfer, cpu, sockets);
  ParameterSet out = transfer.fitted;
  out.device = cpu.name;
  out.fitted_shapes.clear();
  for (Fit& fit : out.fits) {
    for (Parameter& p : fit.parameters) {
      if (p.value != 0) p.value = scaled(p, ratios);
    }
    fit.quality.shared_sd = std::hypot(fit.quality.shared_sd, transfer.log_sd);
  }
  return out;
}

}  // namespace paceline
