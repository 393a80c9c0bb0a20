// Text <-> quantities: "450 GB/s", "253.1 samples/s", "8.2 TFLOP/s", "14d". The only parser of unit
// strings. k M G T P are powers of 1000 and Ki Mi Gi Ti powers of 1024; B is byte and b is bit,
// always. A number without a unit is refused.
#pragma once

#include <string>
#include <string_view>

#include "core/units.h"

namespace paceline {

// Each throws UsageError naming the text, what was found and the allowed units.
// `parse_bytes` also accepts bits ("1 Gb"), `parse_bytes_per_second` also bit rates ("25 Gb/s",
// "25 Gbit/s") and multiples ("4x100 Gb/s").
Seconds parse_seconds(std::string_view text);
Bytes parse_bytes(std::string_view text);
BytesPerSecond parse_bytes_per_second(std::string_view text);
FlopsPerSecond parse_flops_per_second(std::string_view text);
SamplesPerSecond parse_samples_per_second(std::string_view text);
Hertz parse_hertz(std::string_view text);

// The same, chosen by type, for generic readers.
template <typename Q>
Q parse_quantity(std::string_view text);

// For people: three significant digits and a fitting prefix ("12.3 ms", "1.50 GB/s").
std::string to_text(Seconds value);
std::string to_text(Bytes value);
std::string to_text(BytesPerSecond value);
std::string to_text(Flops value);
std::string to_text(FlopsPerSecond value);
std::string to_text(SamplesPerSecond value);
std::string to_text(Hertz value);

// Three significant digits without an exponent where readable: 0.123, 1.23, 12.3, 123, 1234.
std::string significant(double value, int digits = 3);

}  // namespace paceline
