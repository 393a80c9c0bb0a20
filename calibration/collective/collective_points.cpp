#include "calibration/collective/collective.h"
#include "core/error.h"

namespace paceline {
namespace {

// A rate and nothing else.
bool is_plain_rate(const std::string& link) {
  return link != "unlimited" && link.find('@') == std::string::npos;
}

}  // namespace

std::vector<CollectivePoint> collective_points(const std::vector<Measurement>& measurements) {
  std::vector<CollectivePoint> out;
  for (const Measurement& m : measurements) {
    const std::size_t dot = m.benchmark.find('.');
    const std::string library = m.benchmark.substr(0, dot);
    const bool known = library == "nccl" || library == "mpi" || library == "gloo";
    if (m.skipped || !known || dot == std::string::npos) continue;
    CollectivePoint point;
    if (m.axes.contains("link")) {
      point.link = m.text("link");
      if (!is_plain_rate(point.link)) continue;
    } else if (m.text("in_place") == "yes") {
      continue;
    }
    point.library = library;
    point.op = parse_collective(m.benchmark.substr(dot + 1));
    point.bytes = Bytes(static_cast<double>(m.integer("bytes")));
    const auto ranks = m.count("ranks");
    point.group.machines = point.link.empty() ? m.count("machines") : ranks;
    if (point.group.machines < 1 || ranks % point.group.machines != 0 || ranks < 2) {
      throw InputError(m.benchmark + ": " + std::to_string(ranks) + " ranks do not fill " +
                       std::to_string(point.group.machines) + " machines evenly");
    }
    point.group.per_machine = ranks / point.group.machines;
    point.measured = m.value();
    out.push_back(point);
  }
  if (out.empty())
    throw InputError("no measurement of a collective (nccl.*, mpi.*, gloo.*) to fit");
  return out;
}

}  // namespace paceline
