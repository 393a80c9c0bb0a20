#include "calibration/gpu/own_device.h"
#include "calibration/plugin.h"

extern "C" const paceline::CalibrationPlugin* paceline_calibration_plugin();

const paceline::CalibrationPlugin* paceline_calibration_plugin() {
  static constexpr paceline::CalibrationPlugin kPlugin = {
      paceline::calibrate,         paceline::calibrate_gpu,   paceline::fit_host,
      paceline::collective_points, paceline::fit_collectives, paceline::to_text,
      paceline::run_recipe};
  return &kPlugin;
}
