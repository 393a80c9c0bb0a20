#include "simulator/report/job_residuals.h"

#include "core/data_directory.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

ResidualRange read_range(JsonObject object) {
  const ResidualRange range{object.number("low"), object.number("high")};
  if (range.low > 0) object.fail("low", "expected a number that is not positive");
  if (range.high < 0) object.fail("high", "expected a number that is not negative");
  object.finish();
  return range;
}

JobResiduals read_residuals(JsonObject object) {
  const JobResiduals out{read_range(object.object("computing")),
                         read_range(object.object("communication"))};
  object.finish();
  return out;
}

}  // namespace

JobResiduals JobResiduals::load(const std::filesystem::path& file, std::string_view without) {
  const JsonDocument document = read_json_file(file, "paceline.job-residuals/1");
  JsonObject root = document.root();
  root.string("summary");
  JobResiduals out = read_residuals(root.object("all"));
  for (JsonObject& set : root.objects("sets")) {
    const bool wanted = set.string("name") == without;
    set.integer("cases");
    set.string("source");
    const JobResiduals others = read_residuals(set.object("without"));
    if (wanted) out = others;
    set.finish();
  }
  root.finish();
  return out;
}

JobResiduals JobResiduals::shipped(std::string_view without) {
  return load(data_directory() / "calibration/fitted/jobs/residuals.json", without);
}

}  // namespace paceline
