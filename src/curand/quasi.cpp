// SPDX-License-Identifier: MIT
// Sobol's sequences: all numbers of the first dimension, then all of the second, and so on.
#include <algorithm>
#include <bit>

#include "curand/conversions.h"
#include "curand/source.h"
#include "curand/tables.h"

namespace pycuda::curand {
namespace {

inline float uniform_of(std::uint32_t x, float) { return uniform(x); }
inline double uniform_of(std::uint32_t x, double) {
  return static_cast<double>(x) * kInverse32Double + kInverse32Double;
}
inline float uniform_of(std::uint64_t x, float) {
  return uniform(static_cast<std::uint32_t>(x >> 32U));
}
inline double uniform_of(std::uint64_t x, double) {
  return static_cast<double>(x >> 11U) * kInverse53 + kInverse53 / 2.0;
}

inline float normal_number(std::uint32_t x, float) { return static_cast<float>(normal_of(x)); }
inline double normal_number(std::uint32_t x, double) { return normal_of(x); }
inline float normal_number(std::uint64_t x, float) {
  return static_cast<float>(normal_of(static_cast<std::uint32_t>(x >> 32U)));
}
inline double normal_number(std::uint64_t x, double) { return normal_of(x); }

template <class Word>
class Sobol : public Source {
 public:
  Sobol(const Word* vectors, const Word* constants, unsigned dimensions, std::uint64_t offset)
      : vectors_(vectors), constants_(constants), dimensions_(dimensions), next_(offset) {}
  void words(std::uint32_t* out, std::size_t n) override {
    fill(out, n, [](Word x) { return static_cast<std::uint32_t>(x); });
  }
  void words(std::uint64_t* out, std::size_t n) override {
    fill(out, n, [](Word x) { return std::uint64_t{x}; });
  }
  void uniforms(float* out, std::size_t n) override {
    fill(out, n, [](Word x) { return uniform_of(x, 0.0F); });
  }
  void uniforms(double* out, std::size_t n) override {
    fill(out, n, [](Word x) { return uniform_of(x, 0.0); });
  }
  void normals(float* out, std::size_t n) override {
    fill(out, n, [](Word x) { return normal_number(x, 0.0F); });
  }
  void normals(double* out, std::size_t n) override {
    fill(out, n, [](Word x) { return normal_number(x, 0.0); });
  }

 private:
  static constexpr unsigned kBits = sizeof(Word) * 8;

  template <class T, class Convert>
  void fill(T* out, std::size_t n, const Convert& convert) {
    const std::size_t count = n / dimensions_;
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      const Word* const vectors = vectors_ + std::size_t{dimension} * kBits;
      Word x = constants_ != nullptr ? constants_[dimension] : 0;
      const auto gray = static_cast<Word>(next_ ^ next_ >> 1U);
      for (unsigned bit = 0; bit < kBits; ++bit) {
        if ((gray >> bit & 1U) != 0) x ^= vectors[bit];
      }
      for (std::size_t i = 0; i < count; ++i) {
        *out++ = convert(x);
        // The codes of neighbours differ in the lowest bit that is not set.
        x ^= vectors[std::min<unsigned>(std::countr_one(static_cast<Word>(next_ + i)), kBits - 1)];
      }
    }
    next_ += count;
  }

  const Word* vectors_;
  const Word* constants_;
  unsigned dimensions_;
  std::uint64_t next_;
};

}  // namespace

std::unique_ptr<Source> quasi_source(Kind kind, unsigned dimensions, std::uint64_t offset) {
  const Tables& all = *tables();
  const bool is_scrambled = kind == kScrambledSobol32 || kind == kScrambledSobol64;
  if (is_wide(kind))
    return std::make_unique<Sobol<std::uint64_t>>(all.vectors64[is_scrambled ? 1 : 0],
                                                  is_scrambled ? all.constants64 : nullptr,
                                                  dimensions, offset);
  return std::make_unique<Sobol<std::uint32_t>>(all.vectors32[is_scrambled ? 1 : 0],
                                                is_scrambled ? all.constants32 : nullptr,
                                                dimensions, offset);
}

}  // namespace pycuda::curand
