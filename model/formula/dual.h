// A number with its derivatives in N directions (forward automatic differentiation): run a formula
// on it and the gradient comes out with the value, which is the one that plain numbers give to the
// last bit. Ceres has the same type for fits; costing needs it without the solver.
//
//   Dual<2> x{3.0, {1, 0}};   exp(x).v[0] == exp(3)
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace paceline::formula {

template <std::size_t N>
struct Dual {
  double a = 0;
  std::array<double, N> v{};

  Dual() = default;
  Dual(double value) : a(value) {}  // NOLINT: a plain number is a constant
  Dual(double value, const std::array<double, N>& gradient) : a(value), v(gradient) {}
  static Dual variable(double value, std::size_t direction) {
    Dual out(value);
    out.v[direction] = 1;
    return out;
  }

  Dual& operator+=(const Dual& other) {
    a += other.a;
    for (std::size_t i = 0; i < N; ++i) v[i] += other.v[i];
    return *this;
  }
  Dual& operator*=(const Dual& other) { return *this = *this * other; }
  Dual operator-() const { return scaled(-a, -1); }
  // This number's derivatives times `slope`, around `value`: the chain rule.
  Dual scaled(double value, double slope) const {
    Dual out(value);
    for (std::size_t i = 0; i < N; ++i) out.v[i] = slope * v[i];
    return out;
  }

  friend Dual operator+(Dual x, const Dual& y) { return x += y; }
  friend Dual operator-(const Dual& x, const Dual& y) { return x + -y; }
  friend Dual operator*(const Dual& x, const Dual& y) {
    Dual out(x.a * y.a);
    for (std::size_t i = 0; i < N; ++i) out.v[i] = x.v[i] * y.a + x.a * y.v[i];
    return out;
  }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const double inverse = 1 / y.a, quotient = x.a / y.a;
    Dual out(quotient);
    for (std::size_t i = 0; i < N; ++i) out.v[i] = (x.v[i] - quotient * y.v[i]) * inverse;
    return out;
  }
  // With plain numbers, which have no derivatives to carry along.
  friend Dual operator+(Dual x, double y) {
    x.a += y;
    return x;
  }
  friend Dual operator+(double x, const Dual& y) { return y + x; }
  friend Dual operator-(Dual x, double y) {
    x.a -= y;
    return x;
  }
  friend Dual operator-(double x, const Dual& y) { return y.scaled(x - y.a, -1); }
  friend Dual operator*(const Dual& x, double y) { return x.scaled(x.a * y, y); }
  friend Dual operator*(double x, const Dual& y) { return y * x; }
  friend Dual operator/(const Dual& x, double y) { return x.scaled(x.a / y, 1 / y); }
  friend Dual operator/(double x, const Dual& y) {
    const double quotient = x / y.a;
    return y.scaled(quotient, -quotient / y.a);
  }
  friend bool operator<(const Dual& x, const Dual& y) { return x.a < y.a; }
  friend bool operator>(const Dual& x, const Dual& y) { return x.a > y.a; }
  friend bool operator<=(const Dual& x, const Dual& y) { return x.a <= y.a; }
  friend bool operator>=(const Dual& x, const Dual& y) { return x.a >= y.a; }
};

template <std::size_t N>
Dual<N> exp(const Dual<N>& x) {
  const double value = std::exp(x.a);
  return x.scaled(value, value);
}

// Constant between its steps.
template <std::size_t N>
Dual<N> ceil(const Dual<N>& x) {
  return Dual<N>(std::ceil(x.a));
}

template <std::size_t N>
Dual<N> log(const Dual<N>& x) {
  return x.scaled(std::log(x.a), 1 / x.a);
}

}  // namespace paceline::formula
