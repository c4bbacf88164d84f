// SPDX-License-Identifier: MIT
#include "cufft/transform.h"

#include <algorithm>
#include <numbers>

namespace pycuda::cufft {
namespace {

constexpr std::size_t kLargestRadix = 13;

/// 4 first, which saves multiplications, then the primes; nothing if a large prime is left.
std::vector<std::size_t> radices_of(std::size_t length) {
  std::vector<std::size_t> radices;
  for (const std::size_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    while (length % radix == 0 && length > 1) {
      radices.push_back(radix);
      length /= radix;
    }
  }
  if (length > 1) radices.clear();
  return radices;
}

/// exp(-2 pi i k / n), by the angle of least size.
template <class T>
std::complex<T> root(std::size_t k, std::size_t n) {
  const long double turn = static_cast<long double>(k % n) / static_cast<long double>(n);
  const long double angle = -2 * std::numbers::pi_v<long double> * (turn > 0.5L ? turn - 1 : turn);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

/// Products without the special cases of infinite factors, which std::complex checks for.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
std::complex<T> conjugate_if(std::complex<T> value, bool inverse) {
  return inverse ? std::conj(value) : value;
}

template <class T>
void pass_2(const std::complex<T>* in, std::complex<T>* out, std::size_t width, std::size_t step,
            std::complex<T> w) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::complex<T> a = in[i];
    const std::complex<T> b = times(in[i + width], w);
    out[i] = a + b;
    out[i + step] = a - b;
  }
}

/// By -i, or by i in the inverse direction.
template <class T>
std::complex<T> quarter_turned(std::complex<T> value, bool inverse) {
  return inverse ? std::complex<T>(-value.imag(), value.real())
                 : std::complex<T>(value.imag(), -value.real());
}

template <class T>
void pass_4(const std::complex<T>* in, std::complex<T>* out, std::size_t width, std::size_t step,
            const std::complex<T>* w, bool inverse) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::complex<T> a = in[i];
    const std::complex<T> b = times(in[i + width], w[1]);
    const std::complex<T> c = times(in[i + 2 * width], w[2]);
    const std::complex<T> d = times(in[i + 3 * width], w[3]);
    const std::complex<T> even = a + c;
    const std::complex<T> odd = b + d;
    const std::complex<T> even_difference = a - c;
    const std::complex<T> turned = quarter_turned(b - d, inverse);
    out[i] = even + odd;
    out[i + step] = even_difference + turned;
    out[i + 2 * step] = even - odd;
    out[i + 3 * step] = even_difference - turned;
  }
}

/// Any radix: `unit` has its roots of one.
template <class T>
void pass_any(const std::complex<T>* in, std::complex<T>* out, std::size_t width, std::size_t step,
              const std::complex<T>* w, std::size_t radix, const std::complex<T>* unit) {
  std::complex<T> terms[kLargestRadix];
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t r = 0; r < radix; ++r) terms[r] = times(in[i + r * width], w[r]);
    for (std::size_t q = 0; q < radix; ++q) {
      std::complex<T> sum = terms[0];
      for (std::size_t r = 1, turn = q; r < radix; ++r, turn = (turn + q) % radix)
        sum += times(terms[r], unit[turn]);
      out[i + q * step] = sum;
    }
  }
}

}  // namespace

template <class T>
Transform<T>::Transform(std::size_t length) : length_(length), radices_(radices_of(length)) {
  if (length <= 1) return;
  if (!radices_.empty()) {
    for (std::size_t k = 0; k < length; ++k) roots_.push_back(root<T>(k, length));
    return;
  }
  std::size_t longer = 1;
  while (longer < 2 * length - 1) longer *= 2;
  longer_ = std::make_unique<Transform>(longer);
  // The squares of numbers up to the length, modulo twice the length, as angles.
  std::size_t square = 0;
  for (std::size_t k = 0; k < length; ++k) {
    chirp_.push_back(root<T>(square, 2 * length));
    square = (square + 2 * k + 1) % (2 * length);
  }
  kernel_.assign(longer, Complex{});
  kernel_[0] = std::conj(chirp_[0]);
  for (std::size_t k = 1; k < length; ++k) kernel_[k] = kernel_[longer - k] = std::conj(chirp_[k]);
  std::vector<Complex> work(longer_->workspace());
  longer_->run(kernel_.data(), work.data(), false);
  for (Complex& value : kernel_) value /= static_cast<T>(longer);
}

template <class T>
Transform<T>::~Transform() = default;

template <class T>
std::size_t Transform<T>::workspace() const {
  return longer_ != nullptr ? kernel_.size() + longer_->workspace() : length_;
}

template <class T>
void Transform<T>::run(Complex* line, Complex* workspace, bool inverse) const {
  if (length_ <= 1) return;
  if (longer_ != nullptr) {
    run_chirp(line, workspace, inverse);
  } else {
    run_mixed(line, workspace, inverse);
  }
}

/// Before each pass the array holds, at [j * rest + s], the j-th result of the line's elements s,
/// s + rest, s + 2 * rest ...; a pass joins `radix` of these to longer ones.
template <class T>
void Transform<T>::run_mixed(Complex* line, Complex* workspace, bool inverse) const {
  Complex* in = line;
  Complex* out = workspace;
  std::size_t done = 1;
  for (const std::size_t radix : radices_) {
    const std::size_t rest = length_ / done;
    const std::size_t width = rest / radix;
    const std::size_t step = done * width;
    Complex unit[kLargestRadix];
    for (std::size_t k = 0; k < radix; ++k)
      unit[k] = conjugate_if(roots_[k * (length_ / radix)], inverse);
    for (std::size_t j = 0; j < done; ++j) {
      Complex w[kLargestRadix];
      for (std::size_t r = 0; r < radix; ++r) w[r] = conjugate_if(roots_[j * r * width], inverse);
      const Complex* const from = in + j * rest;
      Complex* const to = out + j * width;
      if (radix == 2) {
        pass_2(from, to, width, step, w[1]);
      } else if (radix == 4) {
        pass_4(from, to, width, step, w, inverse);
      } else {
        pass_any(from, to, width, step, w, radix, unit);
      }
    }
    std::swap(in, out);
    done *= radix;
  }
  if (in != line) std::copy_n(in, length_, line);
}

/// j * k = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with a chirp.
template <class T>
void Transform<T>::run_chirp(Complex* line, Complex* workspace, bool inverse) const {
  const std::size_t longer = kernel_.size();
  Complex* const padded = workspace;
  // The inverse transform is the conjugate of the conjugate's transform.
  for (std::size_t k = 0; k < length_; ++k)
    padded[k] = times(conjugate_if(line[k], inverse), chirp_[k]);
  std::fill(padded + length_, padded + longer, Complex{});
  longer_->run(padded, workspace + longer, false);
  for (std::size_t k = 0; k < longer; ++k) padded[k] = times(padded[k], kernel_[k]);
  longer_->run(padded, workspace + longer, true);
  for (std::size_t k = 0; k < length_; ++k)
    line[k] = conjugate_if(times(padded[k], chirp_[k]), inverse);
}

template class Transform<float>;
template class Transform<double>;

}  // namespace pycuda::cufft
