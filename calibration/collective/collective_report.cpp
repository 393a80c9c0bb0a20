#include "calibration/collective/collective.h"
#include "core/percent.h"
#include "core/table.h"
#include "core/units_text.h"

namespace paceline {
namespace {

std::string mean_error(const ErrorSummary& errors) {
  return errors.count == 0 ? "-" : percent(errors.mape, 3);
}

}  // namespace

std::string messages_csv(const CollectiveFitResult& result) {
  Table table({"library", "operation", "bytes", "ranks", "machines", "way", "steps", "channels",
               "channel_bytes", "volume", "copied", "bus_rate", "measured_s", "fitted_s",
               "by_size_s", "by_ranks_s"});
  for (const ScoredMessage& m : result.messages) {
    std::vector<std::string> row = {m.point.library,
                                    std::string(to_string(m.point.op)),
                                    significant(m.point.bytes.si(), 12),
                                    std::to_string(m.point.group.ranks()),
                                    std::to_string(m.point.group.machines),
                                    m.way};
    for (const double value :
         {m.input.steps, m.input.channels, m.input.channel_bytes, m.input.volume, m.input.copied,
          m.input.bus_rate, m.point.measured.si(), m.fitted.si(), m.by_size.si(),
          m.by_ranks.si()}) {
      row.push_back(significant(value, 8));
    }
    table.add_row(std::move(row));
  }
  return table.to_string(TableFormat::kCsv);
}

std::string to_text(const CollectiveFitResult& result) {
  Table table({"operation", "points", "by size", "by ranks", "alpha-beta by size",
               "alpha-beta by ranks", "NCCL's estimate"});
  for (const CollectiveErrors& errors : result.errors) {
    table.add_row({errors.operation.empty() ? "all" : errors.operation,
                   std::to_string(errors.by_size.count), mean_error(errors.by_size),
                   mean_error(errors.by_ranks), mean_error(errors.alpha_beta_by_size),
                   mean_error(errors.alpha_beta_by_ranks), mean_error(errors.nccl_estimate)});
  }
  std::string text =
      result.parameters.device + ": mean absolute error of held-out messages\n" + table.to_string();
  for (const std::string& reason : result.refused) text += "not fitted: " + reason + "\n";
  return text;
}

}  // namespace paceline
