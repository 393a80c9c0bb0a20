// How a resource grows with the number of threads that use it.
//
//   speedup(n) = n / (1 + contention (n - 1))
//
// contention = 0 is linear growth, contention = 1 a resource that one thread already exhausts; the
// limit is 1 / contention. It is the universal scalability law without its coherency term (Gunther,
// "Guerrilla Capacity Planning", 2007), which two thread counts cannot identify.
#pragma once

namespace paceline::formula {

template <typename T>
T speedup(double threads, const T& contention) {
  return threads / (1.0 + contention * (threads - 1.0));
}

// Share of the single-thread time that is left when only `parallel` of it is shared out (Amdahl
// 1967).
template <typename T>
T remaining_share(double threads, const T& parallel) {
  return 1.0 - parallel + parallel / threads;
}

}  // namespace paceline::formula
