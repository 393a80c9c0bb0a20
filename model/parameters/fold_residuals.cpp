#include "model/parameters/fold_residuals.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json_writer.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr char kFoldResidualsSchema[] = "paceline.fold-residuals/1";

std::vector<std::string> splits() {
  return {std::string(kOwnFit), std::string(kSameChip), std::string(kLeftOut), std::string(kNoKin),
          std::string(kNotFitted)};
}

std::vector<std::string> splits_of_pairs() {
  return {std::string(kOwnFit), std::string(kLeftOut), std::string(kBothLeftOut)};
}

std::vector<double> rounded(const std::vector<double>& values, double steps = 1e3) {
  std::vector<double> out;
  for (const double x : values) out.push_back(std::round(x * steps) / steps);
  return out;
}

// A factor of e^50 between predicted and measured is no error of a model.
constexpr double kLargestError = 50;

void check_fold(const FoldResiduals& fold, const JsonObject& object) {
  for (std::size_t i = 0; i < fold.error.size(); ++i) {
    if (std::abs(fold.error[i]) > kLargestError) {
      object.fail("error/" + std::to_string(i),
                  "found " + significant(fold.error[i], 6) + "; expected -50 to 50");
    }
    if (!(fold.sd[i] > 0)) {
      object.fail("sd/" + std::to_string(i),
                  "found " + significant(fold.sd[i], 6) + "; expected a positive number");
    }
  }
}

// Each family, device and split has one fold: timings would count twice.
void check_is_new(const FoldResiduals& fold, const std::vector<FoldResiduals>& earlier,
                  const JsonObject& object) {
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const FoldResiduals& other = earlier[i];
    if (other.family != fold.family || other.device != fold.device || other.split != fold.split) {
      continue;
    }
    object.fail("device", "found " + fold.device + ", " + fold.split + ", of " + fold.family +
                              " in fold " + std::to_string(i) + " too; expected it once");
  }
}

DeviceRanking read_ranking(JsonObject& object) {
  DeviceRanking out{.family = object.string("family"),
                    .split = object.one_of("split", splits_of_pairs()),
                    .pairs = object.integer("pairs"),
                    .tau = object.number("tau"),
                    .clear_pairs = object.integer("clear_pairs"),
                    .clear_tau = object.number("clear_tau")};
  if (out.pairs < 0) {
    object.fail("pairs", "found " + std::to_string(out.pairs) + "; expected 0 or more");
  }
  if (out.clear_pairs < 0 || out.clear_pairs > out.pairs) {
    object.fail("clear_pairs", "found " + std::to_string(out.clear_pairs) + "; expected 0 to " +
                                   std::to_string(out.pairs) + ", the number of pairs");
  }
  for (const auto& [key, tau] :
       {std::pair{"tau", out.tau}, std::pair{"clear_tau", out.clear_tau}}) {
    if (std::abs(tau) > 1) {
      object.fail(key, "found " + significant(tau, 6) + "; expected -1 to 1");
    }
  }
  object.finish();
  return out;
}

FoldResiduals read_fold(JsonObject& object) {
  FoldResiduals out{.family = object.string("family"),
                    .device = object.string("device"),
                    .split = object.one_of("split", splits()),
                    .error = object.numbers("error"),
                    .sd = object.numbers("sd"),
                    .roofline = object.numbers("roofline"),
                    .nearest = object.numbers("nearest")};
  if (out.error.empty()) object.fail("error", "expected a residual");
  for (const auto& [key, values] : {std::pair{"sd", &out.sd}, std::pair{"roofline", &out.roofline},
                                    std::pair{"nearest", &out.nearest}}) {
    if (values->size() != out.error.size() && !(std::string(key) == "nearest" && values->empty())) {
      object.fail(key, "expected " + std::to_string(out.error.size()) + " numbers, found " +
                           std::to_string(values->size()));
    }
  }
  check_fold(out, object);
  object.finish();
  return out;
}

}  // namespace

std::vector<std::string> FoldResidualFile::families() const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& family) {
    if (std::ranges::find(out, family) == out.end()) out.push_back(family);
  };
  for (const FoldResiduals& fold : folds) add(fold.family);
  for (const auto& [family, text] : notes) add(family);
  return out;
}

FoldResidualFile read_fold_residuals(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, kFoldResidualsSchema);
  JsonObject root = document.root();
  FoldResidualFile out;
  out.provenance = read_provenance(root.object("provenance"));
  for (JsonObject& source : root.objects("sources")) {
    out.sources.push_back(
        {source.string("file"), source.string("sha256"), source.string("licence")});
    source.finish();
  }
  for (JsonObject& object : root.objects("folds")) {
    FoldResiduals fold = read_fold(object);
    check_is_new(fold, out.folds, object);
    out.folds.push_back(std::move(fold));
  }
  if (out.folds.empty()) root.fail("folds", "found none; expected at least one");
  for (JsonObject& ranking : root.objects("rankings")) {
    out.rankings.push_back(read_ranking(ranking));
  }
  JsonObject notes = root.object("notes");
  for (const std::string& family : notes.keys()) out.notes[family] = notes.strings(family);
  root.finish();
  return out;
}

std::string fold_residuals_text(const FoldResidualFile& residuals) {
  ordered_json sources = ordered_json::array();
  for (const SourceFile& s : residuals.sources) {
    sources.push_back({{"file", s.file}, {"sha256", s.sha256}, {"licence", s.licence}});
  }
  ordered_json folds = ordered_json::array();
  for (const FoldResiduals& f : residuals.folds) {
    folds.push_back({{"family", f.family},
                     {"device", f.device},
                     {"split", f.split},
                     {"error", rounded(f.error, 1e4)},
                     {"sd", rounded(f.sd, 1e4)},
                     {"roofline", rounded(f.roofline)},
                     {"nearest", rounded(f.nearest)}});
  }
  ordered_json rankings = ordered_json::array();
  for (const DeviceRanking& r : residuals.rankings) {
    rankings.push_back({{"family", r.family},
                        {"split", r.split},
                        {"pairs", r.pairs},
                        {"tau", r.tau},
                        {"clear_pairs", r.clear_pairs},
                        {"clear_tau", r.clear_tau}});
  }
  const ordered_json root = {
      {"schema", kFoldResidualsSchema},  {"provenance", to_json(residuals.provenance)},
      {"sources", std::move(sources)},   {"folds", std::move(folds)},
      {"rankings", std::move(rankings)}, {"notes", residuals.notes}};
  return to_json_text(root);
}

}  // namespace paceline
