// SPDX-License-Identifier: MIT
#include <tuple>

#include "curand/conversions.h"
#include "curand/engines.h"

namespace pycuda::curand {
namespace {

constexpr std::size_t kThreads = 81920, kLegacyThreads = 4096;
constexpr std::uint64_t kModulus1 = 4294967087U, kModulus2 = 4294944443U;
constexpr double kNorm = 2.3283065498378288e-10;  // 1 / (kModulus1 + 1), as cuRAND has it
constexpr double kBitsNorm = 1.000000048662;      // to all values of 32 bits

using Vector = std::array<std::uint32_t, 3>;
using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;

/// Steps of the two parts. Their factors are positive by the moduli.
constexpr Matrix kStep1{{{0, 1, 0}, {0, 0, 1}, {kModulus1 - 810728, 1403580, 0}}};
constexpr Matrix kStep2{{{0, 1, 0}, {0, 0, 1}, {kModulus2 - 1370589, 0, 527612}}};

Matrix product(const Matrix& a, const Matrix& b, std::uint64_t modulus) {
  Matrix result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k)
        result[i][j] = (result[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
    }
  }
  return result;
}

Matrix power_of_two(Matrix a, int exponent, std::uint64_t modulus) {
  for (int i = 0; i < exponent; ++i) a = product(a, a, modulus);
  return a;
}

Matrix power(Matrix a, std::uint64_t exponent, std::uint64_t modulus) {
  Matrix result{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result = product(result, a, modulus);
    a = product(a, a, modulus);
  }
  return result;
}

Vector apply(const Matrix& a, const Vector& v, std::uint64_t modulus) {
  Vector result{};
  for (int i = 0; i < 3; ++i) {
    std::uint64_t sum = 0;
    for (int j = 0; j < 3; ++j) sum += a[i][j] * v[j] % modulus;
    result[i] = static_cast<std::uint32_t>(sum % modulus);
  }
  return result;
}

}  // namespace

Mrg::Mrg(std::uint64_t seed, std::uint64_t offset, bool is_legacy)
    : states_(is_legacy ? kLegacyThreads : kThreads), first_(offset % states_.size()) {
  State state{{12345, 12345, 12345}, {12345, 12345, 12345}};
  if (seed != 0) {
    const std::uint64_t x1 = static_cast<std::uint32_t>(seed) ^ 0x55555555U;
    const std::uint64_t x2 = static_cast<std::uint32_t>(seed >> 32U) ^ 0xaaaaaaaaU;
    const auto scaled = [](std::uint64_t by, std::uint64_t modulus) {
      return static_cast<std::uint32_t>(by * 12345 % modulus);
    };
    state.s1 = {scaled(x1, kModulus1), scaled(x2, kModulus1), scaled(x1, kModulus1)};
    state.s2 = {scaled(x2, kModulus2), scaled(x1, kModulus2), scaled(x2, kModulus2)};
  }
  const std::uint64_t turns = offset / states_.size();
  state.s1 = apply(power(kStep1, turns, kModulus1), state.s1, kModulus1);
  state.s2 = apply(power(kStep2, turns, kModulus2), state.s2, kModulus2);
  const Matrix next1 = power_of_two(kStep1, 76, kModulus1);
  const Matrix next2 = power_of_two(kStep2, 76, kModulus2);
  for (State& one : states_) {
    one = state;
    state.s1 = apply(next1, state.s1, kModulus1);
    state.s2 = apply(next2, state.s2, kModulus2);
  }
  for (std::size_t i = 0; i < first_; ++i) next(i);
}

double Mrg::next(std::size_t thread) {
  State& state = states_[thread];
  const std::uint64_t p1 = (1403580U * std::uint64_t{state.s1[1]} +
                            (kModulus1 - 810728U) * std::uint64_t{state.s1[0]} % kModulus1) %
                           kModulus1;
  const std::uint64_t p2 = (527612U * std::uint64_t{state.s2[2]} +
                            (kModulus2 - 1370589U) * std::uint64_t{state.s2[0]} % kModulus2) %
                           kModulus2;
  state.s1 = {state.s1[1], state.s1[2], static_cast<std::uint32_t>(p1)};
  state.s2 = {state.s2[1], state.s2[2], static_cast<std::uint32_t>(p2)};
  return static_cast<double>(p1 <= p2 ? p1 + kModulus1 - p2 : p1 - p2);
}

void Mrg::words(std::size_t thread, std::uint32_t* out) {
  *out = static_cast<std::uint32_t>(next(thread) * kBitsNorm);
}

void Mrg::uniforms(std::size_t thread, float* out) {
  *out = static_cast<float>(next(thread) * kNorm);
}
void Mrg::uniforms(std::size_t thread, double* out) { *out = next(thread) * kNorm; }

void Mrg::normals(std::size_t thread, float* out) {
  float u[2];
  for (float& one : u) uniforms(thread, &one);
  std::tie(out[0], out[1]) = box_muller(u[0], u[1] * kTwoPi);
}

void Mrg::normals(std::size_t thread, double* out) {
  double u[2];
  for (double& one : u) uniforms(thread, &one);
  std::tie(out[0], out[1]) = box_muller(u[0], u[1] * 2.0);
}

}  // namespace pycuda::curand
