// docs/accuracy-cpu-transfer.md
#include <algorithm>
#include <cmath>
#include <map>

#include "core/percent.h"
#include "core/statistics.h"
#include "core/table.h"
#include "core/units_text.h"
#include "validation/cpu/cpu_product_set.h"

namespace paceline {
namespace {

// Predicted and measured times of some of the products.
struct Pairs {
  std::vector<double> predicted, roofline, measured;
  void add(const ScoredProduct& s) {
    predicted.push_back(s.predicted.si());
    roofline.push_back(s.roofline.si());
    measured.push_back(s.product.measured.si());
  }
  // The null model that is told the best rate of all: time in proportion to FLOP, without bias.
  double constant_rate_error(const std::vector<double>& flops) const {
    double log_rate = 0;
    for (std::size_t i = 0; i < flops.size(); ++i) log_rate += std::log(flops[i] / measured[i]);
    log_rate /= static_cast<double>(flops.size());
    std::vector<double> times;
    for (const double f : flops) times.push_back(f / std::exp(log_rate));
    return summarize_errors(times, measured).median_ape;
  }
};

std::string class_of(const TimedProduct& p) {
  if (p.is_of_layers()) return "of layers";
  return p.k < 32 ? "sums of a few outer products" : "matrix times a few vectors";
}

std::string shape_text(const TimedProduct& p) {
  return std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k);
}

constexpr char kIntroduction[] =
    "<!-- Written by PACELINE_UPDATE_DOCS=1 paceline_validation_test "
    "--gtest_filter='CpuTransferAccuracy.*'. -->\n\n"
    "# Accuracy: a CPU that nobody has measured\n\n"
    "Products timed by others on a CPU that no price was fitted to, against prices transferred "
    "from another CPU and\nboth data sheets ([how](models/cpu-transfer.md)). Nothing was fitted to "
    "them but the width of the interval: the root\nmean square of ln(measured / predicted) of the "
    "products of layers (no extent below 32), each number of threads\nand each decade of FLOP "
    "counting once, is its standard deviation. The null models are a roofline of the data sheet\n"
    "and one rate for all products of a class, chosen in hindsight.\n";

std::string section(const CpuProductSet& set) {
  const std::vector<ScoredProduct> scored = score(set);
  std::map<std::pair<int, std::string>, std::vector<ScoredProduct>> classes;
  for (const ScoredProduct& s : scored) {
    classes[{s.product.threads, class_of(s.product)}].push_back(s);
  }
  Table summary({"threads", "products", "number", "median error", "bias", "spread of ln",
                 "roofline, median error", "one rate, median error"});
  for (const auto& [key, members] : classes) {
    Pairs pairs;
    std::vector<double> flops;
    double squares = 0;
    for (const ScoredProduct& s : members) {
      pairs.add(s);
      flops.push_back(2.0 * static_cast<double>(s.product.m * s.product.n * s.product.k));
      squares += std::pow(std::log(s.product.measured / s.predicted), 2);
    }
    const ErrorSummary errors = summarize_errors(pairs.predicted, pairs.measured);
    const double count = static_cast<double>(members.size());
    summary.add_row({std::to_string(key.first), key.second, std::to_string(members.size()),
                     percent(errors.median_ape), percent(errors.bias),
                     significant(std::sqrt(squares / count), 2),
                     percent(summarize_errors(pairs.roofline, pairs.measured).median_ape),
                     percent(pairs.constant_rate_error(flops))});
  }
  Table table({"threads", "m x n x k", "measured", "predicted", "measured / predicted"});
  for (const ScoredProduct& s : scored) {
    table.add_row({std::to_string(s.product.threads), shape_text(s.product),
                   to_text(s.product.measured), to_text(s.predicted),
                   significant(s.product.measured / s.predicted, 2)});
  }
  return "\n## " + set.name + "\n\n" + set.summary + ". Source: " + set.source +
         ".\nSpread of the products of layers: " + significant(transfer_spread(scored), 2) +
         ".\n\n" + summary.to_string(TableFormat::kMarkdown) + "\n" +
         table.to_string(TableFormat::kMarkdown);
}

}  // namespace

std::string cpu_transfer_accuracy_text(const std::vector<CpuProductSet>& sets) {
  std::string out = kIntroduction;
  for (const CpuProductSet& set : sets) out += section(set);
  return out;
}

}  // namespace paceline
