// `paceline calibrate` through the real program, on measurements of a made-up machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/test_program.h"
#include "traces/measurement/measurement.h"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Copies at 20 GB/s after 1 us per call.
MeasurementSet copies() {
  MeasurementSet set;
  set.provenance = make_provenance("paceline measure", {});
  for (int i = 0; i < 20; ++i) {
    const auto elements = static_cast<std::int64_t>(1000 * std::pow(1.6, i));
    Measurement m;
    m.benchmark = "aten.copy";
    m.axes = {{"elements", elements},
              {"read_bytes", 4 * elements},
              {"written_bytes", 4 * elements},
              {"threads", std::int64_t{1}},
              {"cache", std::string("warm")}};
    m.result_checked = true;
    const double time = 1e-6 + 8.0 * static_cast<double>(elements) / 2e10;
    m.rounds = {{"2026-11-30T00:00:00Z", 0, true, {time}},
                {"2026-11-30T00:10:00Z", 0, true, {1.01 * time}}};
    set.results.push_back(m);
  }
  return set;
}

TEST(CalibrateCommand, DrawsMeasuredAgainstFitted) {
  const TestFolder folder;
  write_measurements(folder.path() / "copies.json", copies());
  const TestOutcome outcome =
      run_program_in(folder, "calibrate copies.json --plots plots -o out.json --report");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(TestFolder::read(folder.path() / "plots/aten.copy.svg"), StartsWith("<svg "));
  EXPECT_THAT(outcome.out, HasSubstr("aten.copy"));
}

// Without host costs nothing can be predicted: said where they are left out, with the flag.
TEST(CalibrateCommand, SaysThatHostCostsAreMissing) {
  const TestFolder folder;
  write_measurements(folder.path() / "copies.json", copies());
  const TestOutcome outcome = run_program_in(folder, "calibrate copies.json --install");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("--host-recording"));
}

// What was installed before is kept when nothing can be fitted.
TEST(CalibrateCommand, KeepsWhatIsInstalledIfEveryFitIsRefused) {
  const TestFolder folder;
  write_measurements(folder.path() / "copies.json", copies());
  EXPECT_EQ(run_program_in(folder, "calibrate copies.json --install").code, 0);
  const auto installed = folder.path() / "data/paceline/cpu.json";
  const std::string before = TestFolder::read(installed);
  EXPECT_THAT(before, Not(testing::IsEmpty()));
  EXPECT_EQ(run_program_in(folder, "calibrate one-shape.json --install").code, 3);
  EXPECT_EQ(TestFolder::read(installed), before);
}

}  // namespace
}  // namespace paceline
