// Times of a host thread and a device stream as a linear map in max-plus algebra (maximum for
// addition, addition for multiplication): every call moves (host, device) to
//
//   host'   = max(host + hh, device + hd)
//   device' = max(host + dh, device + dd)
//
// so that a sequence of calls is one such map, and a sequence repeated n times is its power.
// Source: Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", 1992.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace paceline {

// Never: the smallest time, of which adding any real time stays far below every other.
template <typename T>
constexpr T max_plus_never() {
  if constexpr (std::numeric_limits<T>::has_infinity) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::min() / 4;
  }
}

template <typename T>
struct HostAndDevice {
  T host{};
  T device{};
};

template <typename T>
struct MaxPlusMap {
  T hh{}, hd = max_plus_never<T>();
  T dh = max_plus_never<T>(), dd{};

  HostAndDevice<T> operator()(const HostAndDevice<T>& t) const {
    return {std::max(t.host + hh, t.device + hd), std::max(t.host + dh, t.device + dd)};
  }
  // First this, then `next`.
  MaxPlusMap then(const MaxPlusMap& next) const {
    const auto sum = [](T a, T b) { return std::max(a + b, max_plus_never<T>()); };
    return {
        std::max(sum(next.hh, hh), sum(next.hd, dh)), std::max(sum(next.hh, hd), sum(next.hd, dd)),
        std::max(sum(next.dh, hh), sum(next.dd, dh)), std::max(sum(next.dh, hd), sum(next.dd, dd))};
  }
  MaxPlusMap power(std::int64_t n) const {
    MaxPlusMap result, square = *this;
    for (; n > 0; n /= 2) {
      if (n % 2 == 1) result = result.then(square);
      square = square.then(square);
    }
    return result;
  }
};

// One call: the host spends `host`, the kernel of `kernel` starts `latency` later at the earliest.
template <typename T>
MaxPlusMap<T> call_map(T host, T kernel, T latency) {
  return {.hh = host, .hd = max_plus_never<T>(), .dh = host + latency + kernel, .dd = kernel};
}
// A call without a kernel.
template <typename T>
MaxPlusMap<T> host_map(T host) {
  return {.hh = host, .hd = max_plus_never<T>(), .dh = max_plus_never<T>(), .dd = T{}};
}
// The host waits for the device.
template <typename T>
MaxPlusMap<T> wait_map() {
  return {.hh = T{}, .hd = T{}, .dh = max_plus_never<T>(), .dd = T{}};
}

}  // namespace paceline
