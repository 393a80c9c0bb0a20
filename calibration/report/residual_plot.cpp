#include "calibration/report/residual_plot.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kSize = 420;   // of the square plot, in pixels
constexpr double kMargin = 70;  // for labels, left and below
constexpr double kTop = 40;     // for the title
constexpr double kBand = 0.10;  // relative width of the band around the diagonal

// Two digits after the point are a hundredth of a pixel, and keep files equal on all machines.
std::string number(double value) {
  const auto hundredths = static_cast<long long>(std::llround(value * 100));
  const long long rest = std::abs(hundredths % 100);
  return (hundredths < 0 && hundredths > -100 ? "-" : "") + std::to_string(hundredths / 100) + "." +
         (rest < 10 ? "0" : "") + std::to_string(rest);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

// Whole decades that hold all times, and the map from a time to a position.
class Axis {
 public:
  explicit Axis(const std::vector<FittedSample>& samples) {
    double low = samples[0].measured_s, high = low;
    for (const FittedSample& s : samples) {
      low = std::min({low, s.measured_s, s.predicted_s});
      high = std::max({high, s.measured_s, s.predicted_s});
    }
    first_ = static_cast<int>(std::floor(std::log10(low)));
    last_ = std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(high))));
  }
  int first() const { return first_; }
  int last() const { return last_; }
  double x(double seconds) const { return kMargin + kSize * share(seconds); }
  double y(double seconds) const { return kTop + kSize * (1 - share(seconds)); }

 private:
  double share(double seconds) const {
    return (std::log10(seconds) - first_) / static_cast<double>(last_ - first_);
  }
  int first_ = 0;
  int last_ = 1;
};

std::string line(double x1, double y1, double x2, double y2, const std::string& stroke) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" stroke=\"" + stroke + "\"/>\n";
}

std::string text(double x, double y, const std::string& anchor, const std::string& content) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
         escaped(content) + "</text>\n";
}

std::string grid(const Axis& axis) {
  std::string out;
  for (int decade = axis.first(); decade <= axis.last(); ++decade) {
    const double at = std::pow(10.0, decade);
    out += line(axis.x(at), kTop, axis.x(at), kTop + kSize, "#ddd");
    out += line(kMargin, axis.y(at), kMargin + kSize, axis.y(at), "#ddd");
    out += text(axis.x(at), kTop + kSize + 18, "middle", to_text(Seconds(at)));
    out += text(kMargin - 6, axis.y(at) + 4, "end", to_text(Seconds(at)));
  }
  return out;
}

// predicted = factor x measured, from corner to corner.
std::string diagonal(const Axis& axis, double factor, const std::string& stroke) {
  const double low = std::pow(10.0, axis.first());
  const double high = std::pow(10.0, axis.last());
  const double from = factor < 1 ? low / factor : low;
  const double to = factor > 1 ? high / factor : high;
  return line(axis.x(from), axis.y(from * factor), axis.x(to), axis.y(to * factor), stroke);
}

std::string dot(const Axis& axis, const FittedSample& s) {
  const std::string color = s.threads == 1 ? "#1f77b4" : "#d62728";
  return "<circle cx=\"" + number(axis.x(s.measured_s)) + "\" cy=\"" +
         number(axis.y(s.predicted_s)) + "\" r=\"3\" stroke=\"" + color + "\" fill=\"" +
         (s.held_out ? "none" : color) + "\"><title>" + escaped(s.shape) + ", threads " +
         std::to_string(s.threads) + ": measured " + to_text(Seconds(s.measured_s)) +
         ", predicted " + to_text(Seconds(s.predicted_s)) + "</title></circle>\n";
}

}  // namespace

std::string residual_plot(const std::string& title, const std::vector<FittedSample>& samples) {
  PACELINE_ASSERT(!samples.empty(), "a plot has something to show");
  const Axis axis(samples);
  const std::string width = number(kMargin + kSize + 20);
  const std::string height = number(kTop + kSize + 50);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
                    height + "\" font-family=\"sans-serif\" font-size=\"11\">\n" +
                    "<rect width=\"" + width + "\" height=\"" + height + "\" fill=\"white\"/>\n";
  out += text(kMargin, 16, "start", title + ": predicted (up) against measured (right)");
  out += text(kMargin, 32, "start",
              "blue: 1 thread, red: more; hollow: held out; grey lines: 10 % off");
  out += grid(axis);
  out += diagonal(axis, 1, "black");
  out += diagonal(axis, 1 + kBand, "#888");
  out += diagonal(axis, 1 / (1 + kBand), "#888");
  for (const FittedSample& s : samples) out += dot(axis, s);
  return out + "</svg>\n";
}

}  // namespace paceline
