// What the vendor's data sheet says about one device: the file model/catalog/devices/<name>.json
// ("paceline.device/1", docs/devices.md). Every value carries the document it was taken from;
// a value that contradicts another document stays in `conflicts` with the reason it was not used,
// so nothing is averaged. Nothing measured stands here: that is what parameter files are for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"
#include "model/kernel/kernel.h"

namespace paceline {

// A value and the text that names its source.
template <typename T>
struct Fact {
  T value{};
  std::string source;
};

enum class DeviceKind { kGpu, kCpu };
std::string_view to_string(DeviceKind kind);

struct Watts {
  double value = 0;
};

struct DeviceMemory {
  std::string type;                     // "HBM2", "GDDR5", "DDR3"
  std::optional<Fact<Bytes>> capacity;  // absent for a CPU, whose memory is the machine's choice
  Fact<BytesPerSecond> bandwidth;       // reading and writing together
  Fact<std::int64_t> bus_width;         // bits
  Fact<BytesPerSecond> data_rate;       // of one pin
};

struct CpuFacts {
  Fact<std::int64_t> threads_per_core;
  Fact<Bytes> private_cache;   // of a core, in front of last_level_cache
  Fact<Bytes> largest_memory;  // that a socket can have
  // Of one machine; absent: nobody said that there can be more than one.
  std::optional<Fact<std::int64_t>> largest_sockets{};
};

// PCI Express connector of the device.
struct HostLink {
  Fact<std::int64_t> generation;
  Fact<std::int64_t> lanes;
  // Why devices of this kind cannot copy to one another over PCI Express, with its source; empty if
  // they can.
  std::string no_peers{};
};

// Links between devices other than PCI Express, all of one device together.
struct PeerLinks {
  std::string kind;                      // "NVLink 3", "Infinity Fabric"
  Fact<BytesPerSecond> total_bandwidth;  // both directions added
};

// Two documents, or a document and arithmetic, that disagree.
struct FactConflict {
  std::string field;  // "matrix_peak/bf16"
  std::string value;  // as the other document prints it
  std::string source;
  std::string why_not_used;
};

struct DeviceSpec {
  std::string name;   // catalog name, "v100-sxm2-16g"
  std::string title;  // "NVIDIA Tesla V100 SXM2 16 GB"
  DeviceKind kind = DeviceKind::kGpu;
  std::string architecture;  // "volta": devices of one architecture run the same kernels
  std::int64_t released = 0;
  std::vector<std::string> aliases;  // what nvidia-smi, lscpu and papers print
  std::string note;                  // what the name stands for where that is not obvious
  // Devices with the same chip, likest first: what was measured on them holds here.
  std::optional<Fact<std::vector<std::string>>> same_chip;

  Fact<std::int64_t> multiprocessors;        // SM, compute unit, or CPU core
  Fact<std::int64_t> vector_flop_per_clock;  // fp32, of one multiprocessor
  std::optional<Fact<Hertz>> base_clock;
  Fact<Hertz> boost_clock;
  std::optional<Fact<Hertz>> matrix_clock;  // the clock of `matrix_peak`, where it is not boost
  Fact<FlopsPerSecond> vector_peak;         // fp32; at boost clock, of a CPU at base clock

  // Whether there are units for whole small matrix products (tensor cores); always false for a CPU.
  bool matrix_units = false;
  // Dense peak of matrix products with fp32 accumulation. A missing precision has no arithmetic
  // of its own on this device.
  std::map<Precision, Fact<FlopsPerSecond>> matrix_peak;
  // `matrix_peak` with fp32 accumulation against the rate of the units with narrow accumulation,
  // where boards are sold with less than the full rate (GeForce: 1/2).
  std::optional<Fact<double>> matrix_rate_share;

  Fact<Bytes> last_level_cache;                  // L2 of a GPU, L3 of a CPU
  std::optional<Fact<Bytes>> memory_side_cache;  // beside it, in front of memory (Infinity Cache)
  std::optional<Fact<Bytes>> shared_memory;      // largest per multiprocessor
  DeviceMemory memory;
  std::optional<CpuFacts> cpu;  // of every CPU
  Fact<Watts> power;            // board limit of a GPU, TDP of a CPU
  HostLink host_link;
  std::optional<PeerLinks> peer_links;
  std::vector<FactConflict> conflicts;

  // Peak for matrix products at this precision. Throws UsageError naming those the device has.
  FlopsPerSecond peak(Precision precision) const;
  // Whether products at this precision run on the matrix units: fp32 does only where its matrix
  // peak exceeds the vector peak.
  bool uses_matrix_units(Precision precision) const;
};

// Reads one device file; throws InputError naming file, path, what was found and what is allowed.
DeviceSpec read_device(const std::filesystem::path& file);
DeviceSpec read_device(JsonObject root);

}  // namespace paceline
