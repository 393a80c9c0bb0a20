// How many GPUs this process may use.
#pragma once

namespace paceline {

// At least one. Throws MeasurementError with the driver's reason if there is none.
int usable_gpus();

}  // namespace paceline
