// How much of a GPU's memory a process can use: less than the data sheet's capacity, because the
// driver keeps some and because boards with GDDR keep ECC bits in the memory itself.
// model/catalog/memory/usable.json ("paceline.usable-memory/1", docs/devices.md).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "model/hardware/device_spec.h"

namespace paceline {

struct UsableBoard {
  Fact<Bytes> usable;  // in the board's default ECC mode
  // The default mode; none where it costs no memory (HBM) or cannot be chosen.
  std::optional<bool> ecc;
};

struct UsableMemory {
  Fact<double> ecc_share;  // of the capacity
  std::map<std::string, UsableBoard> boards;
};

// Throws InputError for shares that are not below 1, boards that stand there twice, and values
// without a source.
UsableMemory read_usable_memory(const std::filesystem::path& file);
UsableMemory shipped_usable_memory();

// The device with what a process can use as its capacity, and how that comes about as the source of
// it. Another ECC mode than the default ("on", "off") moves it by ecc_share of the capacity. Of a
// board that is not known the capacity stays. Throws UsageError for a mode of a board that has no
// choice, and for anything but "on" and "off".
DeviceSpec with_usable_memory(DeviceSpec spec, const UsableMemory& known,
                              const std::optional<std::string>& ecc);

}  // namespace paceline
