#include "microbench/harness/operand_sets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr double kColdFactor = 2;  // all sets together, in units of the last-level cache

// Offsets of operands packed at cache-line boundaries; returns the size of the whole set.
std::size_t pack(const std::vector<std::size_t>& bytes, std::vector<std::size_t>& offsets) {
  std::size_t end = 0;
  for (const std::size_t size : bytes) {
    offsets.push_back(end);
    // One spare line: operands of a power of two would otherwise all collide in the same cache
    // sets.
    end += (size + 2 * kCacheLine - 1) / kCacheLine * kCacheLine;
  }
  return end;
}

std::size_t sets_that_fit(std::size_t region, std::size_t set) {
  return set == 0 ? std::size_t{1} << 20 : region / set;
}

// A step near the golden section, coprime to `count`: visits every set, never two neighbours.
std::size_t scattered_step(std::size_t count) {
  std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(0.618 * double(count)));
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

}  // namespace

std::string to_string(CacheState state) { return state == CacheState::kCold ? "cold" : "warm"; }

CacheState cache_state(const Axes& axes) {
  const std::string text = text_axis(axes, "cache", "cache state");
  if (text == "cold") return CacheState::kCold;
  if (text == "warm") return CacheState::kWarm;
  throw InputError("axis \"cache\" is \"" + text + "\", allowed: cold, warm");
}

OperandSets::OperandSets(Workspace& workspace, std::vector<std::size_t> input_bytes,
                         std::vector<std::size_t> output_bytes, CacheState state)
    : workspace_(&workspace), output_bytes_(std::move(output_bytes)) {
  input_stride_ = pack(input_bytes, input_offsets_);
  output_stride_ = pack(output_bytes_, output_offsets_);
  const std::size_t region = workspace.inputs().size_bytes();
  const std::size_t fit =
      std::min(sets_that_fit(region, input_stride_), sets_that_fit(region, output_stride_));
  if (fit == 0) {
    const double needed = static_cast<double>(std::max(input_stride_, output_stride_));
    throw MeasurementError("operands of " + to_text(Bytes(needed)) + " exceed the workspace of " +
                           to_text(Bytes(static_cast<double>(region))));
  }
  if (state == CacheState::kCold) choose_sets(fit);
  workspace.prepare(count_ * std::max(input_stride_, output_stride_));
}

void OperandSets::choose_sets(std::size_t fit) {
  const double set = static_cast<double>(std::max<std::size_t>(1, input_stride_ + output_stride_));
  const double wanted = std::ceil(kColdFactor * workspace_->last_level_cache().si() / set) + 1;
  count_ = std::min(fit, static_cast<std::size_t>(wanted));
  step_ = scattered_step(count_);
}

const float* OperandSets::input(std::size_t operand, std::size_t set) const {
  return workspace_->inputs().data() +
         (set * input_stride_ + input_offsets_.at(operand)) / sizeof(float);
}

float* OperandSets::output(std::size_t operand, std::size_t set) const {
  return workspace_->outputs().data() +
         (set * output_stride_ + output_offsets_.at(operand)) / sizeof(float);
}

std::size_t OperandSets::next() {
  current_ = (current_ + step_) % count_;
  return current_;
}

void OperandSets::fill_output(std::size_t operand) {
  const std::size_t bytes = output_bytes_.at(operand);
  for (std::size_t set = 0; set < count_; ++set) {
    std::memcpy(output(operand, set), workspace_->inputs().data(), bytes);
  }
}

}  // namespace paceline
