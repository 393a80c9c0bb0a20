#include "calibration/gpu/gpu_recipe.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/gpu/attention_gradient.h"
#include "calibration/gpu/between_families.h"
#include "calibration/gpu/gpu_fit.h"
#include "calibration/gpu/gpu_folds.h"
#include "calibration/gpu/public_timings.h"
#include "calibration/gpu/same_chip.h"
#include "core/data_directory.h"
#include "core/error.h"
#include "core/names.h"
#include "model/cost/gpu_family.h"
#include "model/hardware/launch_latency.h"
#include "simulator/report/kernel_accuracy.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

// Timings of several collections, sorted by family and device, and where they come from.
struct Timings {
  GpuObservations observations;
  std::vector<SourceFile> sources;                            // of everything
  std::map<std::string, std::vector<SourceFile>> sources_of;  // of the collections with a device
};

void add_collection(const PublicTimings& collection, const DeviceCatalog& catalog, Timings& out) {
  add_observations(collection.timings, catalog, out.observations);
  std::set<std::string> devices;
  for (const Measurement& result : collection.timings.results) {
    devices.insert(result.text("device"));
  }
  const Provenance& provenance = collection.timings.provenance;
  for (const auto& [name, sha256] : provenance.libraries) {
    const SourceFile source{.file = collection.name + ": " + name,
                            .sha256 = sha256,
                            .licence = provenance.environment.at("licence")};
    out.sources.push_back(source);
    for (const std::string& device : devices) out.sources_of[device].push_back(source);
  }
}

Timings read_timings(const fs::path& folder, const std::vector<std::string>& collections,
                     const DeviceCatalog& catalog) {
  Timings out;
  for (const PublicTimings& collection : import_public_timings(folder, collections)) {
    add_collection(collection, catalog, out);
  }
  return out;
}

// Where the collections lie: below `calibration`, or in the folder itself.
fs::path folder_of_collections(const fs::path& data) {
  return fs::is_directory(data / "calibration") ? data / "calibration" : data;
}

FamilyFit attention_gradient(const FamilyFit& forward, const GpuObservations& all) {
  const auto& older_forward = all.at("gpu.attention.forward.flash-1");
  const auto& older_backward = all.at("gpu.attention.backward.flash-1");
  return derive_attention_gradient(forward, older_forward.begin()->second,
                                   older_backward.begin()->second, {});
}

std::vector<FamilyFit> fit_families(const std::vector<std::string>& names, const Timings& timings,
                                    const DeviceCatalog& catalog) {
  const std::vector<AchievedShare> achieved =
      read_achieved_shares(data_directory() / "calibration/public/achieved_shares.json", catalog);
  std::vector<FamilyFit> out;
  for (const std::string& family : names) {
    if (family == "gpu.attention.backward") {
      out.push_back(attention_gradient(out.back(), timings.observations));
      continue;
    }
    out.push_back(fit_family(family, timings.observations.at(family), achieved, catalog, {}));
  }
  return out;
}

std::vector<std::string> seen_shapes(const std::string& device, const GpuObservations& all,
                                     const std::vector<FamilyFit>& families) {
  std::set<std::string> shapes;
  for (const FamilyFit& family : families) {
    const auto fitted = family.devices.find(device);
    if (fitted == family.devices.end()) continue;
    std::set<std::string> used;
    for (const FittedSample& sample : fitted->second.samples) used.insert(sample.shape);
    for (const GpuObservation& o : all.at(family.family).at(device)) {
      if (used.contains(to_string(o.observation.kernel.shape))) {
        shapes.insert(fitted_shape_text(o.observation.kernel));
      }
    }
  }
  return {shapes.begin(), shapes.end()};
}

void add_parameters(const std::vector<FamilyFit>& families, const Timings& timings,
                    RecipeOutcome& out) {
  std::map<std::string, ParameterSet> devices, architectures;
  for (const FamilyFit& family : families) {
    for (const auto& [device, result] : family.devices) {
      if (result.usable) {
        devices[device].fits.push_back(result.fit);
      } else {
        out.remarks.push_back("no fit of " + family.family + " on " + device + ": " +
                              result.termination);
      }
    }
    for (const auto& [name, fit] : family.architectures) architectures[name].fits.push_back(fit);
  }
  for (auto& [device, set] : devices) {
    set.device = device;
    set.fitted_shapes = seen_shapes(device, timings.observations, families);
    set.sources = timings.sources_of.at(device);
    out.files["gpu/" + device + ".json"] = std::move(set);
  }
  for (auto& [name, set] : architectures) {
    set.device = "architecture " + name;
    set.sources = timings.sources;
    out.files["gpu/architecture-" + name + ".json"] = std::move(set);
  }
}

