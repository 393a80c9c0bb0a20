// How far predictions of kernels were from timings that their fits had not seen: the residuals of
// every fold, and of two simple models beside them. `paceline calibrate` writes them next to the
// fits ("paceline.fold-residuals/1", docs/file-formats.md) and `paceline validate --kernels` reads
// them. Ratios only: the timings are not ours to pass on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters/parameter_set.h"

namespace paceline {

// Ways of predicting the timings of a device.
inline constexpr std::string_view kOwnFit = "own fit";      // by its own fit, other shapes
inline constexpr std::string_view kSameChip = "same chip";  // by the fit of a device with its chip
inline constexpr std::string_view kLeftOut = "left out";    // by the other devices
inline constexpr std::string_view kNoKin = "no kin";        // by those of other architectures
// Of pairs of devices only: by all devices but these two.
inline constexpr std::string_view kBothLeftOut = "both left out";
inline constexpr std::string_view kNotFitted = "not fitted";  // a device that took part in no fit

struct FoldResiduals {
  std::string family;  // "gpu.gemm.matrix"
  std::string device;  // whose timings they are
  std::string split;   // one of the above
  // By timing, all of ln(predicted / measured):
  std::vector<double> error{};     // of the model
  std::vector<double> sd{};        // what `error` was expected to be, learnt on other folds
  std::vector<double> roofline{};  // of max(FLOP / peak, bytes / bandwidth) by the data sheet
  std::vector<double> nearest{};   // of the roofline times the nearest GPU's distance from its own
};

// Whether the model says rightly which of two devices is faster: pairs of timings of one shape.
struct DeviceRanking {
  std::string family;
  std::string split;
  std::int64_t pairs = 0;
  double tau = 0;  // Kendall's: (right - wrong) / pairs
  // Of the pairs whose times are at least 3 % apart: less is no difference between devices.
  std::int64_t clear_pairs = 0;
  double clear_tau = 0;
};

struct FoldResidualFile {
  Provenance provenance;
  std::vector<SourceFile> sources;
  std::vector<FoldResiduals> folds;
  std::vector<DeviceRanking> rankings;
  std::map<std::string, std::vector<std::string>> notes;  // by family, for people

  // Families in the order of their folds and notes.
  std::vector<std::string> families() const;
};

// Strict; throws InputError.
FoldResidualFile read_fold_residuals(const std::filesystem::path& file);
// Errors and their sd are rounded to a hundredth of a per cent, the null models to a tenth.
std::string fold_residuals_text(const FoldResidualFile& residuals);

}  // namespace paceline
