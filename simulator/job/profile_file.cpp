#include "simulator/job/profile_file.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

constexpr std::string_view kHeader = "layer,forward_s,backward_s,tensors";
// Of all layers together; far beyond any network, and exact as a double.
constexpr std::int64_t kMostElements = 1'000'000'000'000'000;
// Of all layers together, eleven days: far beyond any network, within the simulated clock.
constexpr double kMostSeconds = 1e6;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  explicit Reader(std::string where) : where_(std::move(where)) {}

  void row(std::string_view line, std::size_t number_of_line) {
    line_ = number_of_line;
    if (!header_seen_) {
      if (line != kHeader)
        fail("found \"" + std::string(line) + "\"; expected the header " + std::string(kHeader));
      header_seen_ = true;
      return;
    }
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != 4) {
      fail("found " + std::to_string(cells.size()) + " cells; expected 4: " + std::string(kHeader));
    }
    const auto layer = static_cast<std::uint32_t>(profile_.layers.size());
    profile_.layers.emplace_back(trimmed(cells[0]));
    // What bounds a measured layer is not known: arithmetic, as most of a network.
    const Seconds forward = time(cells[1], "forward_s");
    profile_.forward.push_back({.layer = layer, .time = forward, .compute_bound = forward});
    const Seconds back = time(cells[2], "backward_s");
    ComputeSegment backward{.layer = layer, .time = back, .compute_bound = back};
    if (const std::string_view tensors = trimmed(cells[3]); !tensors.empty()) {
      for (const std::string_view text : split(tensors, '+')) {
        backward.gradients.insert(backward.gradients.begin(), tensor(trimmed(text), layer));
      }
    }
    profile_.backward.insert(profile_.backward.begin(), std::move(backward));
  }

  ComputeProfile finish() {
    if (!header_seen_)
      throw InputError(where_ + ": empty; expected the header " + std::string(kHeader));
    if (profile_.gradients.empty())
      throw InputError(where_ + ": no layer has tensors to aggregate");
    return std::move(profile_);
  }

 private:
  Seconds time(std::string_view cell, const char* column) {
    const std::optional<double> value = number<double>(trimmed(cell));
    if (!value || !std::isfinite(*value) || *value < 0) {
      fail(std::string(column) + " is \"" + std::string(cell) + "\"; expected seconds, 0 or more");
    }
    if (*value > kMostSeconds - seconds_) {
      fail(std::string(column) + " is \"" + std::string(trimmed(cell)) +
           "\"; all layers together can take at most 1e6 s");
    }
    seconds_ += *value;
    return Seconds(*value);
  }
  std::uint32_t tensor(std::string_view text, std::uint32_t layer) {
    const std::optional<std::int64_t> elements = number<std::int64_t>(text);
    if (!elements || *elements < 1) {
      fail("tensors has \"" + std::string(text) + "\"; expected element counts joined by +");
    }
    if (*elements > kMostElements - elements_) {
      fail("tensors has \"" + std::string(text) + "\"; all layers together can have at most " +
           std::to_string(kMostElements) + " elements");
    }
    elements_ += *elements;
    const auto index = static_cast<std::uint32_t>(profile_.gradients.size());
    profile_.gradients.push_back(
        {.name = profile_.layers[layer] + "/" + std::to_string(index),
         .layer = layer,
         .elements = *elements,
         .rows = std::llround(std::sqrt(static_cast<double>(*elements))),
         .bytes = static_cast<double>(*elements) * element_size(Precision::kFp32)});
    return index;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(where_ + ":" + std::to_string(line_) + ": " + what);
  }

  std::string where_;
  std::size_t line_ = 0;
  bool header_seen_ = false;
  std::int64_t elements_ = 0;  // of the tensors so far
  double seconds_ = 0;         // of the layers so far
  ComputeProfile profile_;
};

}  // namespace

ComputeProfile parse_profile(std::string_view text, const std::string& where) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as spreadsheets write it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Reader reader(where);
  std::size_t line = 0;
  for (const std::string_view row : split(text, '\n')) {
    ++line;
    const std::string_view content = trimmed(row);
    if (content.empty() || content.front() == '#') continue;
    reader.row(content, line);
  }
  return reader.finish();
}

ComputeProfile read_profile(const std::filesystem::path& file) {
  return parse_profile(read_text_file(file), file.string());
}

}  // namespace paceline
