#include "calibration/collective/collective.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibration/collective/collective_null.h"
#include "calibration/collective/collective_ways.h"

namespace paceline {
namespace {

std::vector<ScoredMessage> scored(const CollectiveFitResult& result,
                                  const std::vector<PreparedMessage>& points,
                                  const NcclTuning& tuning, const HostTuning& hosts) {
  CollectiveParameters parameters;
  parameters.add(result.parameters);
  const CollectiveModel model(tuning, hosts, std::move(parameters));
  std::vector<ScoredMessage> out;
  for (const PreparedMessage& p : points) {
    const CollectiveCall call{p.point.op, p.point.bytes, p.point.group, p.point.library, {}, {}};
    out.push_back({p.point, p.fit_name, p.input, model.cost(call, p.fabric).time, {}, {}});
  }
  return out;
}

struct Predictions {
  std::vector<double> model, alpha_beta, measured;
  std::vector<const PreparedMessage*> points;
};

// Each value of `key` held out in turn.
template <typename Key>
Predictions hold_out(const CollectiveProblem& problem, const std::vector<PreparedMessage>& points,
                     const NcclTuning& tuning, const HostTuning& hosts, Key&& key) {
  std::set<double> values;
  for (const PreparedMessage& point : points) values.insert(key(point.point));
  Predictions out;
  if (values.size() < 2) return out;
  constexpr int kStarts = 2;
  for (const double value : values) {
    std::vector<const PreparedMessage*> seen;
    std::vector<const PreparedMessage*> unseen;
    for (const PreparedMessage& point : points) {
      (key(point.point) == value ? unseen : seen).push_back(&point);
    }
    std::vector<std::string> refused;
    CollectiveParameters parameters;
    parameters.add(fit_ways(problem, seen, kStarts, refused));
    const CollectiveModel model(tuning, hosts, std::move(parameters));
    std::vector<AlphaBetaPoint> simple;
    for (const PreparedMessage* p : seen) simple.push_back({p->point, p->input});
    const AlphaBetaModel alpha_beta(simple);
    for (const PreparedMessage* p : unseen) {
      if (!alpha_beta.knows(p->point.op)) continue;  // the whole operation was held out
      const CollectiveCall call{p->point.op, p->point.bytes, p->point.group, p->point.library, {},
                                {}};
      out.model.push_back(model.cost(call, p->fabric).time.si());
      out.alpha_beta.push_back(alpha_beta.time(p->point.op, p->input));
      out.measured.push_back(p->point.measured.si());
      out.points.push_back(p);
    }
  }
  return out;
}

ErrorSummary summary(const Predictions& predictions, const std::vector<double>& predicted,
                     std::string_view operation) {
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!operation.empty() && to_string(predictions.points[i]->point.op) != operation) continue;
    a.push_back(predicted[i]);
    b.push_back(predictions.measured[i]);
  }
  return a.empty() ? ErrorSummary() : summarize_errors(a, b);
}

ErrorSummary nccl_errors(const std::vector<PreparedMessage>& points, const NcclTuning& tuning,
                         std::string_view operation) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const PreparedMessage& p : points) {
    if (!operation.empty() && to_string(p.point.op) != operation) continue;
    if (p.point.library != "nccl") continue;
    const auto options = tuning.options(p.point.op, p.point.bytes, p.point.group, p.fabric.graph);
    if (options.empty()) continue;
    predicted.push_back(options[0].expected.si());
    measured.push_back(p.point.measured.si());
  }
  return predicted.empty() ? ErrorSummary() : summarize_errors(predicted, measured);
}

