// Measures from a C++ program: paceline_measure_example FILE [quick] [ROUNDS] [ONLY...]
#include <cstdio>
#include <string>

#include "core/error.h"
#include "microbench/measure.h"

int main(int argc, char** argv) try {
  using namespace paceline;
  MeasureOptions options;
  options.argv.assign(argv, argv + argc);
  if (argc > 1) options.file = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "quick") {
      options.quick = true;
    } else if (word == "append") {
      options.append = true;
    } else if (word.find_first_not_of("0123456789") == std::string::npos) {
      options.rounds = std::stoi(word);
    } else {
      options.only.push_back(word);
    }
  }
  const MeasurementSet set = measure(options, [](const MeasureProgress& p) {
    if (p.done % 50 == 0) {
      std::fprintf(stderr, "round %d/%d: %zu/%zu %s\n", p.round, p.rounds, p.done, p.total,
                   p.benchmark.c_str());
    }
  });
  for (const std::string& warning : set.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  for (const Measurement& result : set.results) {
    if (result.skipped) {
      std::printf("%s %s: skipped: %s\n", result.benchmark.c_str(), to_string(result.axes).c_str(),
                  result.reason.c_str());
    } else if (result.accepted_rounds() > 0) {
      std::printf("%.4g us  %s  %s\n", 1e6 * result.value().si(), result.benchmark.c_str(),
                  to_string(result.axes).c_str());
    }
  }
  return 0;
} catch (const paceline::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.code());
}
