// The threads of the libraries under test, which all share one OpenMP runtime.
#pragma once

namespace paceline {

// Sets how many threads parallel regions use, and binds several of them to processors of their own.
// Left alone, two threads can share a processor for seconds while each spins for the other: a call
// of 5 us then takes two scheduler ticks, 8 ms. One thread is left to the system.
void set_kernel_threads(int count);

}  // namespace paceline
