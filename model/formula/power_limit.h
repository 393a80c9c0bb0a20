// The clock at which a board that is kept busy stays below a power limit. With x the clock and P
// the power, both as shares of what the board has without the limit:
//
//   P(x) = s + (1 - s) x v(x)^2
//   v(x) = v_low                                        x <= x_low
//          v_low + (1 - v_low) (x - x_low)/(1 - x_low)  above
//
// Switching transistors take c f V^2; s is what a board draws whatever its clock. The voltage rises
// linearly with the clock above x_low and cannot fall below v_low, so that deep limits cost clock
// in proportion to power and shallow ones almost none. Source: the law of dynamic power of CMOS
// (Weste and Harris, "CMOS VLSI Design", chapter 5); the shape of v: Guerreiro et al., "GPGPU power
// modeling for multi-domain voltage-frequency scaling", HPCA 2018. Values: model/catalog/power;
// where they come from and what they predict: docs/models/gpu-execution.md.
#pragma once

#include <algorithm>

namespace paceline::formula {

struct PowerLaw {
  double static_share = 0;       // s, below 1
  double lowest_voltage = 1;     // v_low
  double low_voltage_clock = 0;  // x_low, below 1
  double lowest_clock = 0;       // that a board can have
};

inline double power_at_clock(double clock, const PowerLaw& law) {
  const double above = std::max(0.0, clock - law.low_voltage_clock);
  const double voltage =
      law.lowest_voltage + (1 - law.lowest_voltage) * above / (1 - law.low_voltage_clock);
  return law.static_share + (1 - law.static_share) * clock * voltage * voltage;
}

// The inverse: the clock for `power`, a share between s and 1; 1 from 1 on.
inline double clock_at_power(double power, const PowerLaw& law) {
  if (power >= 1) return 1;
  double low = 0, high = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (power_at_clock(middle, law) < power ? low : high) = middle;
  }
  return low;
}

}  // namespace paceline::formula
