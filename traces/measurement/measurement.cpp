#include "traces/measurement/measurement.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "core/statistics.h"

namespace paceline {
namespace {

struct AxisText {
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
  }
  std::string operator()(const std::string& value) const { return value; }
};

const AxisValue& find_axis(const Axes& axes, const std::string& axis, const std::string& owner) {
  const auto found = axes.find(axis);
  if (found != axes.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, value] : axes) known.push_back(name);
  const std::vector<std::string> near = nearest_names(axis, known, 1);
  throw InputError(owner + " (" + to_string(axes) + "): axis \"" + axis + "\" is missing" +
                   (near.empty() ? "" : "; found \"" + near[0] + "\" instead"));
}

template <typename T>
const T& typed_axis(const Axes& axes, const std::string& axis, const std::string& owner,
                    const char* wanted) {
  const AxisValue& value = find_axis(axes, axis, owner);
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  throw InputError(owner + " (" + to_string(axes) + "): axis \"" + axis + "\" is \"" +
                   std::visit(AxisText{}, value) + "\", expected " + wanted);
}

std::vector<double> accepted_medians(const Measurement& result) {
  std::vector<double> medians;
  for (const MeasurementRound& round : result.rounds) {
    if (round.accepted) medians.push_back(median(round.samples_s));
  }
  return medians;
}

}  // namespace

std::string to_string(const Axes& axes) {
  std::string out;
  for (const auto& [name, value] : axes) {
    out += (out.empty() ? "" : " ") + name + "=" + std::visit(AxisText{}, value);
  }
  return out;
}

std::int64_t integer_axis(const Axes& axes, const std::string& axis, const std::string& owner) {
  return typed_axis<std::int64_t>(axes, axis, owner, "a whole number");
}

double number_axis(const Axes& axes, const std::string& axis, const std::string& owner) {
  const AxisValue& value = find_axis(axes, axis, owner);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  return typed_axis<double>(axes, axis, owner, "a number");
}

std::string text_axis(const Axes& axes, const std::string& axis, const std::string& owner) {
  return typed_axis<std::string>(axes, axis, owner, "text");
}

Seconds Measurement::value() const {
  const std::vector<double> medians = accepted_medians(*this);
  if (medians.empty()) {
    throw InputError(benchmark + " (" + to_string(axes) +
                     "): " + (skipped ? "skipped: " + reason : "no round was accepted"));
  }
  return Seconds(*std::min_element(medians.begin(), medians.end()));
}

double Measurement::spread() const {
  const std::vector<double> medians = accepted_medians(*this);
  if (medians.empty()) return 0;
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  return (*high - *low) / *low;
}

std::size_t Measurement::accepted_rounds() const { return accepted_medians(*this).size(); }

std::int64_t Measurement::integer(const std::string& axis) const {
  return integer_axis(axes, axis, benchmark);
}

int Measurement::count(const std::string& axis) const {
  const std::int64_t value = integer(axis);
  if (value < 1 || value > JsonObject::kMostOfACount) {
    throw InputError(benchmark + " (" + to_string(axes) + "): axis " + axis + " is " +
                     std::to_string(value) + "; allowed: a whole number from 1 to " +
                     std::to_string(JsonObject::kMostOfACount));
  }
  return static_cast<int>(value);
}

double Measurement::number(const std::string& axis) const {
  return number_axis(axes, axis, benchmark);
}

std::string Measurement::text(const std::string& axis) const {
  return text_axis(axes, axis, benchmark);
}

Measurement* MeasurementSet::find(const std::string& benchmark, const Axes& axes) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Measurement& result) {
    return result.benchmark == benchmark && result.axes == axes;
  });
  return found == results.end() ? nullptr : &*found;
}

}  // namespace paceline
