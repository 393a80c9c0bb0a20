#include "simulator/memory/memory_timeline.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "core/units_text.h"

namespace paceline {
namespace {

SpanKind span_kind(TapePhase phase) {
  switch (phase) {
    case TapePhase::kSetup:
      return SpanKind::kOther;
    case TapePhase::kForward:
      return SpanKind::kForward;
    case TapePhase::kBackward:
      return SpanKind::kBackward;
    case TapePhase::kUpdate:
      return SpanKind::kUpdate;
  }
  return SpanKind::kOther;
}

// Bytes by kind, the most during a step and after it.
struct StepUsage {
  MemoryTape::Usage most{}, after{};
};
std::vector<StepUsage> usage_by_step(const MemoryTape& tape) {
  std::vector<StepUsage> steps(tape.steps().size());
  std::uint32_t last = 0;
  MemoryTape::Usage now{};
  const auto advance = [&](std::uint32_t step) {
    for (; last < step; ++last) {
      steps[last].after = now;
      steps[last + 1].most = now;
    }
  };
  tape.replay([&](std::size_t event, const MemoryTape::Usage& usage) {
    advance(tape.events()[event].step);
    now = usage;
    MemoryTape::Usage& most = steps[last].most;
    if (total(usage) > total(most)) most = usage;
  });
  advance(static_cast<std::uint32_t>(steps.size() - 1));
  steps.back().after = now;
  return steps;
}

std::string readable(MemoryKind kind) {
  std::string name(to_string(kind));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

struct Range {
  SimTime start, end;
};

}  // namespace

std::vector<MemoryTape::Usage> usage_during_steps(const MemoryTape& tape) {
  std::vector<MemoryTape::Usage> out;
  for (const StepUsage& step : usage_by_step(tape)) out.push_back(step.most);
  return out;
}

void add_memory_counters(const MemoryTape& tape, const std::string& group, Timeline& timeline) {
  std::map<std::tuple<int, SpanKind, int>, Range> ranges;  // iteration, phase, layer
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    const auto key = std::tuple(int{span.label.iteration}, span.label.kind, int{span.label.layer});
    const auto [found, is_new] = ranges.try_emplace(key, Range{span.start, span.end});
    found->second.start = std::min(found->second.start, span.start);
    found->second.end = std::max(found->second.end, span.end);
  }
  const std::vector<StepUsage> usage = usage_by_step(tape);
  std::map<SimTime, MemoryTape::Usage> points;
  for (const auto& [key, range] : ranges) {
    for (std::size_t step = 0; step < usage.size(); ++step) {
      const MemoryTape::Step& at = tape.steps()[step];
      if (std::get<1>(key) != span_kind(at.phase) ||
          std::get<2>(key) != static_cast<int>(at.layer)) {
        continue;
      }
      points[range.start] = usage[step].most;
      points.try_emplace(range.end, usage[step].after);
    }
  }
  for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) {
    Counter counter{group + "/memory: " + readable(static_cast<MemoryKind>(kind)), "B", {}};
    for (const auto& [time, bytes] : points) {
      const double value = static_cast<double>(bytes[kind]);
      if (counter.points.empty() || counter.points.back().value != value) {
        counter.points.push_back({time, value});
      }
    }
    const bool used = std::any_of(counter.points.begin(), counter.points.end(),
                                  [](const Counter::Point& point) { return point.value > 0; });
    if (used) timeline.add_counter(std::move(counter));
  }
}

std::string memory_plot_svg(const MemoryTape& tape, const MemoryUse& use,
                            const std::string& title) {
  constexpr double kWidth = 960, kHeight = 420, kLeft = 70, kRight = 190, kTop = 40, kBottom = 30;
  constexpr std::array<const char*, kMemoryKinds> kColours = {
      "#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#8c8c8c"};
  const std::vector<StepUsage> usage = usage_by_step(tape);
  const double peak = static_cast<double>(tape.peak().bytes);
  const double capacity = static_cast<double>(use.capacity - use.context - use.slack);
  const bool shows_capacity = capacity > 0 && capacity < 3 * peak;
  const double top = 1.05 * (shows_capacity ? std::max(peak, capacity) : peak);
  const auto x = [&](std::size_t step) {
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(step) /
                       std::max<double>(1, static_cast<double>(usage.size()));
  };
  const auto y = [&](double bytes) {
    return kTop + (kHeight - kTop - kBottom) * (1 - bytes / top);
  };
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << " " << kHeight
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<text x=\"" << kLeft
      << "\" y=\"20\" font-size=\"14\">" << title << "</text>\n";
  std::vector<double> base(usage.size(), 0);
  for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) {
    std::vector<double> upper(base);
    for (std::size_t step = 0; step < usage.size(); ++step) {
      upper[step] += static_cast<double>(usage[step].most[kind]);
    }
    if (upper == base) continue;
    out << "<polygon fill=\"" << kColours[kind] << "\" points=\"";
    for (std::size_t step = 0; step < usage.size(); ++step) {
      out << x(step) << "," << y(upper[step]) << " " << x(step + 1) << "," << y(upper[step]) << " ";
    }
    for (std::size_t step = usage.size(); step-- > 0;) {
      out << x(step + 1) << "," << y(base[step]) << " " << x(step) << "," << y(base[step]) << " ";
    }
    out << "\"/>\n<rect x=\"" << kWidth - kRight + 15 << "\" y=\""
        << kTop + 20.0 * static_cast<double>(kind) << "\" width=\"12\" height=\"12\" fill=\""
        << kColours[kind] << "\"/><text x=\"" << kWidth - kRight + 33 << "\" y=\""
        << kTop + 20.0 * static_cast<double>(kind) + 11 << "\">"
        << readable(static_cast<MemoryKind>(kind)) << "</text>\n";
    base = std::move(upper);
  }
  const auto line = [&](double bytes, const std::string& text, const char* style) {
    out << "<line x1=\"" << kLeft << "\" x2=\"" << kWidth - kRight << "\" y1=\"" << y(bytes)
        << "\" y2=\"" << y(bytes) << "\" stroke=\"black\" " << style << "/><text x=\"4\" y=\""
        << y(bytes) + 4 << "\">" << text << "</text>\n";
  };
  line(0, "0", "");
  line(peak, to_text(Bytes(peak)), "stroke-dasharray=\"2 4\"");
  if (shows_capacity) line(capacity, "fits", "stroke-width=\"2\"");
  out << "<text x=\"" << kLeft << "\" y=\"" << kHeight - 8
      << "\">operations of one iteration in issue order</text>\n</svg>\n";
  return out.str();
}

}  // namespace paceline