// Held-out errors become the uncertainty of every fit: the scatter between sizes is particular to a
// message, the bias of an unseen rank count is shared by all messages of that count.
void put_uncertainty(const Predictions& by_size, const Predictions& by_ranks, ParameterSet& set) {
  for (Fit& fit : set.fits) {
    std::vector<double> a;
    std::vector<double> b;
    std::map<int, std::vector<double>> biases;
    for (std::size_t i = 0; i < by_size.points.size(); ++i) {
      if (by_size.points[i]->fit_name != fit.implementation) continue;
      a.push_back(by_size.model[i]);
      b.push_back(by_size.measured[i]);
    }
    for (std::size_t i = 0; i < by_ranks.points.size(); ++i) {
      if (by_ranks.points[i]->fit_name != fit.implementation) continue;
      biases[by_ranks.points[i]->point.group.ranks()].push_back(
          std::log(by_ranks.model[i] / by_ranks.measured[i]));
    }
    if (a.size() > 1) {
      const ErrorSummary errors = summarize_errors(a, b);
      std::vector<double> logs;
      for (std::size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(a[i] / b[i]));
      fit.quality.own_sd = standard_deviation(logs);
      fit.quality.held_out = static_cast<std::int64_t>(errors.count);
      fit.quality.held_out_mape = errors.mape;
      fit.quality.held_out_median_ape = errors.median_ape;
      fit.quality.held_out_p90_ape = errors.p90_ape;
      fit.quality.held_out_bias = errors.bias;
    }
    double squares = 0;
    for (const auto& [ranks, logs] : biases) squares += std::pow(mean(logs), 2);
    if (!biases.empty()) {
      fit.quality.shared_sd = std::sqrt(squares / static_cast<double>(biases.size()));
    }
    std::size_t inside = 0;
    const double sd = std::hypot(fit.quality.own_sd, fit.quality.shared_sd);
    for (std::size_t i = 0; i < a.size(); ++i) {
      inside += std::abs(std::log(a[i] / b[i])) <= 1.645 * sd ? 1u : 0u;
    }
    if (!a.empty()) {
      fit.quality.held_out_coverage90 = static_cast<double>(inside) / static_cast<double>(a.size());
    }
  }
}

}  // namespace

CollectiveFitResult fit_collectives(const CollectiveProblem& problem,
                                    const std::vector<CollectivePoint>& points,
                                    const NcclTuning& tuning, const HostTuning& hosts) {
  const std::vector<PreparedMessage> prepared = prepare_messages(problem, points, tuning, hosts);
  std::vector<const PreparedMessage*> all;
  for (const PreparedMessage& point : prepared) all.push_back(&point);
  CollectiveFitResult result;
  constexpr int kStarts = 4;
  result.parameters = fit_ways(problem, all, kStarts, result.refused);
  if (result.parameters.fits.empty()) {
    throw InputError("no collective of " + problem.fabric_class + " could be fitted: " +
                     (result.refused.empty() ? "no points" : result.refused[0]));
  }
  const Predictions by_size = hold_out(problem, prepared, tuning, hosts,
                                       [](const CollectivePoint& p) { return p.bytes.si(); });
  const Predictions by_ranks =
      hold_out(problem, prepared, tuning, hosts,
               [](const CollectivePoint& p) { return static_cast<double>(p.group.ranks()); });
  put_uncertainty(by_size, by_ranks, result.parameters);
  result.messages = scored(result, prepared, tuning, hosts);
  for (std::size_t i = 0; i < by_size.points.size(); ++i) {
    const auto at = static_cast<std::size_t>(by_size.points[i] - prepared.data());
    result.messages[at].by_size = Seconds(by_size.model[i]);
  }
  for (std::size_t i = 0; i < by_ranks.points.size(); ++i) {
    const auto at = static_cast<std::size_t>(by_ranks.points[i] - prepared.data());
    result.messages[at].by_ranks = Seconds(by_ranks.model[i]);
  }
  std::vector<std::string> operations{""};
  for (const std::string& name : collective_names()) {
    const bool seen = std::ranges::any_of(
        points, [&](const CollectivePoint& p) { return to_string(p.op) == name; });
    if (seen) operations.push_back(name);
  }
  for (const std::string& operation : operations) {
    CollectiveErrors errors;
    errors.operation = operation;
    errors.by_size = summary(by_size, by_size.model, operation);
    errors.by_ranks = summary(by_ranks, by_ranks.model, operation);
    errors.alpha_beta_by_size = summary(by_size, by_size.alpha_beta, operation);
    errors.alpha_beta_by_ranks = summary(by_ranks, by_ranks.alpha_beta, operation);
    errors.nccl_estimate = nccl_errors(prepared, tuning, operation);
    result.errors.push_back(errors);
  }
  return result;
}

}  // namespace paceline
