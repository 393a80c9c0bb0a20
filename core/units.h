// Physical quantities as types: a Seconds cannot be added to a Bytes, and Bytes / Seconds is a
// BytesPerSecond. The value inside is always in SI base units (s, B, FLOP, sample); `.si()` is the
// only way out and belongs at the edges (formulas, files).
#pragma once

#include <cmath>
#include <compare>
#include <type_traits>

namespace paceline {

template <int Time, int Data, int Work, int Sample>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double in_si) : si_(in_si) {}

  constexpr double si() const { return si_; }
  bool is_finite() const { return std::isfinite(si_); }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator-() const { return Quantity(-si_); }
  constexpr Quantity& operator+=(Quantity other) { return si_ += other.si_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return si_ -= other.si_, *this; }
  constexpr Quantity& operator*=(double factor) { return si_ *= factor, *this; }
  constexpr Quantity& operator/=(double divisor) { return si_ /= divisor, *this; }

 private:
  double si_ = 0;
};

template <int T, int D, int W, int S>
constexpr Quantity<T, D, W, S> operator+(Quantity<T, D, W, S> a, Quantity<T, D, W, S> b) {
  return a += b;
}
template <int T, int D, int W, int S>
constexpr Quantity<T, D, W, S> operator-(Quantity<T, D, W, S> a, Quantity<T, D, W, S> b) {
  return a -= b;
}
template <int T, int D, int W, int S>
constexpr Quantity<T, D, W, S> operator*(Quantity<T, D, W, S> a, double factor) {
  return a *= factor;
}
template <int T, int D, int W, int S>
constexpr Quantity<T, D, W, S> operator*(double factor, Quantity<T, D, W, S> a) {
  return a *= factor;
}
template <int T, int D, int W, int S>
constexpr Quantity<T, D, W, S> operator/(Quantity<T, D, W, S> a, double divisor) {
  return a /= divisor;
}

namespace detail {
// A dimensionless result is a plain double.
template <int T, int D, int W, int S>
constexpr auto make_quantity(double si) {
  if constexpr (T == 0 && D == 0 && W == 0 && S == 0) {
    return si;
  } else {
    return Quantity<T, D, W, S>(si);
  }
}
}  // namespace detail

template <int T1, int D1, int W1, int S1, int T2, int D2, int W2, int S2>
constexpr auto operator*(Quantity<T1, D1, W1, S1> a, Quantity<T2, D2, W2, S2> b) {
  return detail::make_quantity<T1 + T2, D1 + D2, W1 + W2, S1 + S2>(a.si() * b.si());
}
template <int T1, int D1, int W1, int S1, int T2, int D2, int W2, int S2>
constexpr auto operator/(Quantity<T1, D1, W1, S1> a, Quantity<T2, D2, W2, S2> b) {
  return detail::make_quantity<T1 - T2, D1 - D2, W1 - W2, S1 - S2>(a.si() / b.si());
}
template <int T, int D, int W, int S>
constexpr auto operator/(double a, Quantity<T, D, W, S> b) {
  return detail::make_quantity<-T, -D, -W, -S>(a / b.si());
}

using Seconds = Quantity<1, 0, 0, 0>;
using Hertz = Quantity<-1, 0, 0, 0>;
using Bytes = Quantity<0, 1, 0, 0>;
using Flops = Quantity<0, 0, 1, 0>;
using Samples = Quantity<0, 0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1, 0>;
using SamplesPerSecond = Quantity<-1, 0, 0, 1>;
using FlopsPerByte = Quantity<0, -1, 1, 0>;

static_assert(sizeof(Seconds) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Seconds>);

}  // namespace paceline
