// SPDX-License-Identifier: MIT
// What is done to the elements of a product before they are stored.
#pragma once

#include <cmath>
#include <vector>

#include "cublaslt/product.h"

namespace pycuda::cublaslt {

/// GELU by the hyperbolic tangent, as cuBLASLt computes it.
template <class T>
struct Gelu {
  static constexpr T kFactor = T(0.7978845608028654);  // sqrt(2 / pi)
  static constexpr T kCubic = T(0.044715);

  static T value(T x) {
    return T(0.5) * x * (T(1) + std::tanh(kFactor * (x + kCubic * x * x * x)));
  }
  static T slope(T x) {
    const T tangent = std::tanh(kFactor * (x + kCubic * x * x * x));
    const T inner = kFactor * (T(1) + T(3) * kCubic * x * x);
    return T(0.5) * (T(1) + tangent) + T(0.5) * x * (T(1) - tangent * tangent) * inner;
  }
};

/// For one matrix of a call. T is a real type.
template <class T>
class Finisher {
 public:
  Finisher(const Product& product, Int index)
      : p_(product),
        bias_(shifted(product.how.bias, index * product.how.bias_stride, product.bias)),
        auxiliary_(product.has(kRelu) || product.has(kReluGradient)
                       ? static_cast<std::byte*>(product.how.auxiliary) +
                             index * product.how.auxiliary_stride / 8
                       : shifted(product.how.auxiliary, index * product.how.auxiliary_stride,
                                 product.auxiliary)),
        sums_(product.has(kBiasGradient) ? static_cast<std::size_t>(product.m) : 0) {}

  T operator()(Int row, Int column, T x) {
    const Int place = row + column * p_.how.auxiliary_leading;
    if (p_.has(kBias)) x += load<T>(bias_, p_.bias, row);
    if (p_.has(kRelu)) {
      if (p_.has(kAuxiliary)) set_bit(place, x > T(0));
      x = std::max(x, T(0));
    } else if (p_.has(kGelu)) {
      if (p_.has(kAuxiliary)) store<T>(auxiliary_, p_.auxiliary, place, x);
      x = Gelu<T>::value(x);
    } else if (p_.has(kReluGradient)) {
      if (!bit(place)) x = T(0);
    } else if (p_.has(kGeluGradient)) {
      x *= Gelu<T>::slope(load<T>(auxiliary_, p_.auxiliary, place));
    }
    if (p_.has(kBiasGradient)) sums_[static_cast<std::size_t>(row)] += x;
    return x;
  }

  /// After the last element.
  void store_gradient() {
    for (std::size_t row = 0; row < sums_.size(); ++row)
      store<T>(bias_, p_.bias, static_cast<Int>(row), sums_[row]);
  }
  /// The sums over k of op(A) or op(B), whose elements `element(i, j)` gives.
  template <class Element>
  void store_sums(Int length, const Element& element) {
    for (Int i = 0; i < length; ++i) {
      T sum = 0;
      for (Int j = 0; j < p_.k; ++j) sum += element(i, j);
      store<T>(bias_, p_.bias, i, sum);
    }
  }

 private:
  static std::byte* shifted(void* place, Int elements, DataType type) {
    return static_cast<std::byte*>(place) + elements * static_cast<Int>(bytes_of(type));
  }
  void set_bit(Int place, bool value) {
    const auto mask = std::byte{1} << (place % 8);
    std::byte& byte = auxiliary_[place / 8];
    byte = value ? byte | mask : byte & ~mask;
  }
  bool bit(Int place) const {
    return (auxiliary_[place / 8] & std::byte{1} << (place % 8)) != std::byte{0};
  }

  const Product& p_;
  std::byte* bias_;
  std::byte* auxiliary_;
  std::vector<T> sums_;
};

}  // namespace pycuda::cublaslt
