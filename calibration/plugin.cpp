#include "calibration/plugin.h"

#include "core/plugin.h"

namespace paceline {

const CalibrationPlugin& calibration_plugin() {
  void* entry = load_plugin(PACELINE_FITS_PLUGIN_NAME, PACELINE_FITS_PLUGIN_BUILD_FOLDER,
                            kCalibrationPluginEntry);
  return *reinterpret_cast<const CalibrationPlugin* (*)()>(entry)();
}

}  // namespace paceline
