// paceline calibrate of copies: what nvbandwidth measured becomes the achieved rate of a link of
// the catalog, as a file that --intra, --link and cluster files take.
#pragma once

#include "cli/arguments.h"
#include "model/hardware/link_spec.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// Whether the file holds rates of copies ("nvbandwidth.host_to_device_memcpy_ce").
bool holds_copies(const MeasurementSet& measurements);

struct CopyCalibration {
  LinkSpec link;
  std::string report;
};

// The link named by --link with the median of the measured rates: copies with the host for a link
// below each device, copies between devices for a switch, or for the bridge of two devices. Its
// latency stays the catalog's, as one size cannot tell it. Throws UsageError on a link of which the
// cells do not say who has it, InputError if the file has no such copies or they exceed the data
// sheet.
CopyCalibration calibrate_copies(const Arguments& arguments, const MeasurementSet& measurements);

}  // namespace paceline
