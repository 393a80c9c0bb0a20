// Coverage from g++ to libFuzzer, whose runtime is Clang's: g++ calls a function in every basic
// block (-fsanitize-coverage=trace-pc), libFuzzer reads counters, one a block. The linker sends
// calls to the name without __wrap_ here (--wrap), since libFuzzer only refuses them.
#include <cstddef>
#include <cstdint>

extern "C" {
void __sanitizer_cov_8bit_counters_init(std::uint8_t* first, std::uint8_t* end);
void __wrap___sanitizer_cov_trace_pc();
// Comparisons of floating-point numbers, of which libFuzzer wants to know nothing.
void __sanitizer_cov_trace_cmpf(float, float);
void __sanitizer_cov_trace_cmpd(double, double);
}

namespace {

// By the low bits of addresses: blocks that share one are told apart less well.
constexpr std::size_t kCounters = std::size_t{1} << 16;
std::uint8_t counters[kCounters];

[[gnu::constructor, gnu::no_sanitize_coverage]] void announce_counters() {
  __sanitizer_cov_8bit_counters_init(counters, counters + kCounters);
}

}  // namespace

// Itself uncounted, or it would call itself.
[[gnu::no_sanitize_coverage, gnu::no_sanitize_address]] void __wrap___sanitizer_cov_trace_pc() {
  const auto block = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[block % kCounters];
}

void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
