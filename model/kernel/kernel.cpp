#include "model/kernel/kernel.h"

#include <array>
#include <vector>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 5> kPrecisionNames = {"fp32", "tf32", "fp16", "bf16", "fp8"};
constexpr std::array<double, 5> kElementBytes = {4, 4, 2, 2, 1};
constexpr std::array<std::string_view, 3> kPassNames = {"forward", "dgrad", "wgrad"};

std::string pair_text(std::int64_t a, std::int64_t b) {
  return a == b ? std::to_string(a) : std::to_string(a) + "x" + std::to_string(b);
}

struct FlopsOf {
  double operator()(const GemmShape& s) const {
    return 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) *
           static_cast<double>(s.n) * static_cast<double>(s.k);
  }
  double operator()(const ConvShape& s) const {
    return 2.0 * static_cast<double>(s.n * s.output_h() * s.output_w()) * static_cast<double>(s.k) *
           static_cast<double>(s.c / s.groups * s.r * s.s);
  }
  double operator()(const StreamShape&) const { return 0; }
};

struct ElementsOf {
  double operator()(const GemmShape& s) const {
    return static_cast<double>(s.batch) * static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
  }
  double operator()(const ConvShape& s) const {
    return static_cast<double>(s.n * s.c * s.h * s.w + s.n * s.k * s.output_h() * s.output_w() +
                               s.k * (s.c / s.groups) * s.r * s.s);
  }
};

struct TextOf {
  std::string operator()(const GemmShape& s) const {
    const std::string batch = s.batch > 1 ? std::to_string(s.batch) + "x " : "";
    return std::string("gemm ") + (s.trans_a ? "T" : "N") + (s.trans_b ? "T" : "N") + " " + batch +
           std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
  }
  std::string operator()(const ConvShape& s) const {
    return "conv " + std::string(to_string(s.pass)) + " " + std::to_string(s.n) + "x" +
           std::to_string(s.c) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w) + " k" +
           std::to_string(s.k) + " " + std::to_string(s.r) + "x" + std::to_string(s.s) + " s" +
           pair_text(s.stride_h, s.stride_w) + " p" + pair_text(s.pad_h, s.pad_w) +
           (s.groups > 1 ? " g" + std::to_string(s.groups) : "");
  }
  std::string operator()(const StreamShape& s) const {
    return "stream " + std::to_string(s.elements) +
           (s.row > 0 ? " rows of " + std::to_string(s.row) : "");
  }
};

}  // namespace

std::string_view to_string(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)];
}

Precision parse_precision(std::string_view text) {
  for (std::size_t i = 0; i < kPrecisionNames.size(); ++i) {
    if (kPrecisionNames[i] == text) return static_cast<Precision>(i);
  }
  const std::vector<std::string> names(kPrecisionNames.begin(), kPrecisionNames.end());
  throw UsageError(unknown_name_message("precision", text, names));
}

Bytes element_size(Precision precision) {
  return Bytes(kElementBytes[static_cast<std::size_t>(precision)]);
}

std::string_view to_string(Pass pass) { return kPassNames[static_cast<std::size_t>(pass)]; }

Flops kernel_flops(const KernelShape& shape) { return Flops(std::visit(FlopsOf{}, shape)); }

Bytes kernel_bytes(const KernelShape& shape, Precision precision) {
  if (const auto* stream = std::get_if<StreamShape>(&shape)) return stream->read + stream->written;
  const double elements = std::holds_alternative<GemmShape>(shape)
                              ? ElementsOf{}(std::get<GemmShape>(shape))
                              : ElementsOf{}(std::get<ConvShape>(shape));
  return elements * element_size(precision);
}

std::string to_string(const KernelShape& shape) { return std::visit(TextOf{}, shape); }

}  // namespace paceline
