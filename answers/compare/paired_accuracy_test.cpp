// The intervals of ratios against published runs.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "answers/compare/paired.h"
#include "answers/compare/sweep.h"
#include "core/data_directory.h"
#include "core/statistics.h"
#include "validation/harness/validation_set.h"

namespace paceline {
namespace {

struct PairCounts {
  double pairs = 0;
  double held = 0;        // the measured ratio lies in the interval of the predicted one
  double told_apart = 0;  // the interval excludes 1
  double by_rows = 0;     // the intervals of the two rows do not overlap
  double wrong = 0;       // of those told apart, measured the other way round
};

bool overlap(const Estimate& a, const Estimate& b) { return a.p05 <= b.p95 && b.p05 <= a.p95; }

// All pairs of one device in a set.
PairCounts count_pairs(const ValidationSet& set) {
  std::vector<Experiment> points;
  std::vector<double> measured;  // samples per second
  for (const PublishedCase& published : set.published->cases) {
    if (!published.excluded.empty()) continue;
    points.push_back(published.experiment);
    std::string& device = points.back().device;
    if (device.ends_with(".json")) device = (data_directory() / device).string();
    const auto samples = static_cast<double>(published.experiment.samples_per_iteration());
    measured.push_back(samples / published.measured.si());
  }
  SweepDevices devices;
  const Sweep sweep = predict_sweep(points, {}, devices);
  for (const Error& error : sweep.errors) ADD_FAILURE() << set.name << ": " << error.what();
  const std::vector<Report>& reports = sweep.reports;
  PairCounts out;
  if (!sweep.errors.empty()) return out;
  const PairedRates paired;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (points[i].device != points[j].device) continue;
      const Estimate ratio = paired.ratio(reports[i], reports[j]);
      const double truth = measured[i] / measured[j];
      const bool apart = !holds_one(ratio);
      ++out.pairs;
      out.held += ratio.p05 <= truth && truth <= ratio.p95 ? 1 : 0;
      out.told_apart += apart ? 1 : 0;
      out.wrong += apart && (truth < 1) != (ratio.median < 1) ? 1 : 0;
      out.by_rows +=
          overlap(reports[i].throughput_samples_per_s, reports[j].throughput_samples_per_s) ? 0 : 1;
    }
  }
  return out;
}

// Runs on one device differ in network, batch, precision, number of devices, network or strategy.
// Of two that are told apart the one predicted to be faster must be, in nineteen of twenty pairs,
// and more must be told apart than intervals of rows do.
TEST(PairedRates, TellPublishedRunsOfOneDeviceApartAndRightly) {
  PairCounts all;
  std::vector<double> held_by_set;
  for (const ValidationSet& set : shipped_validation_sets(
           {"b-caffe-googlenet", "ddl-benchmarks-resnet50", "gpu-a100-mixed", "gpu-rtx3090-mixed",
            "gpu-transformers-fp32", "gtop-k", "guolinke-multi-gpu", "jcjohnson-cnn",
            "lambda-ampere", "mlperf-resnet50", "public-cases"})) {
    const PairCounts counts = count_pairs(set);
    held_by_set.push_back(counts.held / counts.pairs);
    for (double PairCounts::*count :
         {&PairCounts::pairs, &PairCounts::held, &PairCounts::told_apart, &PairCounts::by_rows,
          &PairCounts::wrong}) {
      all.*count += counts.*count;
    }
  }
  ASSERT_GT(all.pairs, 1000);
  EXPECT_LE(all.wrong, 0.05 * all.told_apart);
  EXPECT_GT(all.told_apart, all.by_rows);
  // The promise is 90 %, and 85 to 95 % counts as kept; every set counts once.
  EXPECT_GE(mean(held_by_set), 0.85);
}

}  // namespace
}  // namespace paceline
