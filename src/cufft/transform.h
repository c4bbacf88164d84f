// SPDX-License-Identifier: MIT
// Fourier transforms of one line of any length.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace pycuda::cufft {

/// Transforms lines of one length: products of small primes by mixed radices, others as a
/// convolution of a longer line (Bluestein). Nothing is scaled. May be used by several threads,
/// each with a workspace of its own.
template <class T>
class Transform {
 public:
  using Complex = std::complex<T>;

  explicit Transform(std::size_t length);
  ~Transform();

  /// Numbers that `run` needs room for.
  std::size_t workspace() const;
  /// line[k] becomes the sum of line[j] * exp(-2 pi i j k / length), with + if `inverse`.
  void run(Complex* line, Complex* workspace, bool inverse) const;

 private:
  void run_mixed(Complex* line, Complex* workspace, bool inverse) const;
  void run_chirp(Complex* line, Complex* workspace, bool inverse) const;

  std::size_t length_;
  std::vector<std::size_t> radices_;  ///< empty: by convolution
  std::vector<Complex> roots_;        ///< exp(-2 pi i k / length)
  // Of the convolution: the longer line's transform, the chirp, and the chirp's transform.
  std::unique_ptr<Transform> longer_;
  std::vector<Complex> chirp_, kernel_;
};

extern template class Transform<float>;
extern template class Transform<double>;

}  // namespace pycuda::cufft