// The timings of a device that took part in no fit of the family, by the fit of a device with its
// chip, else by what is expected of its architecture.
GpuFold score_unfitted(const FamilyFit& family, const DeviceSpec& device,
                       const std::vector<GpuObservation>& timings, double between_boards) {
  std::vector<Observation> plain;
  for (const GpuObservation& o : timings) plain.push_back(o.observation);
  for (const std::string& name :
       device.same_chip ? device.same_chip->value : std::vector<std::string>()) {
    const auto kin = family.devices.find(name);
    if (kin == family.devices.end() || !kin->second.usable) continue;
    GpuFold fold{device.name, kNotFitted, score(kin->second.fit, plain)};
    for (UnseenShape& shape : fold.shapes) shape.sd = std::hypot(shape.sd, between_boards);
    return fold;
  }
  Fit expected = family.architectures.at(device.architecture);
  scale_launch(expected, launch_scale(device, family.family));
  return {device.name, kNotFitted, score(expected, plain)};
}

void add_unfitted(const GpuObservations& held, const DeviceCatalog& catalog, double between_boards,
                  std::vector<FamilyFit>& families) {
  for (FamilyFit& family : families) {
    const auto found = held.find(family.family);
    if (found == held.end()) continue;
    for (const auto& [device, timings] : found->second) {
      if (family.devices.contains(device)) continue;
      family.folds.push_back(score_unfitted(family, catalog.at(device), timings, between_boards));
    }
    add_nearest(family.measured, catalog, family);
  }
}

std::vector<std::string> collections_present(const GpuRecipe& recipe, const fs::path& data,
                                             std::vector<std::string>& remarks) {
  std::vector<std::string> out;
  for (const std::string& name : recipe.unseen) {
    const fs::path folder = data / "validation" / name;
    if (fs::is_directory(folder)) {
      out.push_back(name);
    } else {
      remarks.push_back("not scored: " + folder.string() + " is not there");
    }
  }
  return out;
}

// What is common to all families follows only from all of them.
bool is_of_all_families(const GpuRecipe& recipe) {
  return recipe.families.size() == gpu_families().size();
}

}  // namespace

GpuRecipe read_gpu_recipe(const fs::path& file) {
  std::vector<std::string> known;
  for (const GpuFamily& family : gpu_families()) known.emplace_back(family.name);
  const JsonDocument document = read_json_file(file, "paceline.gpu-recipe/1");
  JsonObject root = document.root();
  GpuRecipe out;
  root.string("summary");
  out.families = root.strings("families");
  out.collections = root.strings("collections");
  if (root.has("unseen")) out.unseen = root.strings("unseen");
  root.finish();
  const auto place = [&](const std::string& name) { return std::ranges::find(known, name); };
  for (const std::string& family : out.families) {
    if (place(family) == known.end()) {
      root.fail("families", unknown_name_message("kernel family", family, known));
    }
  }
  // The order of files decides which of many timings are kept, so it must not be a matter of taste.
  std::ranges::sort(out.families, {}, place);
  std::ranges::sort(out.collections);
  return out;
}

RecipeOutcome refit_gpu_kernels(const GpuRecipe& recipe, const fs::path& data) {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const Timings timings = read_timings(folder_of_collections(data), recipe.collections, catalog);
  std::vector<FamilyFit> families = fit_families(recipe.families, timings, catalog);
  RecipeOutcome out;
  add_parameters(families, timings, out);
  double between = 0;
  if (is_of_all_families(recipe)) {
    ParameterSet same_chip = between_boards(families);
    same_chip.sources = timings.sources;
    between = same_chip.fits.front().parameters.front().value;
    out.files["gpu/same-chip.json"] = std::move(same_chip);
    ParameterSet transfer = between_families(families);
    transfer.sources = timings.sources;
    out.files["gpu/transfer.json"] = std::move(transfer);
  }
  const std::vector<std::string> present = collections_present(recipe, data, out.remarks);
  if (!present.empty()) {
    const Timings held = read_timings(data / "validation", present, catalog);
    add_unfitted(held.observations, catalog, between, families);
  }
  FoldResidualFile residuals = published_folds(families);
  residuals.sources = timings.sources;
  out.report = kernel_accuracy_document(residuals);
  if (is_of_all_families(recipe)) out.residuals = std::move(residuals);
  return out;
}

}  // namespace paceline
