// Laws of the formulas that hold for any parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/cost/formulas.h"
#include "model/formula/cache_traffic.h"
#include "model/formula/overlap.h"
#include "model/formula/thread_scaling.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

TEST(Overlap, LiesBetweenTheMaximumAndTheSum) {
  for (const double p : {1.0, 1.5, 3.0, 50.0}) {
    for (const double b : {0.0, 1e-12, 0.3, 1.0, 7.0}) {
      const double t = formula::pnorm(1.0, b, p);
      EXPECT_GE(t, std::max(1.0, b));
      EXPECT_LE(t, (1.0 + b) * (1 + 1e-12));
      EXPECT_NEAR(t, formula::pnorm(b, 1.0, p), 1e-12 * t);
    }
  }
  EXPECT_NEAR(formula::pnorm(2.0, 3.0, 1.0), 5.0, 1e-12);
}

TEST(Traffic, HalfMissesAtTheCapacityAndAllFarBeyond) {
  EXPECT_NEAR(formula::miss_share(1e6, 1e6, 3.0), 0.5, 1e-12);
  EXPECT_NEAR(formula::miss_share(1e9, 1e6, 3.0), 1.0, 1e-8);
  EXPECT_EQ(formula::miss_share(1.0, 1e30, 3.0), 0.0);
  EXPECT_EQ(formula::miss_share(0.0, 1e6, 3.0), 0.0);
}

TEST(ThreadScaling, OneThreadHasSpeedupOneAndContentionLimitsTheRest) {
  EXPECT_EQ(formula::speedup(1, 0.7), 1.0);
  EXPECT_EQ(formula::speedup(8, 0.0), 8.0);
  EXPECT_NEAR(formula::speedup(1e9, 0.25), 4.0, 1e-6);
  EXPECT_NEAR(formula::remaining_share(4, 0.5), 0.625, 1e-12);
}

std::vector<double> plausible(const FormulaEntry& entry, std::mt19937& random) {
  std::uniform_real_distribution<double> spread(-1, 1);
  std::vector<double> values;
  for (const auto& declared : entry.parameters) {
    double center = 0.3;
    if (declared.unit == "FLOP/s") center = 1e11;
    if (declared.unit == "B/s") center = 2e10;
    if (declared.unit == "s/B") center = 1e-11;
    if (declared.unit == "s") center = 1e-7;
    if (declared.unit == "B" || declared.unit == "FLOP") center = 1e6;
    values.push_back(declared.domain == formula::Domain::kReal ? 0.2 * spread(random)
                                                               : center * std::exp(spread(random)));
  }
  return values;
}

// More rows, columns or depth never take less time, whatever the parameters.
TEST(Formulas, ALargerGemmTakesLonger) {
  std::mt19937 random(1);
  const FormulaEntry& entry = kernel_formula("cpu.gemm/1");
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> values = plausible(entry, random);
    const auto time = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      return entry.evaluate({"x", GemmShape{.m = m, .n = n, .k = k}}, {}, values.data()).total;
    };
    EXPECT_LT(time(100, 100, 100), time(200, 100, 100));
    EXPECT_LT(time(100, 100, 100), time(100, 200, 100));
    EXPECT_LT(time(100, 100, 100), time(100, 100, 200));
  }
}

TEST(Formulas, MoreBytesTakeLonger) {
  std::mt19937 random(2);
  const FormulaEntry& entry = kernel_formula("cpu.stream/1");
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> values = plausible(entry, random);
    const auto time = [&](std::int64_t elements, int threads) {
      const Bytes bytes(4.0 * static_cast<double>(elements));
      const StreamShape shape{.elements = elements, .read = bytes, .written = bytes};
      return entry.evaluate({"x", shape}, {.threads = threads}, values.data()).total;
    };
    EXPECT_LT(time(1000, 1), time(100000, 1));
    EXPECT_LT(time(100000, 2), time(10000000, 2));
  }
}

// One kernel of each kind; a formula takes the one its name says.
std::map<std::string, Kernel> one_of_each_kind() {
  return {
      {"gemm", {"x", GemmShape{.m = 512, .n = 64, .k = 2048, .trans_a = true}}},
      {"convolution", {"x", ConvShape{.n = 4, .c = 3, .h = 32, .w = 32, .k = 16, .r = 3, .s = 3}}},
      {"stream",
       {"x",
        StreamShape{.elements = 1 << 20, .read = Bytes(4e6), .written = Bytes(4e6), .row = 64}}},
      {"rnn", {"x", RnnShape{.input = 64, .hidden = 128, .batch = 8, .steps = 10, .layers = 2}}},
      {"attention",
       {"x", AttentionShape{.batch = 2, .seq = 256, .heads = 4, .kv_heads = 2, .head_dim = 64}}}};
}

// The total is never less than any of its parts: no resource is used for free.
TEST(Formulas, TheTotalCoversEachPart) {
  std::mt19937 random(3);
  const DeviceCatalog devices = DeviceCatalog::shipped();
  for (const FormulaEntry& entry : kernel_formulas()) {
    for (const auto& [kind, kernel] : one_of_each_kind()) {
      if (entry.id.find(kind) == std::string_view::npos) continue;
      for (const int threads : {1, 2, 16}) {
        const std::vector<double> values = plausible(entry, random);
        const auto parts = entry.evaluate(kernel, {.threads = threads, .device = &devices.at("t4")},
                                          values.data());
        EXPECT_TRUE(std::isfinite(parts.total));
        EXPECT_GE(parts.total, std::max({parts.fixed, parts.compute, parts.memory}));
      }
    }
  }
}

// The derivative by forward differentiation is that by central differences. A difference across
// the edge of a choice (another tile becomes the fastest) is no derivative, so a few may disagree.
TEST(Formulas, TheLogGradientIsThatOfTheTime) {
  std::mt19937 random(4);
  const DeviceCatalog devices = DeviceCatalog::shipped();
  int compared = 0, unequal = 0;
  for (const FormulaEntry& entry : kernel_formulas()) {
    for (const auto& [kind, kernel] : one_of_each_kind()) {
      if (entry.id.find(kind) == std::string_view::npos) continue;
      const ExecutionContext context{.threads = 2, .device = &devices.at("t4")};
      std::vector<double> values = plausible(entry, random);
      std::vector<double> gradient(values.size());
      entry.log_gradient(kernel, context, values.data(), gradient.data(),
                         std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i], step = value == 0 ? 1e-6 : 1e-5 * std::abs(value);
        const auto log_time = [&](double at) {
          values[i] = at;
          return std::log(entry.evaluate(kernel, context, values.data()).total);
        };
        const double difference = (log_time(value + step) - log_time(value - step)) / (2 * step);
        values[i] = value;
        ++compared;
        // Relative to a change of the parameter by itself; 1e-5 is the noise of the difference.
        const double error =
            std::abs(difference - gradient[i]) * (value == 0 ? 1 : std::abs(value));
        unequal += error > 1e-5 + 1e-3 * std::abs(gradient[i] * value) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_LE(unequal, compared / 50);
}

}  // namespace
}  // namespace paceline
