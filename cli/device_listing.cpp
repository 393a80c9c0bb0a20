#include "cli/device_listing.h"

#include <nlohmann/json.hpp>

#include "core/units_text.h"
#include "model/cost/gpu.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

template <typename Q>
ordered_json fact(const Fact<Q>& f) {
  if constexpr (requires { f.value.si(); }) {
    return {{"value", f.value.si()}, {"source", f.source}};
  } else if constexpr (requires { f.value.value; }) {
    return {{"value", f.value.value}, {"source", f.source}};
  } else {
    return {{"value", f.value}, {"source", f.source}};
  }
}

template <typename Q>
void add(ordered_json& out, const char* key, const std::optional<Fact<Q>>& f) {
  if (f) out[key] = fact(*f);
}

// SI units, named in the keys.
ordered_json facts(const DeviceSpec& d) {
  ordered_json out = {{"multiprocessors", fact(d.multiprocessors)},
                      {"vector_flop_per_clock", fact(d.vector_flop_per_clock)}};
  add(out, "base_clock_hz", d.base_clock);
  out["boost_clock_hz"] = fact(d.boost_clock);
  add(out, "matrix_clock_hz", d.matrix_clock);
  out["vector_peak_flops_per_s"] = fact(d.vector_peak);
  out["matrix_peak_flops_per_s"] = ordered_json::object();
  for (const auto& [precision, peak] : d.matrix_peak) {
    out["matrix_peak_flops_per_s"][std::string(to_string(precision))] = fact(peak);
  }
  add(out, "matrix_rate_share", d.matrix_rate_share);
  out["last_level_cache_bytes"] = fact(d.last_level_cache);
  add(out, "memory_side_cache_bytes", d.memory_side_cache);
  add(out, "shared_memory_bytes", d.shared_memory);
  add(out, "memory_capacity_bytes", d.memory.capacity);
  out["memory_bandwidth_bytes_per_s"] = fact(d.memory.bandwidth);
  out["memory_bus_width_bits"] = fact(d.memory.bus_width);
  out["memory_data_rate_bytes_per_s"] = fact(d.memory.data_rate);
  if (d.cpu) {
    out["threads_per_core"] = fact(d.cpu->threads_per_core);
    out["private_cache_bytes"] = fact(d.cpu->private_cache);
    out["largest_memory_bytes"] = fact(d.cpu->largest_memory);
    add(out, "largest_sockets", d.cpu->largest_sockets);
  }
  out["power_w"] = fact(d.power);
  out["pcie_generation"] = fact(d.host_link.generation);
  out["pcie_lanes"] = fact(d.host_link.lanes);
  add(out, "same_chip", d.same_chip);
  if (d.peer_links) out["peer_links_total_bytes_per_s"] = fact(d.peer_links->total_bandwidth);
  return out;
}

// How much memory, for people; of a CPU it is the machine's choice.
std::string capacity_text(const DeviceSpec& d) {
  if (d.memory.capacity) return to_text(d.memory.capacity->value);
  return d.cpu ? "up to " + to_text(d.cpu->largest_memory.value) : "-";
}

// The dense peak of training's usual narrow arithmetic, "125 TFLOP/s fp16".
std::string matrix_peak_text(const DeviceSpec& d) {
  if (!d.matrix_units) return "-";
  for (const Precision precision :
       {Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp32}) {
    const auto found = d.matrix_peak.find(precision);
    if (found == d.matrix_peak.end()) continue;
    return to_text(found->second.value) + " " + std::string(to_string(precision));
  }
  return "-";
}

ordered_json conflicts(const DeviceSpec& d) {
  ordered_json out = ordered_json::array();
  for (const FactConflict& c : d.conflicts) {
    out.push_back({{"field", c.field},
                   {"value", c.value},
                   {"source", c.source},
                   {"why_not_used", c.why_not_used}});
  }
  return out;
}

ordered_json kernels(const DeviceSpec& d) {
  ordered_json out = ordered_json::object();
  if (d.kind != DeviceKind::kGpu) return out;
  for (const GpuFamilyOrigin& family : GpuCostModel::for_device(d).origins()) {
    ordered_json entry = {{"origin", family.origin}, {"summary", family.summary}};
    if (family.quality.held_out > 0) {
      entry["held_out_median_error"] = family.quality.held_out_median_ape;
    }
    out[family.family] = std::move(entry);
  }
  return out;
}

}  // namespace

ordered_json list_devices() {
  ordered_json out = ordered_json::array();
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const DeviceSpec& d : catalog.devices()) {
    ordered_json row = {{"name", d.name},
                        {"summary", d.title},
                        {"kind", std::string(to_string(d.kind))},
                        {"architecture", d.architecture},
                        {"released", d.released},
                        {"aliases", d.aliases}};
    if (!d.note.empty()) row["note"] = d.note;
    row["memory"] = d.memory.type;
    row["capacity"] = capacity_text(d);
    row["bandwidth"] = to_text(d.memory.bandwidth.value);
    row["fp32_peak"] = to_text(d.vector_peak.value);
    row["matrix_peak"] = matrix_peak_text(d);
    if (d.peer_links) row["peer_links"] = d.peer_links->kind;
    row["facts"] = facts(d);
    row["conflicts"] = conflicts(d);
    row["kernels"] = kernels(d);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace paceline
